"""A contractor learns names that are not theirs: of secrets by events, of others' objects by pruning."""

from .kit import Installation


def test_events_do_not_name_secrets_to_who_may_not_read_them(installation: Installation) -> None:
    name = installation.organization()
    where = f"/v1/organizations/{name}"
    installation.project(name)
    installation.admin.good("PUT", f"{where}/secrets/merger-with-initech", {"value": "not to be known"})
    for role, hears in (("member", False), ("owner", True)):
        person = installation.member(name, role, {"role": role})
        told = [each["ref"] for each in person.every(f"{where}/events")]
        assert ("secret/merger-with-initech" in told) is hears
        assert any(ref.startswith("project/") for ref in told)


def test_pruning_what_another_declared_names_nothing(installation: Installation) -> None:
    name = installation.organization()
    where = f"/v1/organizations/{name}"
    installation.project(name, "blog")
    installation.project(name, "red")
    monitor = {
        "kind": "monitoring_object",
        "metadata": {"name": "mkred55", "project": "red"},
        "spec": {"probe": "tcp", "target": "192.0.2.1:80"},
    }
    installation.admin.good("POST", f"{where}/declarations", {"items": [monitor], "owner": "red"})
    con = installation.member(name, "con", {"role": "operator", "project": "blog"})
    refused = con.call("POST", f"{where}/declarations", {"items": [], "owner": "red", "prune": True})
    assert refused.status in (403, 422)
    assert "mkred55" not in str(refused)
