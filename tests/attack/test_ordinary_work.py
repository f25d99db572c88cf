"""An operator's day against all the walls: what is allowed goes through, and a refusal's command works."""

import json
import re
import shlex
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import pytest

from .kit import CLOUD_TOKEN, PASSWORD, Caller, Installation, Ran
from .test_names_again import removed


@dataclass(frozen=True)
class Day:
    """An organization, its owner, and its simulated cloud."""

    installation: Installation
    name: str
    owner: Caller
    cloud: str
    folder: Path

    @property
    def where(self) -> str:
        return f"/v1/organizations/{self.name}"

    @property
    def shop(self) -> str:
        return f"{self.where}/projects/shop"

    def run(self, line: str, stdin: str = "", who: Caller | None = None) -> Ran:
        """`setpoint …` as one pastes it."""
        words = shlex.split(line.removeprefix("setpoint "))
        return (who or self.owner).cli(*words, organization=self.name, stdin=stdin)

    def works(self, line: str, stdin: str = "", who: Caller | None = None) -> str:
        ran = self.run(line, stdin, who)
        assert ran.code == 0, (line, ran)
        return ran.out + ran.err

    def write(self, name: str, *items: object) -> str:
        path = self.folder / name
        path.write_text(json.dumps({"items": items}))
        return str(path)


@pytest.fixture
def day(installation: Installation, cloud: str, tmp_path: Path) -> Day:
    name = installation.organization("day")
    owner = installation.member(name, "olga", {"role": "owner"})
    owner.put(f"/v1/organizations/{name}/projects/shop", {})
    return Day(installation, name, owner, cloud, tmp_path)


def command_in(text: str) -> str:
    """The command that a refusal names."""
    found = re.search(r"(setpoint [a-z-]+ [^;`]*?)(?:;|`|\\n|\"message|$)", text)
    assert found, text
    return found[1].strip().rstrip(".")


def with_account(day: Day) -> None:
    place = day.cloud.split("/")[2]
    day.works(f"secret set cloud --host {place}", CLOUD_TOKEN)
    spec = {"family": "hetzner_cloud", "credential": "secret://cloud", "endpoint": day.cloud, "mode": "run"}
    day.owner.put(f"{day.where}/providers/cloud", spec)
    day.owner.ready(f"{day.where}/providers/cloud")


def record(name: str) -> dict[str, object]:
    spec = {"zone": "main", "name": name, "type": "A", "values": ["192.0.2.1"]}
    return {"kind": "dns_record", "metadata": {"name": name, "project": "shop"}, "spec": spec}


def zone(day: Day) -> dict[str, object]:
    spec = {"provider": "cloud", "domain": f"{day.name}.example"}
    return {"kind": "dns_zone", "metadata": {"name": "main", "project": "shop"}, "spec": spec}


def test_a_secret_without_its_host_is_refused_with_a_command_that_works(day: Day) -> None:
    day.works("secret set cloud --host api.example.org", CLOUD_TOKEN)
    spec = {"family": "hetzner_cloud", "credential": "secret://cloud", "endpoint": day.cloud, "mode": "run"}
    refused = day.owner.call("PUT", f"{day.where}/providers/cloud", {"spec": spec})
    assert refused.status == 422
    day.works(command_in(refused.body["errors"][0]["message"]), CLOUD_TOKEN)
    day.owner.put(f"{day.where}/providers/cloud", spec)
    day.owner.ready(f"{day.where}/providers/cloud")
    # Turned over: the hosts stay, and what uses it goes on.
    day.works("secret set cloud --keep-previous", CLOUD_TOKEN)
    day.owner.ready(f"{day.where}/providers/cloud")


def test_a_file_is_applied_twice_and_pruned(day: Day) -> None:
    with_account(day)
    file = day.write("shop.json", zone(day), *(record(f"r{n}") for n in range(4)))
    day.works(f"apply -f {file} --yes --owner shop --timeout 60")
    again = day.works(f"apply -f {file} --yes --owner shop --timeout 60")
    assert "nothing" in again.lower() or "unchanged" in again.lower() or "0 " in again, again
    file = day.write("shop.json", zone(day), *(record(f"r{n}") for n in range(3)))
    day.works(f"apply -f {file} --yes --owner shop --prune --timeout 60")
    day.installation.admin.until(
        day.shop, lambda _: day.owner.get(f"{day.shop}/dns_records/r3").status == 404
    )
    # Deleted, and declared again at once.
    day.works("delete dns_record r2 --yes")
    day.owner.put(f"{day.shop}/dns_records/r2", record("r2")["spec"])
    day.owner.ready(f"{day.shop}/dns_records/r2")
    day.owner.ready(f"{day.shop}/dns_zones/main")


def test_what_is_protected_is_released_by_the_command_of_the_refusal(day: Day) -> None:
    with_account(day)
    day.works(f"apply -f {day.write('shop.json', zone(day), record('www'))} --yes --timeout 60")
    day.works("protect dns_zone main --reason 'the shop hangs on it'")
    day.works(f"apply -f {day.write('shop.json', zone(day), record('www'))} --yes --timeout 60")
    refused = day.run("delete dns_zone main --cascade --yes")
    assert refused.code != 0
    day.works(command_in((refused.err + refused.out).replace("\n", ";")))
    day.works("delete dns_zone main --cascade --yes")


