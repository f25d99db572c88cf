"""Cases for the guards: everything that a test does not name has one quiet value."""

from collections.abc import Iterable, Mapping
from typing import Any

from setpoint.engine.doubts import Case, Lever, Limits
from setpoint.engine.entity import Ref
from setpoint.engine.plan import Action, Plan, Verb
from setpoint.engine.rows import Act, ActState, Ledger, Mode

NOW = 1_000_000.0
ZONE = Ref("zone/1")


def case(actions: Iterable[Action] = (), **more: Any) -> Case:
    """A domain of 100 items that had 100 declared when a plan was last let through."""
    sizes = {name: more.pop(name, 100) for name in ("desired", "actual")}
    known = {name: more.pop(name) for name in ("accepted", "before", "wave", "rolling") if name in more}
    values: dict[str, Any] = {
        "plan": Plan(actions=tuple(actions), **sizes),
        "ledger": Ledger(ref=ZONE, **known),
        "limits": Limits(),
        "levers": (),
        "recent": (),
        "deleting": False,
        "settles_in": 10.0,
        "now": NOW,
    }
    return Case(**(values | more))


def creates(number: int) -> tuple[Action, ...]:
    return tuple(Action(verb=Verb.CREATE, item=f"new-{n:05d}", after=n) for n in range(number))


def updates(number: int) -> tuple[Action, ...]:
    return tuple(Action(verb=Verb.UPDATE, item=f"old-{n:05d}", before=n, after=-n) for n in range(number))


def deletes(number: int, **more: Any) -> tuple[Action, ...]:
    return tuple(Action(verb=Verb.DELETE, item=f"x-{n:05d}", before=n, **more) for n in range(number))


def act(item: str = "x", verb: Verb = Verb.DELETE, age: float = 60.0, **more: Any) -> Act:
    """An act that was begun, and by default done, so long ago."""
    values: dict[str, Any] = {"began_at": NOW - age, "ended_at": NOW - age, "state": ActState.DONE} | more
    return Act(id=f"act-{item}", domain=ZONE, organization="acme", verb=verb, item=item, **values)


def acts(number: int, **more: Any) -> tuple[Act, ...]:
    return tuple(act(f"spent-{n}", **more) for n in range(number))


def lever(mode: Mode) -> tuple[Lever, ...]:
    return (Lever(mode, "ann (storm)"),)


ALONE: Mapping[str, Case] = {
    "observe_only": case(creates(1), levers=lever(Mode.OBSERVE)),
    "no_deletes": case(deletes(1), levers=lever(Mode.NO_DELETES)),
    "unsettled": case(creates(1), recent=(act("new-00000", Verb.CREATE, state=ActState.UNKNOWN),)),
    "second_look": case(creates(1), looks={"new-00000": {"it": "is there"}}),
    "empty_intent": case(deletes(1), desired=0, actual=20),
    "shrunken_intent": case(deletes(1), desired=79, accepted=100),
    "delete_budget": case(deletes(11), desired=89, accepted=100),
    "leaves_nothing": case(deletes(1), desired=0, actual=0),
    "protection": case(deletes(1, protected=True), desired=99, accepted=100),
}
"""For each guard a situation that it alone withholds something from."""
