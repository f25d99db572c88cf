"""An organization or a project is removed, and the next one of its name belongs to somebody else."""

from .kit import Caller, Installation


def removed(installation: Installation, where: str) -> None:
    """As soon as it is confirmed gone."""
    installation.admin.good("DELETE", f"{where}?cascade=true")
    installation.admin.gone(where)


def test_nothing_of_an_organization_reaches_the_next_of_its_name(installation: Installation) -> None:
    name = installation.organization("reuse")
    where = f"/v1/organizations/{name}"
    project = installation.project(name, "blog")
    owner = installation.service(name, "owner")
    narrow = installation.service(name, "member", project="blog")
    person = installation.member(name, "ann", {"role": "owner"})
    mine = installation.with_token(
        person.good("POST", "/v1/me/tokens", {"name": "mine", "role": "owner", "organization": name})["token"]
    )
    old = [owner, narrow, person, mine]
    owner.good("PUT", f"/v1/switches/scope:{name}", {"mode": "observe", "reason": "secret-reason-initrode"})
    assert [each.get(project).status for each in old] == [200] * 4
    removed(installation, where)
    assert [each.get("/v1/organizations").status for each in (owner, narrow, mine)] == [401] * 3

    installation.admin.put(where, {})
    installation.project(name, "blog")
    new = installation.service(name, "owner")
    assert [each.get(project).status for each in (owner, narrow, mine)] == [401] * 3
    assert person.get(project).status == 404
    assert owner.call("POST", f"{where}/tokens", {"name": "more", "role": "owner"}).status == 401
    reads_nothing_older(installation, new, where)
    # The name works as any other.
    new.put(f"{where}/projects/more", {})


def reads_nothing_older(installation: Installation, new: Caller, where: str) -> None:
    name = where.rpartition("/")[2]
    assert len(new.every(f"{where}/tokens")) == 1
    for part in ("audit", "events", "plans", "tasks", "passes", "members", "operations"):
        told = str(new.get(f"{where}/{part}?page_size=200").raw)
        assert "initrode" not in told, part
        assert f"ann@{name}" not in told, part
    first = new.get(f"{where}/audit").body["items"][0]
    assert (first["action"], first["detail"]["name"]) != ("intent.declared", "ann")
    assert "initrode" in str(installation.admin.get(f"{where}/audit?page_size=500").raw)
    assert new.good("GET", f"{where}/audit:verify")["intact"]


def test_a_role_in_a_project_ends_with_that_project(installation: Installation) -> None:
    name = installation.organization()
    project = installation.project(name, "blog")
    installation.project(name, "shop")
    roles = [{"role": "member", "project": "blog"}, {"role": "auditor", "project": "shop"}]
    person = installation.member(name, "ann", *roles)
    program = installation.service(name, "member", project="blog")
    assert person.get(project).status == program.get(project).status == 200
    removed(installation, project)
    assert program.get(project).status == 401
    installation.admin.put(project, {})
    assert program.get(project).status == 401
    assert person.get(project).status in (403, 404)
    assert person.get(f"/v1/organizations/{name}/projects/shop").status == 200
    again = [{"role": "member", "project": "blog"}]
    where = f"/v1/organizations/{name}/memberships/ann"
    installation.admin.put(where, {"email": f"ann@{name}.example", "roles": again})
    assert person.get(project).status == 200
