"""Takes over a domain that somebody else holds: by a second zone, another name of the account, or `adopt`."""

import json
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest

from .kit import CLOUD_TOKEN, Caller, Installation

AnyJson = Any
OURS = "192.0.2.1"
EVIL = "6.6.6.6"
DOMAIN = "victim.example"
NUMBERS = range(4)


@dataclass(frozen=True)
class Shop:
    """A project with a zone in step, at an account of its own."""

    installation: Installation
    organization: str
    cloud: str

    @property
    def project(self) -> str:
        return f"/v1/organizations/{self.organization}/projects/shop"

    @property
    def declarations(self) -> str:
        return f"/v1/organizations/{self.organization}/declarations"

    def zone(self, caller: Caller, organization: str, project: str, **spec: AnyJson) -> AnyJson:
        """The answer to declaring a second zone for the victim's domain."""
        where = f"/v1/organizations/{organization}/projects/{project}/dns_zones/mine"
        body = {"spec": {"provider": "hetzner", "domain": DOMAIN, **spec}}
        return caller.call("PUT", where, body)

    def records(self) -> dict[str, list[str]]:
        """What the provider answers for the victim's domain."""
        found = ask(f"{self.cloud}/zones/{DOMAIN}/rrsets?per_page=50")["rrsets"]
        kept = [each for each in found if each["type"] == "A"]
        return {each["name"]: [record["value"] for record in each["records"]] for each in kept}

    def untouched(self) -> bool:
        return self.records() == {f"r{number}": [OURS] for number in NUMBERS}


def ask(url: str) -> AnyJson:
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {CLOUD_TOKEN}"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - the simulator
        return json.load(answer)


def tell(url: str, method: str, body: AnyJson) -> None:
    """As somebody else who has the token of the account."""
    request = urllib.request.Request(  # noqa: S310 - the simulator
        url,
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {CLOUD_TOKEN}", "Content-Type": "application/json"},
        method=method,
    )
    with urllib.request.urlopen(request, timeout=30):  # noqa: S310 - as above
        pass


def account(installation: Installation, organization: str, endpoint: str, name: str = "hetzner") -> None:
    """A provider of this organization, proven."""
    admin, where = installation.admin, f"/v1/organizations/{organization}"
    admin.good("PUT", f"{where}/secrets/{name}", {"value": CLOUD_TOKEN})
    spec = {"family": "hetzner_cloud", "credential": f"secret://{name}", "endpoint": endpoint, "mode": "run"}
    admin.put(f"{where}/providers/{name}", spec)
    admin.ready(f"{where}/providers/{name}")


@pytest.fixture
def shop(installation: Installation, cloud: str) -> Iterator[Shop]:
    organization = installation.organization()
    project = installation.project(organization)
    account(installation, organization, cloud)
    admin = installation.admin
    admin.put(f"{project}/dns_zones/victim", {"provider": "hetzner", "domain": DOMAIN})
    for number in NUMBERS:
        spec = {"zone": "victim", "name": f"r{number}", "type": "A", "values": [OURS]}
        admin.put(f"{project}/dns_records/r{number}", spec)
    for number in NUMBERS:
        admin.ready(f"{project}/dns_records/r{number}")
    found = Shop(installation, organization, cloud)
    assert found.untouched()
    yield found
    assert found.untouched()
    assert admin.ready(f"{project}/dns_zones/victim")


@pytest.mark.parametrize("domain", [DOMAIN, "VICTIM.example", f"{DOMAIN}.", "Victim.EXAMPLE."])
def test_a_second_zone_of_the_same_domain_is_refused_and_its_owner_is_not_told(
    shop: Shop, domain: str
) -> None:
    shop.installation.project(shop.organization, "blog")
    contractor = shop.installation.service(shop.organization, "member", project="blog")
    refused = shop.zone(contractor, shop.organization, "blog", domain=domain)
    assert refused.status == 422, refused
    assert [each["code"] for each in refused.body["errors"]] == ["claimed"]
    assert "shop" not in refused.body["errors"][0]["message"]
    told = shop.zone(shop.installation.admin, shop.organization, "blog", domain=domain)
    assert "dns_zone victim in" in told.body["errors"][0]["message"]


