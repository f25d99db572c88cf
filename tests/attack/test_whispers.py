"""A contractor learns names that are not theirs: of secrets by events, of others' objects by pruning."""

from .kit import AnyJson, Installation


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


def monitor(name: str, project: str) -> AnyJson:
    return {
        "kind": "monitoring_object",
        "metadata": {"name": name, "project": project},
        "spec": {"probe": "tcp", "target": "192.0.2.1:80"},
    }


def test_an_owner_of_another_project_is_as_one_that_is_not_there(installation: Installation) -> None:
    name = installation.organization()
    where = f"/v1/organizations/{name}"
    installation.project(name, "blog")
    installation.project(name, "red")
    items = [monitor("mkred55", "red")]
    installation.admin.good("POST", f"{where}/declarations", {"items": items, "owner": "red"})
    con = installation.member(name, "con", {"role": "operator", "project": "blog"})
    for part in ("declarations", "plans"):
        for more in ({}, {"dry_run": True}):
            asked = [
                con.call("POST", f"{where}/{part}", {"items": [], "owner": owner, "prune": True, **more})
                for owner in ("red", "absent")
            ]
            assert asked[0].status == asked[1].status, (part, asked)
            assert "mkred" not in str(asked[0])
            if part == "declarations":
                assert asked[0].body == asked[1].body
    assert installation.admin.get(f"{where}/projects/red/monitoring_objects/mkred55").status == 200


def test_nobody_stops_the_pruning_of_another_project_by_its_owner(installation: Installation) -> None:
    name = installation.organization()
    where = f"/v1/organizations/{name}/declarations"
    red, blog = installation.project(name, "red"), installation.project(name, "blog")
    role = {"role": "operator", "project": "red"}
    both = [role, {"role": "auditor", "project": "blog"}]
    people = [installation.service(name, **role), installation.member(name, "ci", *both)]
    con = installation.service(name, "member", project="blog")
    con.good("POST", where, {"items": [monitor("planted", "blog")], "owner": "red.yaml"})
    for ci in people:
        items = [monitor("stays", "red"), monitor("goes", "red")]
        ci.good("POST", where, {"items": items, "owner": "red.yaml", "prune": True})
        ci.good("POST", where, {"items": items[:1], "owner": "red.yaml", "prune": True})
        installation.admin.gone(f"{red}/monitoring_objects/goes")
    assert installation.admin.get(f"{blog}/monitoring_objects/planted").status == 200
    # Who declares it and may not delete it is told so, as ever.
    refused = con.call("POST", where, {"items": [], "owner": "red.yaml", "prune": True})
    assert (refused.status, "withdraw" in str(refused)) == (403, True), refused
