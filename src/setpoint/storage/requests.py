"""Each named query about what requests leave behind, answered from rows in memory."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from setpoint.engine.request import Attempt, Past
from setpoint.engine.rows import PlanRow, PlanState, Question, Task
from setpoint.engine.store import AnyRow
from setpoint.storage.shelf import Shelf


class Rows(Protocol):
    """What a memory store holds."""

    shelves: dict[type[AnyRow], Shelf[AnyRow]]


def attempts_before(rows: Rows, before: float, limit: int) -> list[Attempt]:
    found = sorted(rows.shelves[Attempt].all(), key=lambda row: (row.until, row.key))
    return [row for row in found if row.until < before][:limit]


def tasks_over(rows: Rows, after: str, limit: int) -> list[Task]:
    over = (row for row in rows.shelves[Task].all() if not row.open and row.id > after)
    return sorted(over, key=lambda row: row.id)[:limit]


def questions_over(rows: Rows, limit: int) -> list[PlanRow]:
    found = (row for row in rows.shelves[PlanRow].all() if row.ref.startswith("plan/"))
    over = (row for row in found if row.state is not PlanState.ASKED)
    return sorted(over, key=lambda row: row.ref)[:limit]


def questions_in(rows: Rows, organization: str, state: str, limit: int) -> list[Question]:
    found = rows.shelves[PlanRow].where("organization", organization)
    return [Question(id=each) for each in sorted(row.id for row in found if row.state == state)[:limit]]


def pasts_of(rows: Rows, ref: str, limit: int) -> list[Past]:
    found = rows.shelves[Past].where("ref", ref)
    return sorted(found, key=lambda row: row.generation, reverse=True)[:limit]


def pasts_before(rows: Rows, before: float, limit: int) -> list[Past]:
    found = sorted(rows.shelves[Past].all(), key=lambda row: (row.at, row.key))
    return [row for row in found if row.at < before][:limit]


ANSWERS: Final[Mapping[str, Callable[..., list[Any]]]] = {
    answer.__name__: answer
    for answer in (attempts_before, tasks_over, questions_over, questions_in, pasts_of, pasts_before)
}
