"""One person asks with one credential and approves with another."""

from collections.abc import Sequence

import pytest

from .kit import CLOUD_TOKEN, Answer, Caller, Installation

RECORDS = [
    {
        "kind": "dns_record",
        "metadata": {"name": f"r{number}", "project": "shop"},
        "spec": {"zone": "zone", "name": f"r{number}", "type": "A", "values": [f"192.0.2.{number}"]},
    }
    for number in range(8)
]


def held(installation: Installation, asker: Caller, name: str, cloud: str) -> str:
    """The address of a plan that deletes every record of a zone, asked for by somebody."""
    where, admin = f"/v1/organizations/{name}", installation.admin
    admin.good("PUT", f"{where}/secrets/cloud", {"value": CLOUD_TOKEN})
    spec = {"family": "hetzner_cloud", "credential": "secret://cloud", "endpoint": cloud, "mode": "run"}
    admin.put(f"{where}/providers/cloud", spec)
    admin.ready(f"{where}/providers/cloud")
    zone = f"{where}/projects/shop/dns_zones/zone"
    admin.put(zone, {"provider": "cloud", "domain": f"{name}.example"})
    items = {"items": RECORDS, "owner": "file", "prune": True}
    asker.good("POST", f"{where}/declarations", items)
    admin.ready(zone)
    asker.good("POST", f"{where}/declarations", {**items, "items": []})
    admin.ready(zone, "HELD")
    plans = admin.until(f"{where}/plans?state=held", lambda page: bool(page["items"]), "a held plan")
    return f"{where}/plans/{plans['items'][0]['id']}"


def approve(plan: str, caller: Caller) -> Answer:
    digest = caller.good("GET", plan)["digest"]
    return caller.call("POST", f"{plan}:approve", {"digest": digest, "reason": "quite sure"})


@pytest.mark.parametrize("steps", [1, 3])
def test_a_token_is_the_person_who_made_it(installation: Installation, cloud: str, steps: int) -> None:
    name = installation.organization()
    installation.project(name)
    ann = installation.member(name, "ann", {"role": "owner"})
    bob = installation.member(name, "bob", {"role": "owner"})
    chain: Sequence[Caller] = [ann]
    for _ in range(steps):
        chain = [*chain, token(installation, chain[-1], name)]
    plain = token(installation, bob, name, may_approve=False)
    plan = held(installation, chain[-1], name, cloud)
    for each in chain:
        refused = approve(plan, each)
        assert refused.status == 403, refused
        assert "somebody else approves it" in refused.body["detail"]
    refused = approve(plan, plain)
    assert (refused.status, refused.body["detail"][-28:]) == (403, "that was not made to approve")
    other = token(installation, bob, name)
    assert approve(plan, other if steps == 1 else bob).status == 200


def token(installation: Installation, maker: Caller, name: str, *, may_approve: bool = True) -> Caller:
    body = {"name": "bot", "role": "owner", "may_approve": may_approve}
    where = f"/v1/organizations/{name}/tokens"
    if maker.call("POST", where, body).status == 422:  # Of a version where every token may.
        body.pop("may_approve")
    made = maker.good("POST", where, body)
    return installation.with_token(made["token"])


def test_no_token_is_called_as_the_installation_is_in_evidence(installation: Installation) -> None:
    name = installation.organization()
    ann = installation.member(name, "ann", {"role": "owner"})
    for taken in ("administrator", "restore", "setpoint", "scheduler"):
        refused = ann.call("POST", f"/v1/organizations/{name}/tokens", {"name": taken, "role": "owner"})
        assert (refused.status, refused.body.get("code")) == (422, "bad_token_request")