def test_a_pause_is_seen_and_ends(day: Day) -> None:
    with_account(day)
    day.works(f"apply -f {day.write('shop.json', zone(day), record('www'))} --yes --timeout 60")
    day.works("pause dns_zone main --reason 'the vendor moves'")
    assert "the vendor moves" in day.works("pause --list -o json")
    day.works("resume dns_zone main")
    day.works(f"pause --scope {day.name}/shop --reason 'a quiet hour'")
    day.works(f"resume --scope {day.name}/shop")
    day.owner.ready(f"{day.shop}/dns_zones/main")


def test_a_colleague_is_invited_and_works(day: Day) -> None:
    email = f"carl@{day.name}.example"
    day.works(f"member add {email} --role operator --yes")
    link = day.installation.letter_to(email)
    body = {"link": link, "password": PASSWORD, "cookie": False}
    opened = day.installation.nobody.call("POST", "/v1/links:use", body)
    assert opened.status == 201, opened
    carl = day.installation.with_token(opened.body["token"])
    assert carl.get(day.shop).status == 200
    day.works("get projects", who=carl)
    made = day.run("token create ci --role operator", who=carl)
    if made.code:  # Operators give out no credentials: whoever may is named, or asked for.
        assert "setpoint" in made.err, made
    day.works(f"member remove {email} --yes")
    assert carl.get(day.shop).status == 404


def test_a_webhook_of_ones_own_is_declared(day: Day) -> None:
    day.works("secret set hook --host hooks.example.org", "signing key")
    spec = {"url": "https://hooks.example.org/in", "events": ["*"], "secret": "secret://hook"}
    day.owner.put(f"{day.where}/webhooks/hook", spec)
    moving = {**spec, "url": "https://new.example.org/"}
    asked = ("PUT", f"{day.where}/webhooks/hook", {"spec": moving}, {"If-Match": "*"})
    moved = day.owner.call(*asked)
    assert moved.status == 422, moved
    day.works(command_in(moved.body["errors"][0]["message"]), "signing key")
    assert day.owner.call(*asked).status == 200
    day.works("delete webhook hook --yes")


def test_an_organization_is_deleted_and_declared_again(day: Day) -> None:
    removed(day.installation, day.where)
    day.installation.admin.put(day.where, {})
    again = day.installation.service(day.name, "owner")
    again.put(f"{day.where}/projects/shop", {})
    with_account(Day(day.installation, day.name, again, day.cloud, day.folder))
    again.put(f"{day.shop}/dns_zones/main", {"provider": "cloud", "domain": f"{day.name}.example"})
    again.ready(f"{day.shop}/dns_zones/main")


def test_a_zone_that_was_there_is_adopted_after_an_approval(day: Day) -> None:
    with_account(day)
    domain = f"{day.name}.example"
    ask(day, "/zones", {"name": domain, "mode": "primary"})
    ask(
        day,
        f"/zones/{domain}/rrsets",
        {"name": "www", "type": "A", "records": [{"value": "192.0.2.9"}], "ttl": 300},
    )
    spec = {"provider": "cloud", "domain": domain, "adopt": True}
    item = {"kind": "dns_zone", "metadata": {"name": "main", "project": "shop"}, "spec": spec}
    day.works(f"apply -f {day.write('shop.json', item, record('www'))} --yes --no-wait")
    plans = day.owner.until(f"{day.where}/plans?state=held", lambda page: bool(page["items"]), "a held plan")
    day.works(f"approve {plans['items'][0]['id']} --reason 'they are ours' --yes")
    day.owner.ready(f"{day.shop}/dns_records/www")
    day.owner.ready(f"{day.shop}/dns_zones/main")


def ask(day: Day, path: str, body: object) -> None:
    asked = urllib.request.Request(  # noqa: S310 - the simulator
        f"{day.cloud}{path}",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {CLOUD_TOKEN}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(asked, timeout=30) as answer:  # noqa: S310 - the simulator
        assert answer.status < 300


def test_who_asked_with_others_is_told_who_approves_and_they_do(day: Day) -> None:
    """Two owners: whoever joined last has seen what the other asked for."""
    with_account(day)
    bob = day.installation.member(day.name, "bob", {"role": "owner"})
    file = day.write("shop.json", zone(day), *(record(f"r{n}") for n in range(8)))
    day.works(f"apply -f {file} --yes --owner shop --timeout 60")
    day.works(f"apply -f {day.write('shop.json', zone(day))} --yes --owner shop --prune --no-wait")
    day.owner.ready(f"{day.shop}/dns_zones/main", "HELD")
    bob.put(f"{day.shop}/dns_records/new", record("new")["spec"])
    held = f"{day.where}/plans?state=held"

    def both(page: dict[str, list[dict[str, str]]]) -> bool:
        return any("new/A" in str(day.owner.get(f"{day.where}/plans/{p['id']}").raw) for p in page["items"])

    plan = day.owner.until(held, both, "one plan of both")["items"][0]["id"]
    refused = day.run(f"approve {plan} --reason 'sure' --yes")
    assert refused.code != 0
    assert f"somebody else approves it: bob@{day.name}.example" in refused.err
    day.works(f"approve {plan} --reason 'seen' --yes", who=bob)
    day.owner.ready(f"{day.shop}/dns_zones/main")
