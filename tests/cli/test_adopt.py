"""`setpoint adopt`: what is ours by its mark becomes declared; a table of it, and what to do next."""

import json

import pytest

from client.scripted import Told

from .conftest import Shell
from .fake import FakeApi, thing

ZONE = "/v1/organizations/acme/projects/shop/dns_zones/shop-zone"
SWITCHES = "/v1/switches"


@pytest.fixture(autouse=True)
def listing(api: FakeApi) -> None:
    """A zone whose last pass listed two hosts: in this world zones do."""
    api.objects += [thing("dns_zone", "shop-zone", "acme/shop"), thing("host", "db")]
    adopted = [thing("host", name) for name in ("web-1", "web-2")]
    api.answers["POST", f"{ZONE}:adopt"] = Told(body={"items": adopted})


def sent(api: FakeApi) -> list[tuple[str, object]]:
    return [(asked.path, asked.body) for asked in api.asked if asked.method == "POST"]


def test_what_was_adopted_is_a_table_and_the_next_command_follows(setpoint: Shell, api: FakeApi) -> None:
    found = setpoint("adopt", "dns_zone", "shop-zone")
    assert found.code == 0, found.err
    assert found.out.splitlines() == [
        "ADOPTED     IN              REF",
        "host/web-1  acme/shop/prod  host/web-1-id",
        "host/web-2  acme/shop/prod  host/web-2-id",
    ]
    assert found.err == "  next: setpoint get hosts\n"
    assert sent(api) == [(f"{ZONE}:adopt", {})]


def test_where_everything_is_paused_resuming_is_next(setpoint: Shell, api: FakeApi) -> None:
    api.answers["GET", SWITCHES] = Told(body={"items": [{"key": "all", "mode": "observe"}]})
    assert "  next: setpoint resume --all\n" in setpoint("adopt", "dns_zone/shop-zone").err


def test_names_and_the_place_are_handed_on(setpoint: Shell, api: FakeApi) -> None:
    setpoint("adopt", "dns_zone/shop-zone", "web-1", "web-2", "--into", "shop/prod")
    into = {"project": "shop", "workspace": "prod"}
    assert sent(api) == [(f"{ZONE}:adopt", {"names": ["web-1", "web-2"], "into": into})]


def test_for_programs_it_is_a_list_of_objects(setpoint: Shell) -> None:
    found = setpoint("adopt", "dns_zone", "shop-zone", "-o", "json")
    assert [one["metadata"]["name"] for one in json.loads(found.out)["items"]] == ["web-1", "web-2"]
    assert setpoint("adopt", "dns_zone", "shop-zone", "-o", "name").out == "host/web-1\nhost/web-2\n"


def test_every_mistake_is_told(setpoint: Shell, api: FakeApi) -> None:
    errors = [{"pointer": f"/names/{n}", "code": "taken", "message": f"web-{n} is declared"} for n in (1, 2)]
    problem = {"detail": "2 mistakes; nothing was stored", "code": "invalid", "errors": errors}
    api.answers["POST", f"{ZONE}:adopt"] = Told(422, problem)
    found = setpoint("adopt", "dns_zone", "shop-zone")
    assert found.code == 2
    assert [line in found.err for line in ("web-1 is declared", "web-2 is declared")] == [True, True]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("adopt",), "required"),
        (("adopt", "dns_zone"), "needs a kind and a name"),
        (("adopt", "dns_zone/shop-zone", "--into", "shop/"), "is not PROJECT/WORKSPACE"),
        (("adopt", "host", "db"), "a host lists nothing to adopt; dns_zone do"),
    ],
)
def test_words_that_mean_nothing_are_refused(
    setpoint: Shell, api: FakeApi, command: tuple[str, ...], says: str
) -> None:
    found = setpoint(*command)
    assert (found.code, sent(api)) == (2, [])
    assert says in found.err


def test_its_help_teaches(setpoint: Shell) -> None:
    text = setpoint("adopt", "--help").out
    for word in ("setpoint adopt provider hetzner", "--into", "no server is touched"):
        assert word in text
