"""Objects, labels and errors that are far too large are refused with the bound, and memory stays small."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from .conftest import STORES
from .kit import Installation
from .test_connections import bounded, until

FULL = os.environ.get("SETPOINT_ATTACK") == "full"
MEGABYTE = 1024 * 1024


def resident(installation: Installation) -> int:
    """Megabytes in memory, of all processes of the control plane together."""
    stated = (Path(f"/proc/{process.pid}/status").read_text() for process in installation.processes)
    return sum(int(found[1]) for text in stated if (found := re.search(r"VmRSS:\s+(\d+)", text))) // 1024


def record(zone: str, *values: str, **metadata: Any) -> dict[str, Any]:
    return {
        "spec": {"zone": zone, "name": "www", "type": "TXT", "values": list(values)},
        "metadata": metadata,
    }


def zone_in(installation: Installation) -> tuple[str, str]:
    """A project with a zone whose account is not reached; returns the project's address and the zone."""
    organization = installation.organization()
    project = installation.project(organization)
    where = f"/v1/organizations/{organization}"
    spec = {"family": "hetzner_cloud", "credential": "secret://none", "mode": "observe"}
    installation.admin.put(f"{where}/providers/cloud", spec)
    installation.admin.put(f"{project}/dns_zones/main", {"provider": "cloud", "domain": "example.org"})
    return project, "main"


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({"k": "x" * 257}, "value of this label has 257 bytes; at most 256"),
        ({"k" * 129: "x"}, "key of this label has 129 bytes; at most 128"),
        ({"k": "🦄" * 65}, "value of this label has 260 bytes; at most 256"),
        ({f"k{n}": "x" for n in range(65)}, "65 labels; an object has at most 64"),
        ({"k": "x" * (3 * MEGABYTE)}, "at most 256"),
    ],
    ids=["value", "key", "bytes", "count", "megabytes"],
)
def test_labels_have_bounds_however_they_are_sent(
    installation: Installation, labels: dict[str, str], said: str
) -> None:
    """By every verb and on every level: an organization, a project, a kind in it, one file."""
    organization = installation.organization()
    project = installation.project(organization)
    where = f"/v1/organizations/{organization}"
    admin, body = installation.admin, {"spec": {}, "metadata": {"labels": labels}}
    many = {"items": [{"kind": "project", "metadata": {"name": "more", "labels": labels}, "spec": {}}]}
    asked = [
        ("PUT", f"{where}/projects/other", body),
        ("PATCH", project, {"metadata": {"labels": labels}}),
        ("PATCH", where, {"metadata": {"labels": labels}}),
        ("POST", f"{where}/projects", {"spec": {}, "metadata": {"name": "third", "labels": labels}}),
        ("POST", f"{where}/declarations", many),
        ("POST", f"{where}/declarations?dry_run=true", many),
        ("POST", f"{where}/plans", many),
    ]
    for method, path, sent in asked:
        answer = admin.call(method, path, sent)
        assert answer.status == 422, f"{method} {path}: {answer}"
        assert said in answer.raw.decode(), f"{method} {path}: {answer}"


def test_an_object_has_a_bound_and_a_large_one_fits(installation: Installation) -> None:
    project, zone = zone_in(installation)
    where = f"{project}/dns_records/much"
    fits = record(zone, *(f"v=verification-{number:05d}" for number in range(2_000)))
    assert installation.admin.call("PUT", where, fits).status == 200
    much = record(zone, *(f"{number:04000d}" for number in range(20)))
    answer = installation.admin.call("PUT", where, much)
    assert answer.status == 422, answer
    assert "an object has at most 65536" in answer.raw.decode()
    label = {"metadata": {"labels": {"small": "patch"}}}
    assert installation.admin.call("PATCH", where, label).status == 200


def test_many_mistakes_do_not_make_a_long_answer(installation: Installation) -> None:
    organization = installation.organization()
    sent = {"items": [{"a": 1, "b": 2, "c": 3} for _ in range(9_000)]}
    answer = installation.admin.call("POST", f"/v1/organizations/{organization}/declarations", sent)
    assert answer.status == 422, answer
    assert len(answer.body["errors"]) <= 1_000
    assert int(answer.body["detail"].split(" ")[0]) >= 9_000 * 4


def test_memory_stays_small_under_large_objects(installation: Installation) -> None:
    """A member sends as much as fits into one body, many times, and lists it."""
    project, zone = zone_in(installation)
    organization = project.split("/")[3]
    member = installation.service(organization, "member", project="shop")
    before = resident(installation)

    def declare(number: int) -> int:
        big = record(zone, "x", labels={"k": "x" * (3 * MEGABYTE)})
        status = member.call("PUT", f"{project}/dns_records/huge{number}", big).status
        values = [f"{number:05d}{value:03900d}" for value in range(15)]
        return status, member.call("PUT", f"{project}/dns_records/big{number}", record(zone, *values)).status

    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(declare, range(40 if FULL else 8)))
        list(pool.map(lambda _: member.every(f"{project}/dns_records"), range(4)))
    after = resident(installation)
    print(f"resident {before} -> {after} MB")  # noqa: T201
    assert {first for first, _ in found} == {422}
    assert after - before < 300, f"{before} -> {after} MB"