@pytest.mark.parametrize("domain", [f"login.{DOMAIN}", f"a.b.{DOMAIN}", "above.example"])
def test_a_zone_around_or_below_that_of_another_project_needs_rights_over_both(
    shop: Shop, domain: str
) -> None:
    """The same name servers answer for both: from the more specific zone."""
    admin, home = shop.installation.admin, f"/v1/organizations/{shop.organization}"
    shop.installation.project(shop.organization, "blog")
    admin.put(f"{shop.project}/dns_zones/deep", {"provider": "hetzner", "domain": "in.above.example"})
    callers = {
        project: shop.installation.service(shop.organization, "member", project=project)
        for project in ("blog", "shop")
    }
    item = {"kind": "dns_zone", "metadata": {"name": "mine", "project": "blog"}}
    item["spec"] = {"provider": "hetzner", "domain": domain}
    refused = [
        shop.zone(callers["blog"], shop.organization, "blog", domain=domain),
        callers["blog"].call("POST", f"{home}/declarations", {"items": [item]}),
        callers["blog"].call("POST", f"{home}/plans", {"items": [item]}),
    ]
    for each in refused:
        assert each.status == 422, each
        assert [wrong["code"] for wrong in each.body["errors"]] == ["claimed"]
        assert "shop" not in each.body["errors"][0]["message"]
    # Who may change the zone delegates: a member in its own project, an owner between two, both in one file.
    assert shop.zone(callers["shop"], shop.organization, "shop", domain=domain).status == 200
    admin.good("DELETE", f"{shop.project}/dns_zones/mine")
    admin.until(shop.project, lambda _: admin.get(f"{shop.project}/dns_zones/mine").status == 404)
    owner = shop.installation.service(shop.organization, "owner")
    victim = {"kind": "dns_zone", "metadata": {"name": "victim", "project": "shop"}}
    victim["spec"] = {"provider": "hetzner", "domain": DOMAIN}
    for _ in range(2):
        owner.good("POST", f"{home}/declarations", {"items": [item, victim], "owner": "both"})
    # What is there is its project's: it is changed by who may change it there.
    again = callers["blog"].call(
        "PATCH", f"{home}/projects/blog/dns_zones/mine", {"metadata": {"labels": {"a": "b"}}}
    )
    assert again.status == 200, again


@pytest.mark.parametrize("spelling", ["127.0.0.1", "LocalHost"])
def test_another_organization_with_the_same_account_is_refused(shop: Shop, spelling: str) -> None:
    other = shop.installation.organization("other")
    shop.installation.project(other, "theirs")
    account(shop.installation, other, f"http://{spelling}:{urlsplit(shop.cloud).port}/v1/")
    owner = shop.installation.service(other, "owner")
    refused = shop.zone(owner, other, "theirs", adopt=True)
    assert refused.status == 422, refused
    assert "claimed elsewhere in this installation" in refused.body["errors"][0]["message"]
    part = shop.zone(owner, other, "theirs", domain=f"login.{DOMAIN}")
    assert part.status == 422, part


def test_a_zone_declared_before_its_account_is_known_fails_and_adds_nothing(shop: Shop) -> None:
    other = shop.installation.organization("other")
    project = shop.installation.project(other, "theirs")
    account(shop.installation, other, f"http://localhost:{urlsplit(shop.cloud).port}/v1/", "own")
    admin = shop.installation.admin
    provider = f"/v1/organizations/{other}/providers/hetzner"
    spec = {"family": "hetzner_cloud", "endpoint": f"http://localhost:{urlsplit(shop.cloud).port}/v1"}
    admin.put(provider, {**spec, "credential": "secret://own", "mode": "run"})
    made = shop.zone(admin, other, "theirs")
    if made.status < 300:  # Else the account was proven first, and the declaration was refused.
        evil = {"zone": "mine", "name": "login", "type": "A", "values": [EVIL]}
        admin.put(f"{project}/dns_records/login", evil)
        admin.until(
            f"{project}/dns_zones/mine",
            lambda each: "claimed elsewhere in this installation" in each["status"]["reason"],
        )
        assert admin.get(f"{project}/dns_zones/mine").body["status"]["state"] == "FAILED"
        admin.good("DELETE", f"{project}/dns_zones/mine?cascade=true")
        admin.until(project, lambda _: admin.get(f"{project}/dns_zones/mine").status == 404)
    assert "login" not in shop.records()


