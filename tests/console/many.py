"""A control plane with thousands of objects and one large plan, in a process of its own."""

import asyncio
import contextlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from typing import Any, Final

from setpoint.engine.entity import Declared, Ref, Scope, State, Status
from setpoint.engine.plan import Action, Verb
from setpoint.engine.rows import HoldRow, PlanRow, PlanState
from setpoint.engine.store import Change, Put
from setpoint.storage.sqlite import open_sqlite

AnyJson = Any
PLAN: Final = "many"
HOSTS: Final = 1_000
KIND: Final = "notification_channel"
LINK: Final = re.compile(r"http\S+/start#[^\s']+")
BATCH: Final = 2_500
PATIENCE: Final = 120.0
STATES: Final = (State.READY,) * 16 + (State.HELD, State.FAILED, State.DEGRADED, State.PENDING)


def name(number: int) -> str:
    return f"channel-{number:05}"


@contextlib.contextmanager
def many(folder: Path, size: int) -> Iterator[AnyJson]:
    """Filled before it is started: `url`, `token`, and the `link` of the first administrator."""
    with ThreadPoolExecutor(1) as aside:  # The browser's own loop runs on this thread.
        aside.submit(lambda: asyncio.run(_fill(folder / "data", size))).result()
    ready, log = folder / "ready.json", folder / "log"
    command = [sys.executable, "-m", "setpoint", "up", "--data", str(folder / "data"), "--port", "0"]
    with log.open("wb") as told:
        process = subprocess.Popen([*command, "--ready-file", str(ready)], stdout=told, stderr=told)  # noqa: S603 - our own program
    try:
        until = time.monotonic() + PATIENCE
        while not (ready.exists() and ready.read_text() and LINK.search(log.read_text())):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < until, "it did not start"
            time.sleep(0.05)
        yield {**json.loads(ready.read_text()), "link": LINK.findall(log.read_text())[0]}
    finally:
        process.kill()
        process.wait()


async def _fill(folder: Path, size: int) -> None:
    """As the API would have stored them, and as a scheduler would have found them."""
    store = await open_sqlite(folder)
    try:
        acme = Declared(ref=Ref("organization/1"), kind="organization", scope=Scope(), name="acme", spec={})
        await store.commit(Change(writes=(Put(acme), Put(_plan()))))
        states = cycle(STATES)
        for begin in range(0, size, BATCH):
            rows = [_row(number) for number in range(begin, min(begin + BATCH, size))]
            statuses = [Status(ref=row.ref, state=next(states), reason="as if it were so") for row in rows]
            await store.commit(Change(writes=tuple(map(Put, [*rows, *statuses]))))
    finally:
        await store.close()


def _row(number: int) -> Declared:
    return Declared(
        ref=Ref(f"{KIND}/{number:026}"),
        kind=KIND,
        scope=Scope("acme"),
        name=name(number),
        spec={
            "url": f"https://hooks.example.org/{number}",
            "secret": "secret://hooks",
            "severities": ["critical"],
        },
        labels={"team": f"team-{number % 40}", "stage": "live"},
        created_at=1.7e9,
        changed_at=1.7e9 + number,
    )


def _plan() -> PlanRow:
    """The same change to a thousand hosts."""
    return PlanRow(
        id=PLAN,
        ref=Ref("host_group/1"),
        kind="host_group",
        scope=Scope("acme"),
        name="web",
        state=PlanState.HELD,
        digest="d" * 32,
        actions=tuple(_action(number) for number in range(HOSTS)),
        holds=(HoldRow(guard="delete_budget", message="a thousand at once", withholds="plan"),),
        desired=HOSTS,
        actual=HOSTS,
        created_at=1.7e9,
    )


def _action(number: int) -> Action:
    before = {"size": "cx22", "image": "debian-12", "notes": "x" * 200, "name": f"web-{number:04}"}
    return Action(verb=Verb.REPLACE, item=f"web-{number:04}", before=before, after=before | {"size": "cx42"})
