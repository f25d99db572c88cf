"""Rehearsing limits over what is on record: what would have been held more, and less."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from msgspec.structs import replace

from engine.situations import ALONE, case, deletes, updates
from harness import ORGANIZATION
from setpoint.engine.entity import Ref
from setpoint.engine.limits import Limits

from .kit import Api, still
from .recordings import keep, recorded

pytestmark = pytest.mark.asyncio(loop_scope="module")

REHEARSE = f"{ORGANIZATION}/passes:rehearse"
SMALL = case(deletes(3), desired=97, accepted=100, weight=1_000)
OWN = replace(SMALL, limits=Limits(deletes_ceiling=2))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def past(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Api]:
    """Three deletes let through; three held by a ceiling of two; a wave; and one of somebody else's."""
    async with still(tmp_path_factory.mktemp("past")) as api:
        await keep(
            api,
            recorded(1, SMALL),
            recorded(2, OWN, ref=Ref("dns_zone/2"), name="strict"),
            recorded(3, case(updates(9), wave=4)),
            recorded(4, SMALL, organization="other"),
        )
        yield api


async def rehearsed(api: Api, **limits: Any) -> Any:
    return await api.good("POST", REHEARSE, {"limits": limits})


async def test_a_stricter_limit_names_what_it_would_have_held(past: Api) -> None:
    found = await rehearsed(past, deletes_ceiling=1)
    assert (found["looked_at"], found["held_more"], found["held_less"]) == (3, 1, 0)
    (item,) = found["items"]
    assert (item["id"], item["kind"], item["name"]) == ("p0001", "dns_zone", "example-org")
    (hold,) = item["held_more"]
    assert hold["guard"] == "delete_budget"
    assert hold["message"] == "3 of 100 would be deleted; the limit is 1 per pass and 6 per hour (0 used)"
    assert item["held_less"] == []
    assert item["allowed"] == {"then": 3, "would_be": 0}


async def test_a_looser_limit_names_what_it_would_have_let_through(past: Api) -> None:
    found = await rehearsed(past, deletes_ceiling=10)
    assert (found["held_more"], found["held_less"]) == (0, 1)
    (item,) = found["items"]
    assert (item["id"], [hold["guard"] for hold in item["held_less"]]) == ("p0002", ["delete_budget"])
    assert item["allowed"] == {"then": 0, "would_be": 3}


async def test_a_smaller_wave_is_held_more_though_no_guard_says_so(past: Api) -> None:
    found = await rehearsed(past, wave_floor=1, wave_share=0.01)
    assert (found["held_more"], found["held_less"]) == (1, 0)
    (item,) = found["items"]
    assert (item["held_more"], item["allowed"]) == ([], {"then": 8, "would_be": 1})
    assert item["later"] == {"then": 1, "would_be": 8}


async def test_each_pass_keeps_the_limits_that_are_not_rehearsed(past: Api) -> None:
    assert (await rehearsed(past, brake_good=5))["items"] == []


async def test_only_what_was_asked_about_is_looked_at_and_in_pages(past: Api) -> None:
    body = {"limits": {"deletes_ceiling": 1}, "ref": "dns_zone/2"}
    assert (await past.good("POST", REHEARSE, body))["looked_at"] == 1
    looked, ids, after = [], [], ""
    while True:
        page = await past.good("POST", f"{REHEARSE}?page_size=1&page_token={after}", {**body, "ref": ""})
        looked.append(page["looked_at"])
        ids += [item["id"] for item in page["items"]]
        after = page["next_page_token"]
        if not after:
            break
    assert (looked, ids) == ([1, 1, 1], ["p0001"])
    assert (await past.call("POST", f"{REHEARSE}?page_size=501", body)).status == 400


async def test_a_page_that_takes_too_long_ends_early_and_says_so(
    past: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("setpoint.api.rehearsal.PATIENCE", -1.0)
    page = await rehearsed(past, deletes_ceiling=1)
    assert (page["looked_at"], page["next_page_token"]) == (1, "p0003")


async def test_every_guard_with_a_limit_can_be_rehearsed_away_or_kept(past: Api) -> None:
    """Looser than any number that is on record: what a number alone holds is let go."""
    rows = (
        recorded(0, judged, id=f"of-{name}", organization=f"all-{name}") for name, judged in ALONE.items()
    )
    await keep(past, *rows)
    loose = {"deletes_ceiling": 1000, "deletes_share": 0.99, "shrink_share": 0.99, "weight_share": 0.99}
    freed = {
        "delete_budget": loose,
        "shrunken_intent": loose,
        "weight": loose,
        "lost_group": {"group_floor": 9},
    }
    freed |= {"mass_silence": {"vanished_share": 0.9}, "unusual_plan": {"unusual_factor": 9.0}}
    freed |= {"probation": {"probation_looks": 1}, "contested": {"contested_times": 9}}
    freed |= {"slow_lane": {"slow_failures": 99}, "failure_brake": {"brake_share": 0.9}}
    for name, limits in freed.items():
        path = f"/v1/organizations/all-{name}/passes:rehearse"
        (item,) = (await past.good("POST", path, {"limits": limits}))["items"]
        assert [hold["guard"] for hold in item["held_less"]] == [name]


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({}, {("/limits", "missing")}),
        ({"limits": {}}, {("/limits", "missing")}),
        ({"limits": [1]}, {("/limits", "missing")}),
        ([], {("", "bad_type")}),
        ({"limits": {"deletes_share": 0.2}, "ref": 7}, {("/ref", "bad_type")}),
        (
            {"limts": {}, "limits": {"deletes_sahre": 1, "a/b": 1, "wave_floor": 0, "brake_good": 1.5}},
            {
                ("/limts", "unknown_field"),
                ("/limits/deletes_sahre", "unknown_limit"),
                ("/limits/a~1b", "unknown_limit"),
                ("/limits/wave_floor", "bad_value"),
                ("/limits/brake_good", "bad_value"),
            },
        ),
        (
            {"limits": {"wave_share": True, "probation_gap": "5"}},
            {("/limits/wave_share", "bad_value"), ("/limits/probation_gap", "bad_value")},
        ),
    ],
)
async def test_every_mistake_is_told_at_once(past: Api, body: Any, wrong: Any) -> None:
    refused = await past.call("POST", REHEARSE, body)
    assert (refused.status, refused.body["code"]) == (422, "bad_rehearsal")
    assert refused.mistakes == wrong


async def test_a_mistake_says_what_was_probably_meant_or_what_is_possible(past: Api) -> None:
    refused = await past.call("POST", REHEARSE, {"limits": {"deletes_sahre": 1, "deletes_share": 5}})
    unknown, value = refused.body["errors"]
    assert (unknown["message"], unknown["hint"]) == (
        "deletes_sahre is not a limit",
        "did you mean deletes_share?",
    )
    assert value["message"] == "deletes_share is a number, more than 0, less than 1, not 5"
    assert value["hint"] == "Share of a domain that may be deleted in one pass."
