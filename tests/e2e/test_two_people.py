"""Whoever asked for something destructive does not approve it while somebody else could."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from api.belonging import MEMBERSHIPS, given, member
from api.kit import AnyJson, Api, as_other
from declarations import records, zone
from harness import ORGANIZATION, World, world

OWNER = "records.yaml"
TOKENS = f"{ORGANIZATION}/tokens"


@pytest.fixture
async def twelve(tmp_path: Path) -> AsyncIterator[World]:
    """A zone with twelve records, in step."""
    async with world(tmp_path) as w:
        await w.plane.declare(w.setting())
        await w.plane.declare([zone(), *records(range(12))], OWNER)
        await w.all_ready("dns_records", 12)
        await w.all_ready("dns_zones", 1)
        yield w


def api_of(w: World) -> Api:
    return Api(w.plane.url, w.plane.data, w.run, w.plane.session, ())


async def held_by(w: World, author: Api) -> AnyJson:
    """A plan that waits for a person, because somebody lost every record from their file."""
    assert (await author.declare(zone(), owner=OWNER, prune=True)).status == 200
    await w.in_state("dns_zones", "example-org", "HELD")
    return await w.plane.held_plan()


async def approve(person: Api, plan: AnyJson) -> AnyJson:
    body = {"reason": "checked", "digest": plan["digest"]}
    return await person.call("POST", f"{ORGANIZATION}/plans/{plan['id']}:approve", body)


async def test_the_author_cannot_and_somebody_else_can(twelve: World) -> None:
    api = api_of(twelve)
    async with (
        member(api, "ann", given("operator")) as ann,
        member(api, "bob", given("operator", project="shop")) as bob,
        member(api, "con", given("member")) as con,
    ):
        plan = await held_by(twelve, ann)
        assert plan["author"] == "ann@example.org"
        own = await ann.good("POST", "/v1/me/tokens", {"name": "laptop", "may_approve": True})
        async with as_other(api, own["token"]) as laptop:
            for author in (ann, laptop):
                refused = await approve(author, plan)
                assert (refused.status, refused.body["code"]) == (403, "denied")
                assert "somebody else approves it: bob@example.org" in refused.body["detail"]
        assert (await approve(con, plan)).status == 403
        approved = await approve(bob, plan)
        assert (approved.status, approved.body["decided_by"]) == (200, "bob@example.org")
        await twelve.all_ready("dns_zones", 1)
        assert await twelve.plane.every("dns_records") == []


async def test_a_program_that_the_author_made_is_not_somebody_else(twelve: World) -> None:
    api = api_of(twelve)
    async with member(api, "ann", given("owner")) as ann:
        made = await ann.good("POST", TOKENS, {"name": "ci", "role": "operator", "may_approve": True})
        plan = await held_by(twelve, ann)
        async with member(api, "bob", given("operator")), as_other(api, made["token"]) as ci:
            assert (await approve(ci, plan)).status == 403
            await api.good("DELETE", f"{MEMBERSHIPS}/bob")
            # Nobody else is left: whoever is alone decides alone, with their own hands or their program's.
            assert (await approve(ci, plan)).status == 200


async def test_a_lone_operator_decides_alone(twelve: World) -> None:
    api = api_of(twelve)
    async with member(api, "ann", given("operator")) as ann, member(api, "aud", given("auditor")):
        plan = await held_by(twelve, ann)
        assert (await approve(ann, plan)).status == 200
        await twelve.all_ready("dns_zones", 1)
        assert await twelve.plane.every("dns_records") == []
        said = (await api.good("GET", f"{ORGANIZATION}/audit?page_size=500"))["items"]
        (line,) = [each for each in said if each["action"] == "plan.approved"]
        assert line["detail"]["alone"] is True


async def test_two_people_agree_to_what_is_protected_and_one_alone_does_not(twelve: World) -> None:
    api = api_of(twelve)
    async with member(api, "ann", given("operator")) as ann:
        path = f"{ORGANIZATION}/projects/shop/dns_zones/example-org"
        await ann.good("PATCH", path, {"metadata": {"protected": True}})
        body = {"items": [{**zone(), "metadata": {**zone()["metadata"], "protected": True}}]}
        await ann.good("POST", f"{ORGANIZATION}/declarations", {**body, "owner": OWNER, "prune": True})
        await twelve.in_state("dns_zones", "example-org", "HELD")
        plan = await twelve.plane.held_plan()
        refused = await approve(ann, plan)
        assert (refused.status, refused.body["code"]) == (403, "denied")
        assert "is protected and ann@example.org asked for this alone" in refused.body["detail"]
        async with member(api, "bob", given("operator")) as bob:
            assert (await approve(ann, plan)).status == 403
            assert (await approve(bob, plan)).status == 200
        said = (await api.good("GET", f"{ORGANIZATION}/audit?page_size=500"))["items"]
        (line,) = [each for each in said if each["action"] == "plan.approved"]
        assert (line["actor"], "alone" in line["detail"]) == ("bob@example.org", False)


@pytest.mark.parametrize("stays", [True, False], ids=["still a member", "no member any more"])
async def test_an_approval_counts_only_while_its_approver_could_give_it(twelve: World, stays: bool) -> None:
    api = api_of(twelve)

    async def refused() -> bool:
        zone = await twelve.plane.named("dns_zones", "example-org")
        return "bob@example.org may no longer approve this" in zone["status"]["reason"]

    async with member(api, "ann", given("operator")) as ann, member(api, "bob", given("operator")) as bob:
        plan = await held_by(twelve, ann)
        await api.good("PUT", "/v1/switches/all", {"mode": "observe", "reason": "a drill"})
        assert (await approve(bob, plan)).status == 200
        if not stays:
            await api.good("DELETE", f"{MEMBERSHIPS}/bob")
        await api.good("DELETE", "/v1/switches/all")
        if stays:
            await twelve.all_ready("dns_zones", 1)
        else:
            await twelve.until(refused, "the approval to be refused")
        assert len(await twelve.plane.every("dns_records")) == (0 if stays else 12)
        assert len(twelve.effects("delete")) == (12 if stays else 0)
