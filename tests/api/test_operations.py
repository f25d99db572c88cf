"""Long work in one shape: followed, waited for, stopped; and dry runs of every change of a declaration."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from declarations import workspace
from harness import ORGANIZATION, PROJECT, World, world
from setpoint.engine.entity import Ref
from setpoint.engine.rows import Task, TaskState
from setpoint.engine.store import Change, Put
from setpoint.sim.hetzner import Fault

from .kit import Api, as_other, channel

OPERATIONS = f"{ORGANIZATION}/operations"
CHANNELS = f"{ORGANIZATION}/notification_channels"


async def task(api: Api, state: TaskState = TaskState.WAITING, **more: Any) -> str:
    values = {"id": api.run.application.scheduler.runtime.new_id(), "steps_done": ("perimeter",)} | more
    values = {"target": Ref("workspace/1"), "pipeline": "workspace.create", **values}
    row = Task(
        key=values["id"],
        organization="acme",
        asked_by="workspace prod",
        state=state,
        created_at=1.0,
        changed_at=2.0,
        **values,
    )
    await api.store.commit(Change(writes=(Put(row),)))
    return row.id


async def test_a_task_is_an_operation(api: Api) -> None:
    running = await task(api, reason="waiting for a server")
    failed = await task(api, TaskState.FAILED, error="no room")
    done = await task(api, TaskState.DONE)
    shown = {one["id"]: one for one in (await api.get(OPERATIONS)).body["items"]}
    assert list(shown) == [done, failed, running]
    one = shown[running]
    assert (one["verb"], one["target"]) == ("workspace.create", "workspace/1")
    assert (one["done"], one["end_time"]) == (False, None)
    assert one["progress"]["number"] == 2
    assert 0 < one["progress"]["percent"] < 100
    assert one["progress"]["message"] == "waiting for a server"
    assert one["cancel_requested"] is False
    assert "error" not in one
    assert "response" not in one
    assert shown[failed]["error"] == {"code": "task_failed", "message": "no room"}
    assert shown[done]["response"] == {"target": "workspace/1"}
    assert (await api.get(f"{OPERATIONS}/{running}")).body == one
    first = (await api.get(f"{OPERATIONS}?page_size=2")).body
    second = (await api.get(f"{OPERATIONS}?page_size=2&page_token={first['next_page_token']}")).body
    assert [item["id"] for item in (*first["items"], *second["items"])] == list(shown)
    for path in (f"{OPERATIONS}/none", f"/v1/organizations/other/operations/{running}"):
        assert (await api.get(path)).status == 404


async def test_waiting_ends_when_the_work_does_or_the_time_is_up(api: Api) -> None:
    identity = await task(api)
    early = await api.get(f"{OPERATIONS}/{identity}:wait?timeout=0")
    assert (early.status, early.body["done"]) == (200, False)
    waiting = asyncio.create_task(api.get(f"{OPERATIONS}/{identity}:wait?timeout=20"))
    await asyncio.sleep(0.1)
    await task(api, TaskState.DONE, id=identity)
    assert (await asyncio.wait_for(waiting, 60)).body["done"] is True
    for wrong in ("61", "-1", "soon"):
        assert (await api.get(f"{OPERATIONS}/{identity}:wait?timeout={wrong}")).status == 400


async def test_a_dry_run_is_an_operation_whose_response_is_the_plan(api: Api) -> None:
    asked = await api.call("POST", f"{ORGANIZATION}/plans", {"items": [channel("new")]})
    assert (asked.status, asked.headers["Location"]) == (202, f"{OPERATIONS}/{asked.body['id']}")
    one = (await api.get(asked.headers["Location"])).body
    assert (one["verb"], one["done"]) == ("plan", False)
    stopped = await api.call("POST", f"{asked.headers['Location']}:cancel", {"reason": "not needed"})
    assert (stopped.status, stopped.body["error"]["code"]) == (202, "cancelled")
    again = await api.call("POST", f"{asked.headers['Location']}:cancel", {"reason": "not needed"})
    assert (again.status, again.body["code"]) == (409, "operation_over")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", f"{ORGANIZATION}/declarations", {"items": [channel("tried")]}),
        ("POST", CHANNELS, channel("tried")),
        ("PUT", f"{CHANNELS}/tried", channel("tried")),
        ("PATCH", f"{CHANNELS}/hooks", {"metadata": {"labels": {"tried": "yes"}}}),
        ("DELETE", f"{CHANNELS}/hooks", None),
        ("PUT", "/v1/organizations/tried", {"spec": {}}),
    ],
    ids=["apply", "create", "put", "patch", "delete", "organization"],
)
async def test_every_change_of_intent_can_be_tried(api: Api, method: str, path: str, body: Any) -> None:
    before = (await api.get(f"{CHANNELS}?page_size=500")).body
    tried = await api.call(method, f"{path}?dry_run=true", body)
    assert (tried.status, tried.body["state"]) == (202, "asked"), tried.raw
    assert (await api.get(tried.headers["Location"])).body["verb"] == "plan"
    assert (await api.get(f"{CHANNELS}?page_size=500")).body == before
    assert (await api.get("/v1/organizations/tried")).status == 404
    real = await api.call(method, f"{path}?dry_run=false", body)
    assert real.status in (200, 201, 202)
    assert "Location" not in real.headers


async def test_a_trial_finds_the_mistakes_and_conflicts_of_the_change_itself(api: Api) -> None:
    wrong = await api.call("PUT", f"{CHANNELS}/x?dry_run=true", {"spec": {"ulr": "x"}})
    assert wrong.mistakes >= {("/spec/ulr", "unknown_field")}
    stale = await api.call("PATCH", f"{CHANNELS}/hooks?dry_run=1", {}, headers={"If-Match": '"old"'})
    assert (stale.status, stale.body["code"]) == (412, "stale")
    taken = await api.call("POST", f"{CHANNELS}?dry_run=true", channel("hooks"))
    assert (taken.status, taken.body["code"]) == (409, "exists")
    used = await api.call("DELETE", f"{ORGANIZATION}/providers/hetzner?dry_run=true")
    assert (used.status, used.body["code"]) == (409, "conflict")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "/v1/switches/all"),
        ("POST", f"{ORGANIZATION}/tokens"),
        ("POST", f"{CHANNELS}/hooks:pause"),
        ("POST", f"{ORGANIZATION}/plans"),
    ],
)
async def test_what_cannot_be_tried_is_not_done_either(api: Api, method: str, path: str) -> None:
    body = {"reason": "x", "name": "x", "role": "owner"}
    refused = await api.call(method, f"{path}?dry_run=true", body)
    assert (refused.status, refused.body["code"]) == (400, "no_dry_run")
    assert (await api.call(method, f"{path}?dry_run=perhaps", body)).status == 400
    assert (await api.get("/v1/switches")).body["items"] == []


async def test_only_who_may_stops_work(api: Api) -> None:
    identity = await task(api)
    wanted = {"name": "meg", "role": "member", "project": "shop"}
    tokens = f"{ORGANIZATION}/tokens"
    token = (await api.call("POST", tokens, {"name": "aud", "role": "auditor"})).body
    async with as_other(api, token["token"]) as auditor:
        refused = await auditor.call("POST", f"{OPERATIONS}/{identity}:cancel", {"reason": "x"})
        assert (refused.status, refused.body["code"]) == (403, "forbidden")
    token = (await api.call("POST", tokens, wanted)).body
    async with as_other(api, token["token"]) as member:
        assert (await member.call("POST", f"{OPERATIONS}/{identity}:cancel", {"reason": "x"})).status == 403
    lacking = await api.call("POST", f"{OPERATIONS}/{identity}:cancel", {"by": "me"})
    assert lacking.mistakes == {("/by", "unknown_field"), ("/reason", "missing")}


async def test_what_is_not_over_or_not_meant_any_more_is_not_begun_once_more(api: Api) -> None:
    """Refused with the reason; nothing is asked for."""
    found = (await api.get(f"{ORGANIZATION}/projects/shop/workspaces/prod")).body["metadata"]
    about = {"target": Ref(found["ref"])}
    older = await task(api, TaskState.FAILED, saved={"generation": found["generation"] + 1}, **about)
    cases = {
        await task(api): "under way",
        await task(api, TaskState.DONE, target=Ref("workspace/2")): "is done",
        older: "has changed since",
    }
    before = (await api.get(OPERATIONS)).body
    for identity, why in cases.items():
        refused = await api.call("POST", f"{OPERATIONS}/{identity}:retry", {"reason": "x"})
        assert (refused.status, refused.body["code"]) == (409, "cannot_retry")
        assert why in refused.body["detail"]
    plan = (await api.call("POST", f"{ORGANIZATION}/plans", {"items": [channel("new")]})).body["id"]
    refused = await api.call("POST", f"{OPERATIONS}/{plan}:retry", {"reason": "x"})
    assert (refused.status, refused.body["code"]) == (409, "cannot_retry")
    assert len((await api.get(OPERATIONS)).body["items"]) == len(before["items"]) + 1
    same = await task(api, TaskState.FAILED, saved={"generation": found["generation"]}, **about)
    begun = await api.call("POST", f"{OPERATIONS}/{same}:retry", {"reason": "x"})
    assert (begun.status, begun.headers["Location"]) == (202, f"{OPERATIONS}/{begun.body['id']}")


async def test_a_task_goes_on_after_what_stands_and_says_so(api: Api) -> None:
    """Its perimeter is gone for good: that step is not taken again, what only looks is."""
    about: Any = {"pipeline": "workspace.delete", "target": Ref("workspace/4")}
    identity = await task(api, TaskState.FAILED, steps_done=("empty", "perimeter"), **about)
    expected = {"from": "empty", "stands": ["perimeter"]}
    assert (await api.get(f"{OPERATIONS}/{identity}")).body["retry"] == expected
    begun = await api.call("POST", f"{OPERATIONS}/{identity}:retry", {"reason": "x"})
    assert (begun.status, begun.body["retry"]) == (202, expected)
    stored = await api.store.get(Task, begun.body["id"])
    assert stored is not None
    assert (stored.step, stored.steps_done) == ("empty", ("perimeter",))
    unknown = await task(api, TaskState.FAILED, pipeline="gone.away", target=Ref("workspace/5"))
    refused = await api.call("POST", f"{OPERATIONS}/{unknown}:retry", {"reason": "x"})
    assert (refused.status, refused.body["code"]) == (409, "cannot_retry")


async def test_a_list_of_tasks_says_how_long_they_usually_take(api: Api) -> None:
    for number in range(3):
        await task(api, TaskState.DONE, pipeline="slow.work", target=Ref(f"workspace/u{number}"))
    first = (await api.get(f"{ORGANIZATION}/tasks?page_size=1")).body
    assert first["usual"]["slow.work"] == {"p50": 1.0, "p90": 1.0, "p99": 1.0}
    more = await api.get(f"{ORGANIZATION}/tasks?page_size=1&page_token={first['next_page_token']}")
    assert more.body["usual"] == {}
    wanted = {"name": "mia", "role": "member", "project": "shop"}
    token = (await api.call("POST", f"{ORGANIZATION}/tokens", wanted)).body["token"]
    async with as_other(api, token) as member:
        assert "slow.work" not in (await member.get(f"{ORGANIZATION}/tasks")).body["usual"]


async def test_only_who_may_begins_work_once_more(api: Api) -> None:
    identity = await task(api, TaskState.FAILED, target=Ref("workspace/3"))
    token = (await api.call("POST", f"{ORGANIZATION}/tokens", {"name": "aud2", "role": "auditor"})).body
    async with as_other(api, token["token"]) as auditor:
        refused = await auditor.call("POST", f"{OPERATIONS}/{identity}:retry", {"reason": "x"})
    assert (refused.status, refused.body["code"]) == (403, "forbidden")
    lacking = await api.call("POST", f"{OPERATIONS}/{identity}:retry", {})
    assert lacking.mistakes == {("/reason", "missing")}


async def test_a_cancelled_task_is_undone_and_not_begun_again(tmp_path: Path) -> None:
    """The perimeter stands, and is not to be seen for a while: the task waits, and is told to stop."""
    async with world(tmp_path) as w:
        w.sim.faults.add(Fault(kind="slow", method="POST", path="/firewalls", seconds=0.3))
        await w.plane.declare([*w.setting(), workspace()])
        under_way = await w.in_state("workspaces", "prod", "PENDING", "step 2 of 3: perimeter")
        unseen = w.sim.faults.add(Fault(kind="error", method="GET", path="/firewalls", status=503))
        await w.until(lambda: made(w), "the perimeter stands")
        path = f"{OPERATIONS}/{under_way['status']['facts']['task']}"
        asked = await w.plane.good("POST", f"{path}:cancel", {"reason": "wrong project"})
        assert asked["cancel_requested"] is True
        w.sim.faults.remove(unseen)
        over = await w.plane.good("GET", f"{path}:wait?timeout=20")
        assert (over["done"], over["error"]["code"]) == (True, "cancelled"), over
        assert "by administrator: wrong project" in over["error"]["message"]
        assert (await w.sim_call("GET", "/v1/firewalls"))["firewalls"] == []
        held = await w.in_state("workspaces", "prod", "HELD", "was cancelled by administrator: wrong project")
        assert "setpoint delete workspace prod" in held["status"]["reason"]
        lines = [line for line in await w.plane.every("audit") if line["action"] == "operation.cancelled"]
        assert [line["detail"]["reason"] for line in lines] == ["wrong project"]
        assert len(await w.plane.every("tasks")) == 1
        # A change of intent begins anew.
        await w.plane.good("PATCH", f"{PROJECT}/workspaces/prod", {"metadata": {"labels": {"try": "again"}}})
        await w.all_ready("workspaces", 1)


async def test_a_task_that_failed_is_begun_once_more_and_its_object_converges(tmp_path: Path) -> None:
    """The vendor refuses the perimeter; a person raises the quota, and does not wait until the loop asks."""
    async with world(tmp_path) as w:
        refused = w.sim.faults.add(Fault(kind="error", method="POST", path="/firewalls", status=422))
        await w.plane.declare([*w.setting(), workspace()])
        await w.in_state("workspaces", "prod", "FAILED", "workspace.create failed")
        w.sim.faults.remove(refused)
        (failed,) = await w.plane.every("tasks")
        path = f"{OPERATIONS}/{failed['id']}"
        again = await w.plane.good("POST", f"{path}:retry", {"reason": "the quota was raised"})
        assert (again["verb"], again["target"]) == ("workspace.create", failed["target"])
        assert failed["retry"] == again["retry"] == {"from": "account", "stands": []}
        over = await w.plane.good("GET", f"{OPERATIONS}/{again['id']}:wait?timeout=20")
        assert over["state"] == "done", over
        await w.all_ready("workspaces", 1)
        lines = [line for line in await w.plane.every("audit") if line["action"] == "operation.retried"]
        assert [(line["detail"]["of"], line["detail"]["reason"]) for line in lines] == [
            (failed["id"], "the quota was raised")
        ]
        once = await w.plane.call("POST", f"{path}:retry", {"reason": "twice"})
        assert (once.status, once.body["code"]) == (409, "cannot_retry")
        assert again["id"] in once.body["detail"]


async def made(w: World) -> bool:
    return bool(w.effects("create", "firewall"))
