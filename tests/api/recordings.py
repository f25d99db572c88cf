"""Passes put on record by hand: situations that the engine takes long to get into."""

from typing import Any

from engine.situations import NOW
from setpoint.engine.case import Case
from setpoint.engine.entity import Ref
from setpoint.engine.guards import judge
from setpoint.engine.record import Recorded
from setpoint.engine.store import Change, Put

from .kit import Api


def recorded(number: int, case: Case, **more: Any) -> Recorded:
    """The pass of that number, judged as the engine does."""
    values: dict[str, Any] = {
        "id": f"p{number:04}",
        "ref": Ref("dns_zone/1"),
        "kind": "dns_zone",
        "name": "example-org",
        "organization": "acme",
        "at": NOW + number,
        "case": case,
        "verdict": judge(case),
    }
    return Recorded(**(values | more))


async def keep(api: Api, *rows: Any) -> None:
    await api.store.commit(Change(writes=tuple(Put(row) for row in rows)))
