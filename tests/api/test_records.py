"""What was done: tasks with their progress, events, and an audit chain that shows who touched it."""

import asyncio
import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from declarations import workspace
from harness import ORGANIZATION, world

from .kit import Api, channel

AUDIT = f"{ORGANIZATION}/audit"
EDIT = "UPDATE audit SET body = CAST"


async def test_a_task_shows_its_steps_and_not_what_it_saved(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        await w.plane.declare([*w.setting(), workspace()])
        await w.all_ready("workspaces", 1)
        (task,) = await w.plane.every("tasks")
        assert (task["pipeline"], task["state"]) == ("workspace.create", "done")
        assert task["steps_done"] == task["steps"]
        assert "saved" not in task
        whole = await w.plane.good("GET", f"{ORGANIZATION}/tasks/{task['id']}")
        assert whole | task == whole
        assert [turn["step"] for turn in whole["story"]] == whole["steps_done"]
        assert (whole["earlier"], whole["usual"]) == ([], None)
        for path in (f"/v1/organizations/other/tasks/{task['id']}", f"{ORGANIZATION}/tasks/none"):
            assert (await w.plane.call("GET", path)).status == 404


async def test_events_are_listed_as_cloudevents_too(api: Api) -> None:
    wanted = {"Accept": "application/cloudevents-batch+json"}
    first = await api.get(f"{ORGANIZATION}/events?page_size=4", headers=wanted)
    assert first.headers["Content-Type"] == "application/cloudevents-batch+json"
    assert first.headers["Link"] == f'<{ORGANIZATION}/events?page_token=4>; rel="next"'
    assert [event["id"] for event in first.body] == [f"acme/{n}" for n in (1, 2, 3, 4)]
    assert {event["type"] for event in first.body} == {"dev.setpoint.entity.config_changed.v1"}
    last = await api.get(f"{ORGANIZATION}/events?page_token=4", headers=wanted)
    assert ("Link" in last.headers, last.body[0]["id"]) == (False, "acme/5")


async def once_the_key_is_made(api: Api) -> list[Any]:
    """The whole chain, when the organization's own key, which is made beside it, is in it."""
    async with asyncio.timeout(60):
        while True:
            lines: list[Any] = (await api.good("GET", f"{AUDIT}?page_size=500"))["items"]
            if any(line["action"] == "key.made" for line in lines):
                return lines
            await asyncio.sleep(0.05)


async def test_every_change_of_intent_is_in_the_chain(api: Api) -> None:
    path = f"{ORGANIZATION}/notification_channels/hooks"
    await api.good("PATCH", path, {"metadata": {"labels": {"a": "b"}}})
    await api.good("DELETE", path)
    lines = await once_the_key_is_made(api)
    about = [(line["actor"], line["action"]) for line in lines if line["detail"].get("name") == "hooks"]
    assert about == [("administrator", f"intent.{verb}") for verb in ("declared", "changed", "deleted")]
    assert [line["previous"] for line in lines[1:]] == [line["hash"] for line in lines[:-1]]
    verdict = await api.good("GET", f"{AUDIT}:verify")
    assert (verdict["intact"], verdict["lines"], verdict["broken_at"]) == (True, len(lines), None)


async def test_the_chain_is_read_from_its_end_and_narrowed(api: Api) -> None:
    path = f"{ORGANIZATION}/notification_channels/hooks"
    await api.good("PATCH", path, {"metadata": {"labels": {"a": "b"}}})
    await api.good("DELETE", path)
    every = await once_the_key_is_made(api)
    back = f"{AUDIT}?order_by=revision%20desc"
    first = await api.good("GET", f"{back}&page_size=2")
    rest = await api.good("GET", f"{back}&page_size=500&page_token={first['next_page_token']}")
    assert first["items"] + rest["items"] == every[::-1]
    (one,) = (await api.good("GET", f"{back}&page_size=1&about=hooks&action=intent"))["items"]
    hooks = [line for line in every if line["detail"].get("name") == "hooks"]
    assert (one, one["action"]) == (hooks[-1], "intent.deleted")
    same = await api.good("GET", f"{AUDIT}?about={one['ref']}&action=intent.changed&actor=administrator")
    assert [line["revision"] for line in same["items"]] == [hooks[-2]["revision"]]
    assert same["next_page_token"] == ""
    assert (await api.good("GET", f"{AUDIT}?actor=nobody"))["items"] == []
    assert (await api.get(f"{AUDIT}?order_by=actor")).body["code"] == "bad_query"


@pytest.mark.parametrize(
    "tamper",
    [
        f"{EDIT}(replace(CAST(body AS TEXT), 'administrator', 'somebody') AS BLOB) WHERE revision = ?",
        f"{EDIT}(replace(CAST(body AS TEXT), '\"at\":1', '\"at\":2') AS BLOB) WHERE revision = ?",
        "DELETE FROM audit WHERE revision = ?",
        "DELETE FROM audit WHERE revision > ?",
    ],
    ids=["another actor", "another time", "a line gone", "the end gone"],
)
async def test_a_chain_touched_behind_our_back_is_noticed(api: Api, tamper: str) -> None:
    for number in range(5):
        await api.declare(channel(f"c{number}"))
    assert (await api.good("GET", f"{AUDIT}:verify"))["intact"] is True
    revisions = [line["revision"] for line in (await api.get(f"{AUDIT}?page_size=500")).body["items"]]
    touched, following = revisions[4:6]
    with contextlib.closing(sqlite3.connect(api.data / "setpoint.db", timeout=10)) as database:
        assert database.execute(tamper, (touched,)).rowcount
        database.commit()
    verdict = await api.good("GET", f"{AUDIT}:verify")
    assert verdict["intact"] is False
    assert verdict["broken_at"] in (touched, following)


async def test_an_organization_nobody_declared_has_no_past(api: Api) -> None:
    for what in ("events", "audit", "tasks", "plans"):
        assert (await api.get(f"/v1/organizations/nobody/{what}")).body["items"] == []
    assert (await api.good("GET", "/v1/organizations/nobody/audit:verify"))["lines"] == 0