@pytest.mark.parametrize("labels", [{}, {"managed-by": "somebody"}], ids=["none", "others"])
def test_a_zone_is_not_ready_while_others_have_its_records(
    installation: Installation, cloud: str, labels: dict[str, str]
) -> None:
    """Marks are stripped or overwritten at the provider, and values with them."""
    organization = installation.organization()
    project, admin = installation.project(organization), installation.admin
    account(installation, organization, cloud)
    admin.put(f"{project}/dns_zones/victim", {"provider": "hetzner", "domain": DOMAIN})
    spec = {"zone": "victim", "name": "www", "type": "A", "values": [OURS]}
    admin.put(f"{project}/dns_records/www", spec)
    admin.ready(f"{project}/dns_records/www")
    admin.ready(f"{project}/dns_zones/victim")
    where = f"{cloud}/zones/{DOMAIN}/rrsets/www/A"
    tell(f"{where}/actions/set_records", "POST", {"records": [{"value": EVIL}]})
    tell(where, "PUT", {"labels": labels})
    said = "0 of 1 records as declared"  # Before the marks go, it is a record of ours that differs.
    zone = admin.until(f"{project}/dns_zones/victim", lambda one: one["status"]["reason"].startswith(said))
    record = admin.get(f"{project}/dns_records/www").body
    assert "READY" not in (zone["status"]["state"], record["status"]["state"]), record["status"]


def test_adopting_needs_the_right_to_execute(shop: Shop) -> None:
    project = shop.installation.project(shop.organization, "blog")
    contractor = shop.installation.service(shop.organization, "member", project="blog")
    refused = shop.zone(contractor, shop.organization, "blog", domain="own.example", adopt=True)
    assert refused.status == 403, refused
    assert [each["code"] for each in refused.body["errors"]] == ["forbidden"]
    assert shop.zone(contractor, shop.organization, "blog", domain="own.example").status < 300
    patched = contractor.call("PATCH", f"{project}/dns_zones/mine", {"spec": {"adopt": True}})
    assert patched.status == 403, patched


def test_a_zone_leaves_its_domain_to_the_next_one(shop: Shop) -> None:
    admin, project = shop.installation.admin, shop.installation.project(shop.organization, "blog")
    assert shop.zone(admin, shop.organization, "blog", domain="next.example").status < 300
    admin.ready(f"{project}/dns_zones/mine")
    admin.good("DELETE", f"{project}/dns_zones/mine")
    admin.until(project, lambda _: admin.get(f"{project}/dns_zones/mine").status == 404)
    assert shop.zone(admin, shop.organization, "shop", domain="next.example").status < 300
    admin.ready(f"{shop.project}/dns_zones/mine")


def test_what_says_where_a_thing_is_stays(shop: Shop) -> None:
    admin, zone = shop.installation.admin, f"{shop.project}/dns_zones/victim"
    account(shop.installation, shop.organization, shop.cloud, "second")
    for spec in ({"domain": "moved.example"}, {"provider": "second"}):
        patched = admin.call("PATCH", zone, {"spec": spec})
        whole = {"provider": "hetzner", "domain": DOMAIN, **spec}
        put = admin.call("PUT", zone, {"spec": whole})
        item = {"kind": "dns_zone", "metadata": {"name": "victim", "project": "shop"}, "spec": whole}
        together = [
            admin.call(
                "POST", f"/v1/organizations/{shop.organization}/declarations", {"items": [item], **dry}
            )
            for dry in ({}, {"dry_run": True})
        ]
        for refused in (patched, put, *together):
            assert refused.status == 422, refused
            assert "immutable" in [each["code"] for each in refused.body["errors"]]
    assert admin.call("PATCH", zone, {"spec": {"domain": "VICTIM.example."}}).status < 300
