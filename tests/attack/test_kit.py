"""The kit itself: an attack that cannot reach the installation would always look refused."""

from .kit import Installation


def test_people_and_programs_reach_what_they_were_given(installation: Installation) -> None:
    name = installation.organization()
    where = installation.project(name)
    ann = installation.member(name, "ann", {"role": "owner"})
    program = installation.service(name, "member", project="shop")
    for each in (ann, program):
        assert each.get(where).status == 200
    assert installation.nobody.get(where).status == 401
    assert "shop" in ann.cli("get", "projects", organization=name).out
