"""A protection goes only by somebody's own word: no write that leaves it out takes it off."""

import json
from pathlib import Path

from .kit import CLOUD_TOKEN, Caller, Installation

RECORD = {"type": "A", "values": ["192.0.2.1"]}
PATCH = {"Content-Type": "application/merge-patch+json"}


def protected(caller: Caller, where: str) -> bool:
    return bool(caller.good("GET", where)["metadata"]["protected"])


def actions(installation: Installation, organization: str) -> list[str]:
    lines = installation.admin.every(f"/v1/organizations/{organization}/audit")
    return [str(line["action"]) for line in lines]


def test_writes_of_a_member_that_do_not_mention_it_keep_a_protection(
    installation: Installation, tmp_path: Path
) -> None:
    name = installation.organization()
    project = installation.project(name)
    where, spec = f"{project}/monitoring_objects/front", {"probe": "http", "target": "http://192.0.2.9/"}
    member = installation.service(name, "member")
    installation.admin.put(where, spec, protected=True)
    item = {"kind": "monitoring_object", "metadata": {"name": "front", "project": "shop"}, "spec": spec}
    file = tmp_path / "shop.json"
    file.write_text(f'{{"items": [{json.dumps(item)}]}}')
    ways = {
        "PUT": lambda: member.call("PUT", where, {"spec": spec}).status,
        "PUT with labels": lambda: (
            member.call("PUT", where, {"spec": spec, "metadata": {"labels": {"a": "b"}}}).status
        ),
        "PATCH null": lambda: (
            member.call("PATCH", where, {"metadata": {"protected": None}}, headers=PATCH).status
        ),
        "PATCH metadata null": lambda: member.call("PATCH", where, {"metadata": None}, headers=PATCH).status,
        "declarations": lambda: (
            member.call("POST", f"/v1/organizations/{name}/declarations", {"items": [item]}).status
        ),
        "another owner": lambda: (
            member.call(
                "POST", f"/v1/organizations/{name}/declarations", {"items": [item], "owner": "x.yaml"}
            ).status
        ),
        "apply": lambda: (
            200 + member.cli("apply", "-f", str(file), "--yes", "--no-wait", organization=name).code
        ),
    }
    for way, write in ways.items():
        assert write() == 200, way
        assert protected(member, where), way
    for body in ({"spec": spec, "metadata": {"protected": False}},):
        refused = member.call("PUT", where, body)
        assert (refused.status, protected(member, where)) == (403, True), refused
    assert member.call("POST", f"{where}:release", {"reason": "x", "protection": True}).status == 403
    assert protected(member, where)
    assert "intent.unprotected" not in actions(installation, name)


def test_who_may_takes_a_protection_off_and_the_audit_says_so(installation: Installation) -> None:
    name = installation.organization()
    project = installation.project(name)
    where = f"{project}/monitoring_objects/front"
    installation.admin.put(where, {"probe": "http", "target": "http://192.0.2.9/"}, protected=True)
    operator = installation.service(name, "operator")
    refused = operator.call("DELETE", where)
    assert refused.status == 409
    command = 'setpoint release monitoring_object front --protection --reason "WHY"'
    assert command in refused.body["detail"]
    words = ["release", "monitoring_object", "front", "--protection", "--reason", "it moved"]
    done = operator.cli(*words, organization=name)
    assert (done.code, protected(operator, where)) == (0, False), done
    assert actions(installation, name).count("intent.unprotected") == 1
    assert operator.call("DELETE", where).status == 202


def test_a_protected_project_outlives_the_file_that_leaves_it_out(installation: Installation) -> None:
    name = installation.organization()
    installation.project(name, "other")
    file = f"/v1/organizations/{name}/declarations"
    body = {"items": [{"kind": "project", "metadata": {"name": "shop"}, "spec": {}}], "owner": "all.yaml"}
    installation.admin.good("POST", file, body)
    where = f"/v1/organizations/{name}/projects/shop"
    installation.admin.put(where, {}, protected=True)
    installation.admin.good("POST", file, {"items": [], "owner": "all.yaml", "prune": True})
    held = installation.admin.ready(where, "HELD")
    assert "protected; declare it, or run setpoint release project shop" in held["status"]["reason"]


def zones(installation: Installation, cloud: str) -> tuple[str, str]:
    """An organization with two zones, a protected record in one and another one that is not, all in step."""
    name = installation.organization("named")
    project, admin = installation.project(name), installation.admin
    admin.good("PUT", f"/v1/organizations/{name}/secrets/own", {"value": CLOUD_TOKEN})
    account = {"family": "hetzner_cloud", "credential": "secret://own", "endpoint": cloud, "mode": "run"}
    admin.put(f"/v1/organizations/{name}/providers/own", account)
    for zone in "ab":
        admin.put(f"{project}/dns_zones/{zone}", {"provider": "own", "domain": f"{zone}.{name}.example"})
    admin.put(f"{project}/dns_records/kept", {"zone": "a", "name": "kept", **RECORD}, protected=True)
    admin.put(f"{project}/dns_records/free", {"zone": "a", "name": "free", **RECORD})
    for each in ("dns_records/kept", "dns_records/free", "dns_zones/b"):
        admin.ready(f"{project}/{each}")
    return name, project


def test_a_protected_record_does_not_go_by_a_new_name(installation: Installation, cloud: str) -> None:
    name, project = zones(installation, cloud)
    member, record = installation.service(name, "member"), f"{project}/dns_records/kept"
    for spec in ({"name": "other"}, {"zone": "b"}, {"type": "TXT", "values": ["x"]}):
        whole = {"zone": "a", "name": "kept", **RECORD, **spec}
        item = {"kind": "dns_record", "metadata": {"name": "kept", "project": "shop"}, "spec": whole}
        answers = [
            member.call("PATCH", record, {"spec": spec}, headers=PATCH),
            member.call("PUT", record, {"spec": whole}),
            member.call("POST", f"/v1/organizations/{name}/declarations", {"items": [item]}),
        ]
        for refused in answers:
            assert refused.status == 422, refused
            [error] = refused.body["errors"]
            assert error["code"] == "protected"
            assert 'setpoint release dns_record kept --protection --reason "WHY"' in error["message"]
    after = member.good("GET", record)["spec"]
    assert (after["zone"], after["name"], after["type"]) == ("a", "kept", "A")


def test_values_change_and_names_of_what_is_not_protected_do_too(
    installation: Installation, cloud: str
) -> None:
    name, project = zones(installation, cloud)
    member, record = installation.service(name, "member"), f"{project}/dns_records/kept"
    operator = installation.service(name, "operator")
    changed, moved = {"values": ["192.0.2.2"]}, {"name": "freed", "zone": "b"}
    assert member.call("PATCH", record, {"spec": changed}, headers=PATCH).status == 200
    free = f"{project}/dns_records/free"
    assert member.call("PATCH", free, {"spec": moved}, headers=PATCH).status == 200
    words = ["release", "dns_record", "kept", "--protection", "--reason", "it moved"]
    assert operator.cli(*words, organization=name).code == 0
    assert member.call("PATCH", record, {"spec": {"name": "other"}}, headers=PATCH).status == 200