def test_what_is_said_beside_objects_has_bounds_however_it_is_sent(installation: Installation) -> None:
    """Owner, reason and purpose are copied into each object, event and line of audit."""
    project, _ = zone_in(installation)
    organization = project.split("/")[3]
    member = installation.service(organization, "member", project="shop")
    where, much = f"/v1/organizations/{organization}", "x" * (3 * MEGABYTE)
    items = [
        {"kind": "monitoring_object", "metadata": {"name": f"m{n}", "project": "shop"}} for n in range(9)
    ]
    items = [{**item, "spec": {"probe": "tcp", "target": "192.0.2.1:80"}} for item in items]
    zone = f"{project}/dns_zones/main"
    asked = [
        (member, "POST", f"{where}/declarations", {"items": items, "owner": much}, "/owner"),
        (member, "POST", f"{where}/declarations?dry_run=true", {"items": items, "owner": much}, "/owner"),
        (member, "POST", f"{where}/plans", {"items": items, "owner": much}, "/owner"),
        (installation.admin, "POST", f"{zone}:pause", {"reason": much}, "/reason"),
        (installation.admin, "POST", f"{zone}:protect", {"reason": much, "item": "x" * 10_000}, "/reason"),
        (installation.admin, "PUT", f"/v1/switches/scope:{organization}", {"reason": much}, "/reason"),
        (installation.admin, "POST", f"{where}:standing", {"reason": much}, "/reason"),
        (installation.admin, "POST", f"{where}/tokens", {"name": "t", "about": much}, "/about"),
    ]

    def told() -> list[Any]:
        """What people did, and the credentials there are; loops go on telling what they do."""
        lines = installation.admin.every(f"{where}/audit")
        people = [line for line in lines if line["actor"] != "setpoint"]
        return [*people, *(token["id"] for token in installation.admin.every(f"{where}/tokens"))]

    before = told()
    for who, method, path, body, pointer in asked:
        answer = who.call(method, path, body)
        assert answer.status == 422, f"{method} {path}: {answer}"
        said = {each["pointer"]: each["message"] for each in answer.body["errors"]}
        assert f"{3 * MEGABYTE} bytes; at most" in said[pointer], f"{method} {path}: {answer}"
    assert told() == before
    assert "x" * 5_000 not in str(
        [installation.admin.every(f"{where}/{name}") for name in ("audit", "events")]
    )
    member.good("POST", f"{where}/declarations", {"items": items, "owner": "o" * 255})
    installation.admin.good("POST", f"{zone}:pause", {"reason": "w" * 2_000})


@pytest.mark.parametrize("store", STORES)
def test_an_organization_has_so_many_objects_and_bytes_and_no_more(store: str, tmp_path: Path) -> None:
    """By one file and one by one; who is full may still change, make smaller and delete."""
    most = {"SETPOINT_ORGANIZATION_OBJECTS": "10", "SETPOINT_ORGANIZATION_BYTES": "20000"}
    with bounded(store, tmp_path, **most) as installation:
        admin, organization, other = (
            installation.admin,
            installation.organization(),
            installation.organization(),
        )
        where = f"/v1/organizations/{organization}"
        items = [{"kind": "project", "metadata": {"name": f"p{n}"}, "spec": {}} for n in range(11)]
        refused = admin.call("POST", f"{where}/declarations", {"items": items})
        assert refused.status == 422, refused
        assert "11 objects; at most 10 fit" in str(refused)
        admin.good("POST", f"{where}/declarations", {"items": items[:10]})
        refused = admin.call("PUT", f"{where}/projects/more", {"spec": {}})
        assert refused.body["code"] == "too_much_declared", refused
        large = {"metadata": {"labels": {f"k{n}": "x" * 256 for n in range(60)}}}
        admin.good("PATCH", f"{where}/projects/p1", large)
        refused = admin.call("PATCH", f"{where}/projects/p2", large)
        assert "bytes of declarations; at most 20000 fit" in str(refused), refused
        admin.good("PATCH", f"{where}/projects/p1", {"spec": {"title": "changed"}})
        admin.good("PATCH", f"{where}/projects/p1", {"metadata": {"labels": None}})
        admin.good("PUT", f"/v1/organizations/{other}/projects/more", {"spec": {}})
        admin.call("DELETE", f"{where}/projects/p9")
        until(lambda: admin.get(f"{where}/projects/p9").status == 404, "p9 is still there")
        admin.good("PUT", f"{where}/projects/more", {"spec": {}})


def test_an_organization_keeps_so_many_dry_runs_and_no_more(installation: Installation) -> None:
    """Each is as large as what it proposes: 2,000 items are 0.7 MB."""
    organization = installation.organization()
    where, most = f"/v1/organizations/{organization}", 100
    items = [{"kind": "project", "metadata": {"name": "x"}, "spec": {}}]
    member = installation.service(organization, "owner")

    def ask(_: int) -> str:
        asked = member.call("POST", f"{where}/plans", {"items": items})
        assert asked.status in (202, 429), asked
        return str(asked.body["id"]) if asked.status == 202 else ""

    with ThreadPoolExecutor(8) as pool:
        asked = [identity for identity in pool.map(ask, range(most + 30)) if identity]
    until(lambda: not member.every(f"{where}/plans?state=asked"), "some are not answered")
    asked.append(ask(0))  # Those that were answered side by side may have left a few more.
    until(lambda: not member.every(f"{where}/plans?state=asked"), "the last one is not answered")
    kept = {each["id"] for each in member.every(f"{where}/plans")}
    assert len(kept) == min(len(asked), most)
    assert max(asked) in kept
    if len(asked) > most:
        assert member.get(f"{where}/plans/{min(asked)}").status == 404
