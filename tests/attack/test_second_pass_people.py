"""One person asks, somebody else writes something harmless on top of it, and the one who asked approves."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from .kit import CLOUD_TOKEN, Answer, Caller, Installation

COUNT = 8
Harmless = Callable[[Caller, str], object]


def record(number: int) -> dict[str, object]:
    return {"zone": "zone", "name": f"r{number}", "type": "A", "values": ["192.0.2.1"]}


def items(count: int) -> list[dict[str, object]]:
    return [
        {"kind": "dns_record", "metadata": {"name": f"r{n}", "project": "shop"}, "spec": record(n)}
        for n in range(count)
    ]


HARMLESS: dict[str, Harmless] = {
    "another record": lambda who, project: who.put(f"{project}/dns_records/new", record(99)),
    "a label on the zone": lambda who, project: who.call(
        "PATCH", f"{project}/dns_zones/zone", {"metadata": {"labels": {"team": "a"}}}
    ),
    "another file": lambda who, project: who.good(
        "POST",
        f"/v1/organizations/{project.split('/')[3]}/declarations",
        {"items": [{**items(1)[0], "metadata": {"name": "y", "project": "shop"}, "spec": record(98)}]},
    ),
}


def zone(installation: Installation, name: str, cloud: str) -> str:
    """The project of a zone that is in step with no records yet."""
    where, admin, project = f"/v1/organizations/{name}", installation.admin, installation.project(name)
    admin.good("PUT", f"{where}/secrets/cloud", {"value": CLOUD_TOKEN})
    spec = {"family": "hetzner_cloud", "credential": "secret://cloud", "endpoint": cloud, "mode": "run"}
    admin.put(f"{where}/providers/cloud", spec)
    admin.ready(f"{where}/providers/cloud")
    admin.put(f"{project}/dns_zones/zone", {"provider": "cloud", "domain": f"{name}.example"})
    admin.ready(f"{project}/dns_zones/zone")
    return project


def approve(plan: str, caller: Caller) -> Answer:
    digest = caller.good("GET", plan)["digest"]
    return caller.call("POST", f"{plan}:approve", {"digest": digest, "reason": "quite sure"})


def held_with(installation: Installation, name: str, *parts: str) -> str:
    """The held plan that speaks of all these items."""
    where, found = f"/v1/organizations/{name}/plans", []

    def there(page: dict[str, list[dict[str, str]]]) -> bool:
        for each in page["items"]:
            text = str(installation.admin.get(f"{where}/{each['id']}:changes?page_size=200").raw)
            if all(part in text for part in parts):
                found.append(f"{where}/{each['id']}")
        return bool(found)

    installation.admin.until(f"{where}?state=held", there, f"a held plan with {parts}")
    return found[-1]


@pytest.mark.parametrize("early", [False, True], ids=["while it is held", "before it is looked at"])
@pytest.mark.parametrize("way", HARMLESS)
def test_what_somebody_else_writes_on_top_makes_nobody_a_second_person(
    installation: Installation, cloud: str, way: str, *, early: bool
) -> None:
    name = installation.organization()
    project = zone(installation, name, cloud)
    ann, bob, eve = (installation.member(name, who, {"role": "owner"}) for who in ("ann", "bob", "eve"))
    file, paused = f"/v1/organizations/{name}/declarations", f"{project}/dns_zones/zone"
    ann.good("POST", file, {"items": items(COUNT), "owner": "file", "prune": True})
    for number in range(COUNT):
        installation.admin.ready(f"{project}/dns_records/r{number}")
    installation.admin.ready(f"{project}/dns_zones/zone")
    if early:
        installation.admin.good("POST", f"{paused}:pause", {"reason": "a look first"})
    ann.good("POST", file, {"items": [], "owner": "file", "prune": True})
    if not early:
        held_with(installation, name, "r0/A")
    HARMLESS[way](bob, project)
    if early:
        installation.admin.good("POST", f"{paused}:resume")
    more = {"another record": ("r99/A",), "another file": ("r98/A",)}.get(way, ())
    plan = held_with(installation, name, "r0/A", *more)
    refused = approve(plan, ann)
    assert refused.status == 403, refused
    assert "somebody else approves it" in refused.body["detail"]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: approve(plan, eve), range(4)))
    assert 200 in [each.status for each in answers], answers
    lines = installation.admin.every(f"/v1/organizations/{name}/audit")
    assert [line["action"] for line in lines].count("plan.approved") == 1
