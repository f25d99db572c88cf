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
