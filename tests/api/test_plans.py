"""Dry runs and held plans: asked, answered by the scheduler, decided by a person who says why."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from declarations import record, records, zone
from harness import ORGANIZATION, World, world
from setpoint.engine.bounds import DRY_RUNS
from setpoint.engine.entity import Ref, Scope
from setpoint.engine.rows import PlanRow, PlanState, Task
from setpoint.engine.store import Change, Put

from .kit import Api, as_other

PLANS = f"{ORGANIZATION}/plans"
OWNER = "records.yaml"


@pytest.fixture
async def twelve(tmp_path: Path) -> AsyncIterator[World]:
    """A zone with twelve records, in step."""
    async with world(tmp_path) as w:
        await w.plane.declare([*w.setting(), zone(), *records(range(12))], OWNER)
        await w.all_ready("dns_records", 12)
        await w.all_ready("dns_zones", 1)
        w.mark()
        yield w


async def dry_run(w: World, items: list[Any], **more: Any) -> Any:
    asked = await w.plane.call("POST", PLANS, {"items": items, **more})
    assert (asked.status, asked.body["state"]) == (202, "asked")

    async def shown() -> Any:
        plan = await w.plane.good("GET", f"{PLANS}/{asked.body['id']}")
        return plan if plan["state"] == "shown" else None

    return await w.until(shown, "the dry run to be answered")


async def test_a_dry_run_shows_what_would_happen_and_nothing_does(twelve: World) -> None:
    before = await twelve.plane.every("dns_records"), await twelve.plane.every("events")
    changed = [record(1, "198.51.100.1"), record(99)]
    plan = await dry_run(twelve, changed)
    assert [(action["verb"], action["item"]) for action in plan["actions"]] == [
        ("create", "dns_zone/example-org r99/A"),
        ("update", "dns_zone/example-org r1/A"),
    ]
    assert plan["digest"]
    assert "proposals" not in plan
    assert (await twelve.plane.every("dns_records"), await twelve.plane.every("events")) == before
    assert twelve.effects() == []


async def test_a_dry_run_shows_what_a_guard_would_hold(twelve: World) -> None:
    plan = await dry_run(twelve, [*twelve.setting(), zone()], owner=OWNER, prune=True)
    assert len(plan["actions"]) == 12
    assert plan["holds"]
    assert all(hold["message"].startswith("dns_zone/example-org: ") for hold in plan["holds"])
    assert await twelve.plane.events("plan.held") == []
    assert twelve.effects() == []


async def test_a_dry_run_judges_under_the_mode_that_it_declares(twelve: World) -> None:
    await twelve.plane.declare(twelve.setting(mode="observe"), OWNER)
    changed = [record(1, "198.51.100.1")]
    still = await dry_run(twelve, changed)
    assert {hold["guard"] for hold in still["holds"]} == {"observe_only"}
    loosened = await dry_run(twelve, [*twelve.setting(mode="run"), *changed])
    assert (len(loosened["actions"]), loosened["holds"]) == (1, [])
    assert twelve.effects() == []


async def test_a_checked_batch_says_what_its_owner_leaves_out_and_takes_over(twelve: World) -> None:
    items = [*twelve.setting(), zone(), *records(range(2))]
    path = f"{ORGANIZATION}/declarations"
    own = await twelve.plane.good("POST", path, {"items": items, "owner": OWNER, "dry_run": True})
    assert (own["unmentioned"]["count"], own["taken_over"]) == (10, [])
    assert own["unmentioned"]["names"][0] == "dns_record r10"
    new = await twelve.plane.good("POST", path, {"items": items, "owner": "exp2", "dry_run": True})
    assert (new["unmentioned"]["count"], new["taken_over"]) == (0, [{"owner": OWNER, "count": 6}])
    none = await twelve.plane.good("POST", path, {"items": items, "dry_run": True})
    assert (none["unmentioned"]["count"], none["taken_over"]) == (0, [])


@pytest.fixture
async def held(twelve: World) -> Any:
    """Every record lost from the file: a plan waits for a person."""
    await twelve.plane.declare([*twelve.setting(), zone()], OWNER, prune=True)
    await twelve.in_state("dns_zones", "example-org", "HELD")
    return await twelve.plane.held_plan()


async def test_a_decision_needs_a_reason_and_the_digest_that_was_shown(twelve: World, held: Any) -> None:
    path = f"{PLANS}/{held['id']}:approve"
    for body, pointers in (
        ({}, ["/reason", "/digest"]),
        ({"reason": " ", "digest": held["digest"]}, ["/reason"]),
        ({"reason": "because"}, ["/digest"]),
        ([], ["/reason", "/digest"]),
    ):
        refused = await twelve.plane.call("POST", path, body)
        assert (refused.status, refused.body["code"]) == (422, "bad_decision")
        assert [error["pointer"] for error in refused.body["errors"]] == pointers
    for verb in ("approve", "reject"):
        stale = await twelve.plane.decide(held, verb, digest="0" * 32)
        assert (stale.status, stale.body["code"]) == (409, "stale_plan")
    unsaid = await twelve.plane.call("POST", f"{PLANS}/{held['id']}:reject", {})
    assert unsaid.status == 422
    assert (await twelve.plane.held_plan())["state"] == "held"
    assert twelve.effects() == []


async def test_a_rejected_plan_stays_rejected(twelve: World, held: Any) -> None:
    rejected = await twelve.plane.decide(held, "reject", reason="the file was empty")
    assert (rejected.status, rejected.body["state"]) == (200, "rejected")
    assert (rejected.body["decided_by"], rejected.body["note"]) == ("administrator", "the file was empty")
    again = await twelve.plane.decide(held, "approve")
    assert (again.status, again.body["code"]) == (409, "conflict")
    assert twelve.effects() == []


async def test_nothing_of_a_rejected_plan_is_told_as_done(twelve: World, held: Any) -> None:
    before = await twelve.plane.good("GET", f"{PLANS}/{held['id']}:review")
    assert (before["outcomes"], before["left_out"]) == ({}, {"count": 0, "plan": ""})
    await twelve.plane.decide(held, "reject")
    review = await twelve.plane.good("GET", f"{PLANS}/{held['id']}:review")
    assert list(review["outcomes"].values()) == [{"not_done": 12}]
    assert not any(guard["overruled_by"] for guard in review["guards"])


async def test_an_approved_plan_does_exactly_what_was_shown(twelve: World, held: Any) -> None:
    approved = await twelve.plane.decide(held, "approve", reason="the shop is closed")
    assert (approved.status, approved.body["state"]) == (200, "approved")

    async def gone() -> bool:
        return await twelve.plane.every("dns_records") == []

    await twelve.until(gone, "the records to go")
    assert sorted(effect.name for effect in twelve.effects("delete")) == sorted(f"r{n}" for n in range(12))
    lines = [line for line in await twelve.plane.every("audit") if line["action"] == "plan.approved"]
    assert [(line["actor"], line["detail"]["reason"]) for line in lines] == [
        ("administrator", "the shop is closed")
    ]


async def test_only_the_chosen_items_go_and_the_rest_asks_again(twelve: World, held: Any) -> None:
    path, body = f"{PLANS}/{held['id']}:approve", {"digest": held["digest"], "reason": "two are mine"}
    for items in ([], "r1/A", [1], ["nothing/A"]):
        refused = await twelve.plane.call("POST", path, {**body, "items": items})
        assert (refused.status, refused.body["code"]) == (422, "bad_decision")
    chosen = sorted(held["asked"])[:2]
    approved = await twelve.plane.good("POST", path, {**body, "items": chosen})
    assert approved["agreed"] == chosen

    async def rest() -> Any:
        plans = (await twelve.plane.good("GET", f"{PLANS}?state=held"))["items"]
        return await twelve.plane.good("GET", f"{PLANS}/{plans[0]['id']}") if plans else None

    plan = await twelve.until(rest, "the rest to be asked about")
    assert len(plan["actions"]) == 10
    assert sorted(f"{effect.name}/A" for effect in twelve.effects("delete")) == chosen
    await assert_told_as_it_was(twelve, held, chosen, plan["id"])


async def assert_told_as_it_was(w: World, held: Any, chosen: list[str], rest: str) -> None:
    """Two are done, ten were left out and are in the next plan; what held it then was overruled."""
    at = f"{PLANS}/{held['id']}"
    assert (await w.plane.good("GET", at))["state"] == "done"
    review = await w.plane.good("GET", f"{at}:review")
    (group,) = held["groups"]
    assert review["outcomes"] == {group["key"]: {"done": 2, "left_out": 10}}
    assert review["left_out"] == {"count": 10, "plan": rest}
    for outcome, count in (("done", 2), ("left_out", 10), ("failed", 0)):
        found = await w.plane.good("GET", f"{at}:changes?group={group['key']}&outcome={outcome}")
        assert len(found["items"]) == count
        assert all((each["item"] in chosen) == (outcome == "done") for each in found["items"])
    guards = {guard["name"]: guard for guard in review["guards"]}
    budget = guards["delete_budget"]
    assert (budget["held"], budget["used"], budget["overruled_by"]) == (True, 12, "administrator")
    overruled = {name for name, guard in guards.items() if guard["overruled_by"]}
    assert overruled == {hold["guard"] for hold in held["holds"]}


async def test_plans_are_listed_by_state_and_belong_to_one_organization(twelve: World, held: Any) -> None:
    listed = await twelve.plane.good("GET", f"{PLANS}?state=HELD")
    assert [plan["id"] for plan in listed["items"]] == [held["id"]]
    assert (await twelve.plane.call("GET", f"{PLANS}?state=broken")).status == 400
    elsewhere = f"/v1/organizations/other/plans/{held['id']}"
    assert (await twelve.plane.call("GET", elsewhere)).status == 404
    assert (await twelve.plane.call("POST", f"{elsewhere}:approve", {"reason": "x"})).status == 404


async def test_the_size_of_a_difference_is_published_before_anything_acts_on_it(
    twelve: World, held: Any
) -> None:
    metrics = str((await twelve.plane.call("GET", "/metrics")).body)
    assert 'setpoint_diff_changes{action="delete",kind="dns_zone"} 12.0' in metrics
    assert 'verb="delete"' not in metrics
    assert 'setpoint_holds_total{guard="' in metrics


async def test_beside_a_plan_is_what_one_decides_by(twelve: World, held: Any) -> None:
    path = f"{PLANS}/{held['id']}:review"
    review = await twelve.plane.good("GET", path)
    guards = {guard["name"]: guard for guard in review["guards"]}
    assert (guards["delete_budget"]["used"], guards["delete_budget"]["allowed"]) == (12, 3)
    assert [guard["name"] for guard in review["guards"] if guard["held"] and guard["approvable"]] == [
        hold["guard"] for hold in held["holds"]
    ]
    assert (review["why_not"], review["newer"], review["progress"]) == ("", "", {})
    short = (await twelve.plane.good("GET", f"{PLANS}?state=held&view=short"))["items"][0]
    assert (short["changes"], short["weight"], "actions" in short) == ({"delete": 12}, 12, False)
    await twelve.plane.decide(held, "approve")

    async def done() -> Any:
        found = await twelve.plane.good("GET", path)
        return found if found["progress"] == {"done": 12} else None

    review = await twelve.until(done, "all of it to be done")
    moving = await twelve.plane.good("GET", f"{PLANS}/{held['id']}:progress?page_size=10")
    rest = await twelve.plane.good(
        "GET", f"{PLANS}/{held['id']}:progress?page_size=10&page_token={moving['next_page_token']}"
    )
    rows = [*moving["items"], *rest["items"]]
    assert (len(rows), rest["next_page_token"]) == (12, "")
    assert all((row["state"], len(row["attempts"])) == ("done", 1) for row in rows)
    assert review["why_not"]


async def test_no_more_dry_runs_are_taken_while_so_many_wait(api: Api) -> None:
    waiting = [
        PlanRow(
            id=f"w{number:03}",
            ref=Ref(f"plan/w{number:03}"),
            kind="plan",
            scope=Scope("acme"),
            name="w",
            state=PlanState.ASKED,
        )
        for number in range(DRY_RUNS.most)
    ]
    await api.store.commit(Change(writes=tuple(Put(row) for row in waiting)))
    refused = await api.call("POST", PLANS, {"items": []})
    assert (refused.status, refused.body["code"]) == (429, "too_many_dry_runs")
    assert (await api.call("POST", f"{ORGANIZATION}/declarations?dry_run=true", {"items": []})).status == 429
    await api.good("POST", f"{ORGANIZATION}/operations/w001:cancel", {"reason": "enough"})
    await api.good("POST", PLANS, {"items": []})


async def test_what_is_forbidden_in_a_project_is_hidden_from_who_reads_all_others(api: Api) -> None:
    """Held plans, tasks and what is gone: a forbid in one place wins over the right around it."""
    zone_ref = (await api.good("GET", f"{ORGANIZATION}/projects/shop/dns_zones/example-org"))["metadata"][
        "ref"
    ]
    about = {"kind": "dns_zone", "scope": Scope("acme", "shop"), "name": "z", "state": PlanState.HELD}
    rows = [PlanRow(id=f"q{n}", ref=Ref(ref), **about) for n, ref in enumerate((zone_ref, "dns_zone/gone"))]
    tasks = [
        Task(id=f"t{n}", pipeline="x", target=row.ref, key="k", organization="acme", asked_by="ann")
        for n, row in enumerate(rows)
    ]
    await api.store.commit(Change(writes=tuple(Put(row) for row in (*rows, *tasks))))
    forbid = {"keys": ["organization.plan", "organization.task"], "verbs": ["read"], "effect": "forbid"}
    rules = [{"keys": ["organization.*", "project.*"], "verbs": ["read"]}, {**forbid, "project": "shop"}]
    await api.good("PUT", f"{ORGANIZATION}/roles/outside", {"spec": {"rules": rules}})
    made = await api.good("POST", f"{ORGANIZATION}/tokens", {"name": "out", "role": "outside"})
    paths = [f"{ORGANIZATION}/{part}" for part in ("plans/q0", "plans/q1", "tasks/t0", "operations/t1")]
    async with as_other(api, made["token"]) as outside:
        assert [(await outside.get(path)).status for path in paths] == [404] * 4
        assert (await outside.good("GET", PLANS))["items"] == []
    assert [(await api.get(path)).status for path in paths] == [200] * 4
