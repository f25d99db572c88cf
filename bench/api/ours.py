"""`setpoint up` with so many rows: a token with a role, schema, audit chain, event, one durable commit."""

import asyncio
import atexit
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from bench.api import trials
from bench.api.work import COLLECTION, declaration, name, spec
from bench.process import Caller, Process
from bench.trial import Trial
from setpoint.engine.entity import Declared, Ref, Scope, slot
from setpoint.engine.store import DECLARED_AT, Change, Put
from setpoint.storage.sqlite import open_sqlite

KIND: Final = "notification_channel"
BATCH: Final = 5_000
PATIENCE: Final = 120
RESTING: Final = 0.05
"""Seconds of CPU in one second on the wall."""
RATE: Final = "1000000"
"""Requests a second that one credential may make: they are counted, and here nobody is to be refused."""


def reads(size: int) -> Trial:
    return trials.reads(_filled(size), size)


def writes(size: int) -> Trial:
    return trials.writes(_filled(size), size)


def pages(size: int) -> Trial:
    return trials.pages(_filled(size), size)


def _filled(size: int) -> Process:
    os.environ["SETPOINT_CREDENTIAL_RATE"] = RATE
    folder = Path(tempfile.mkdtemp(prefix="setpoint-bench-api-"))
    arguments = ("up", "--data", str(folder), "--port", "0")
    first = Process(arguments)
    caller = Caller(first.ready["url"], first.ready["token"])
    acme = {"kind": "organization", "metadata": {"name": "acme"}, "spec": {}}
    caller.call("PUT", "/v1/organizations/acme", acme)
    caller.call("POST", COLLECTION, declaration(name(0), 0))
    caller.close()
    first.close()
    asyncio.run(_fill(folder, size))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return _at_rest(Process(arguments))


def _at_rest(started: Process) -> Process:
    """The scheduler looks through everything once when it starts: that is no request's cost."""
    for _ in range(PATIENCE):
        before = started.cpu
        time.sleep(1.0)
        if started.cpu - before < RESTING:
            break
    return started


async def _fill(folder: Path, size: int) -> None:
    """As the API would have stored them, in a few commits."""
    store = await open_sqlite(folder)
    try:
        [sample] = await store.read(DECLARED_AT, slot=slot(KIND, Scope("acme"), name(0)))
        for begin in range(1, size, BATCH):
            rows = (_row(sample, number) for number in range(begin, min(begin + BATCH, size)))
            await store.commit(Change(writes=tuple(map(Put, rows))))
    finally:
        await store.close()


def _row(sample: Declared, number: int) -> Declared:
    return replace(sample, ref=Ref(f"{KIND}/{number:026}"), name=name(number), spec=spec(number))
