"""Cases for the guards: everything that a test does not name has one quiet value."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from setpoint.engine.case import Case, Lever, Look, Room, Tried
from setpoint.engine.entity import Ref, hash_of
from setpoint.engine.guards import judge
from setpoint.engine.ledger import Failing, Ledger
from setpoint.engine.limits import Limits
from setpoint.engine.plan import Action, Plan, Verb
from setpoint.engine.rows import Act, ActState, Mode

NOW: Final = 1_000_000.0
ZONE: Final = Ref("zone/1")
OF_PLAN: Final = (
    "adopts",
    "desired",
    "actual",
    "weight",
    "unhealthy",
    "needs",
    "waits_for",
    "vanished",
    "watched",
)
OF_LEDGER: Final = (
    "accepted",
    "before",
    "wave",
    "created",
    "rolling",
    "sizes",
    "planned",
    "failing",
    "known",
)


def ledger(**more: Any) -> Ledger:
    """A domain on proven ground: looked at twice on the footing we stand on, a minute ago."""
    return Ledger(ref=ZONE, **({"looks": 2, "looked_at": NOW - 60.0} | more))


def case(actions: Iterable[Action] = (), **more: Any) -> Case:
    """A domain of 100 items on proven ground. Numbers of its plan and its ledger may be named as well."""
    fields = {name: more.pop(name) for name in OF_PLAN if name in more}
    known = {name: more.pop(name) for name in OF_LEDGER if name in more}
    actions, remembered = tuple(actions), more.get("ledger") or ledger(**known)
    # What was there and is not to be made anew is there still.
    there = frozenset(remembered.known) - {a.item for a in actions if a.verb is Verb.CREATE}
    values: dict[str, Any] = {
        "plan": Plan(actions=actions, **({"desired": 100, "actual": 100, "known": there} | fields)),
        "ledger": remembered,
        "limits": Limits(),
        "settles_in": 10.0,
        "now": NOW,
    }
    return Case(**(values | more))


def guards_of(judged: Case) -> list[str]:
    """The names of those that hold something."""
    return [hold.guard for hold in judge(judged).holds]


def creates(number: int) -> tuple[Action, ...]:
    return tuple(Action(verb=Verb.CREATE, item=f"new-{n:05d}", after=n) for n in range(number))


def updates(number: int) -> tuple[Action, ...]:
    return tuple(Action(verb=Verb.UPDATE, item=f"old-{n:05d}", before=n, after=-n) for n in range(number))


def deletes(number: int, **more: Any) -> tuple[Action, ...]:
    return tuple(Action(verb=Verb.DELETE, item=f"x-{n:05d}", before=n, **more) for n in range(number))


def act(item: str = "x", verb: Verb = Verb.DELETE, age: float = 60.0, **more: Any) -> Act:
    """An act that was begun, and by default done, so long ago."""
    values: dict[str, Any] = {"began_at": NOW - age, "ended_at": NOW - age, "state": ActState.DONE} | more
    return Act(id=f"act-{item}-{age}", domain=ZONE, organization="acme", verb=verb, item=item, **values)


def acts(number: int, **more: Any) -> tuple[Act, ...]:
    return tuple(act(f"spent-{n}", **more) for n in range(number))


def still_wanted(recent: Iterable[Act]) -> tuple[Action, ...]:
    """What these acts were to bring about, where they did not."""
    return tuple(
        Action(verb=each.verb, item=each.item, before=each.before, after=each.after)
        for each in recent
        if each.state is not ActState.DONE
    )


def lever(mode: Mode) -> tuple[Lever, ...]:
    return (Lever(mode, "ann (storm)"),)


def looks(**found: Any) -> tuple[Look, ...]:
    """What direct looks said: item -> value, ABSENT or UNKNOWN."""
    return tuple(Look.of(item, seen) for item, seen in found.items())


def room(left: int, name: str = "the installation", limit: int = 200) -> tuple[Room, ...]:
    return (Room(name, limit, left),)


def failing(after: Any, **more: Any) -> Failing:
    """Something that failed eight times alike, most lately a minute ago, while others did well."""
    values: dict[str, Any] = {"said": "no", "count": 8, "since": NOW - 600, "at": NOW - 60, "alone": True}
    return Failing(**(values | {"intent": hash_of(after), "tries": more.get("count", 8)} | more))


def undone(item: str, after: Any, times: int = 3, **more: Any) -> tuple[Act, ...]:
    """Updates of this item that were done one after the other, a minute apart."""
    return tuple(act(item, Verb.UPDATE, age=60.0 * n, after=after, **more) for n in range(times, 0, -1))


BAD: Final = tuple(Tried(f"zone/2|{n}", NOW - 10.0, failed=True) for n in range(11))
ALONE: Mapping[str, Case] = {
    "observe_only": case(creates(1), levers=lever(Mode.OBSERVE)),
    "no_deletes": case(deletes(1), levers=lever(Mode.NO_DELETES)),
    "unsettled": case(creates(1), recent=(act("new-00000", Verb.CREATE, state=ActState.UNKNOWN),)),
    "second_look": case(creates(1), looks=looks(**{"new-00000": {"it": "is there"}})),
    "waiting": case(creates(1), waits_for="zone a, which is PENDING: new"),
    "mass_silence": case(creates(1), known=("new-00000",), vanished=4, watched=19),
    "newer_than_journal": case(deletes(1), newer=frozenset({"x-00000"})),
    "adoption": case(updates(1), adopts=frozenset({"old-00000"})),
    "empty_intent": case(deletes(1), desired=0, actual=20),
    "shrunken_intent": case(deletes(1), desired=79, accepted=100),
    "lost_group": case(deletes(1), ledger=ledger(groups={"mail": 3})),
    "new_memory": case(deletes(1), ledger=ledger(known=("x-00000", "kept"), since=NOW - 60), unmarked=True),
    "delete_budget": case(deletes(11), desired=89, accepted=100, weight=1_000),
    "leaves_nothing": case(deletes(1), desired=0, actual=0),
    "weight": case(deletes(2, weight=100), weight=1_500, desired=98),
    "fleet_budget": case(deletes(2), rooms=room(1)),
    "unusual_plan": case(deletes(11), actual=200, sizes=(3,) * 5, limits=Limits(deletes_ceiling=11)),
    "probation": case(deletes(1), ledger=ledger(looks=1)),
    "left_out": case(deletes(1), left=frozenset({deletes(1)[0].item})),
    "protection": case(deletes(1, protected=True), desired=99, accepted=100),
    "failure_brake": case(creates(1), others=BAD),
    "contested": case(updates(2)[1:], recent=undone("old-00001", -1, before=1)),
    "back_off": case(
        creates(1), failing={"new-00000": failing(0, count=3, tries=3, at=NOW - 1, alone=False)}
    ),
    "slow_lane": case(creates(1), failing={"new-00000": failing(0)}),
}
"""For each guard a situation that it alone withholds something from."""
