"""Who asks for what is not done yet: a change on top of others that wait takes nobody's name off them."""

import pytest
from msgspec.structs import replace

from setpoint.engine.draft import Author, asking, counted
from setpoint.engine.entity import Declared, Ref, Scope, State, Status

ROW = Declared(
    ref=Ref("shelf/1"),
    kind="shelf",
    scope=Scope("acme"),
    name="novels",
    spec={},
    generation=7,
    people=("ann",),
)
BOB = Author(actor="bob", people=("bob",))
LOOP = Author(actor="agent of web-1")
SEEN = Status(ref=ROW.ref, state=State.READY, generation=7)
DONE = {"ready": SEEN, "degraded": replace(SEEN, state=State.DEGRADED)}
WAITS = {
    "never looked at": None,
    "looked at before": replace(SEEN, generation=6),
    "held": replace(SEEN, state=State.HELD),
    "a plan waits": replace(SEEN, plan="p1"),
    "failed": replace(SEEN, state=State.FAILED),
    "pending": replace(SEEN, state=State.PENDING),
}


def test_what_is_declared_first_is_its_authors() -> None:
    assert asking(None, None, BOB) == ("bob",)


@pytest.mark.parametrize("status", DONE.values(), ids=DONE)
def test_what_was_done_is_asked_for_by_nobody(status: Status) -> None:
    assert asking(ROW, status, BOB) == ("bob",)


@pytest.mark.parametrize("status", WAITS.values(), ids=WAITS)
def test_who_asked_for_what_waits_stays_before_who_comes_later(status: Status | None) -> None:
    assert asking(ROW, status, BOB) == ("ann", "bob")
    assert asking(ROW, status, LOOP) == ("ann",)
    assert asking(replace(ROW, people=("ann", "bob")), status, Author(actor="ann", people=("ann",))) == (
        "ann",
        "bob",
    )


def test_only_what_somebody_may_see_is_named() -> None:
    rows = [replace(ROW, name=name) for name in ("a", "b", "c", "d", "e")]
    assert counted(rows[:2], lambda _: True) == "shelf a, shelf b"
    assert counted(rows, lambda _: True) == "shelf a, shelf b, shelf c and 2 more"
    assert counted(rows, lambda row: row.name == "e") == "shelf e and 4 more"
    assert counted(rows[:1], lambda _: False) == "1 object that you may not see"
    assert counted(rows, lambda _: False) == "5 objects that you may not see"
