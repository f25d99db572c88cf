"""What each guard asks of a case: one pure function per guard, with the numbers in its answer."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Final

from setpoint.engine.entity import AnyJson, Shape
from setpoint.engine.plan import ABSENT, Absence, Action, Plan, Verb
from setpoint.engine.rows import Act, ActState, Ledger, Mode

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR
SHOWN: Final = 3  # How many items a sentence names before it counts the rest.

Doubt = tuple[str, Iterable[str]]  # The sentence, and the items it is about.


class Limits(Shape, frozen=True):
    """How much is too much. Settable per installation and per kind; never off."""

    deletes_share: float = 0.10
    deletes_ceiling: int = 10
    small_domain: int = 10
    shrink_share: float = 0.20
    shrink_floor: int = 3
    wave_share: float = 0.25
    wave_floor: int = 10
    approval_seconds: float = HOUR


@dataclass(frozen=True, slots=True)
class Lever:
    """One switch or account mode that applies here, with who set it."""

    mode: Mode
    source: str
    release: str = ""  # The command that lets go of it.


@dataclass(frozen=True, slots=True)
class Case:
    """All that a judgement may depend on, gathered before it."""

    plan: Plan
    ledger: Ledger
    limits: Limits
    levers: tuple[Lever, ...]
    recent: tuple[Act, ...]  # This domain's acts of the last hour, open ones included however old.
    deleting: bool  # A person asked for the whole domain to go.
    settles_in: float
    now: float
    looks: Mapping[str, AnyJson | Absence] = field(default_factory=dict)

    @property
    def deletes(self) -> tuple[Action, ...]:
        """Destructive actions nobody asked for by name."""
        if self.deleting:
            return ()
        return tuple(a for a in self.plan.actions if a.destructive and not a.explicit)


def strictest(levers: Iterable[Lever]) -> Lever:
    """The lever that decides."""
    order = tuple(Mode)
    return max(levers, key=lambda lever: order.index(lever.mode), default=Lever(Mode.RUN, "nobody"))


def observe_only(case: Case) -> Doubt | None:
    """The switch or the account's mode allows looking only."""
    lever = strictest(case.levers)
    if lever.mode in (Mode.RUN, Mode.NO_DELETES) or not case.plan.actions:
        return None
    return f"{lever.mode} by {lever.source}: nothing is changed", ()


def no_deletes(case: Case) -> Doubt | None:
    """The switch or the account's mode allows no deletes."""
    lever = strictest(case.levers)
    removing = [a for a in case.plan.actions if a.destructive]
    if lever.mode is not Mode.NO_DELETES or not removing:
        return None
    return f"no deletes by {lever.source}: {len(removing)} wait", ()


def unsettled(case: Case) -> Doubt | None:
    """An act without an answer makes its item unknown until a look decides it."""
    unanswered = {act.item for act in case.recent if act.open}
    fresh = frozenset(unsettled_items(case.recent, case.now, case.settles_in))
    waiting = [
        a.item
        for a in case.plan.actions
        if a.item in unanswered or (a.item in fresh and a.verb is Verb.CREATE)
    ]
    if not waiting:
        return None
    return f"an act on {_named(waiting)} has no visible effect yet; looking before acting again", waiting


def unsettled_items(acts: Iterable[Act], now: float, settles_in: float) -> Iterable[str]:
    """Items whose last act is open, or made them so recently that not seeing them proves nothing."""
    last = {act.item: act for act in sorted(acts, key=lambda act: act.began_at)}
    for item, act in last.items():
        fresh = act.state is ActState.DONE and act.verb is Verb.CREATE and act.ended_at > now - settles_in
        if act.open or fresh:
            yield item


def empty_intent(case: Case) -> Doubt | None:
    """Nothing declared while something exists is taken for a mistake."""
    if case.plan.desired or not case.plan.actual or not case.deletes:
        return None
    return f"nothing is declared while {case.plan.actual} exist; that would delete all {case.plan.actual}", ()


def shrunken_intent(case: Case) -> Doubt | None:
    """Much less declared than was accepted within a day is taken for a mistake."""
    if not case.deletes:
        return None
    explicit = sum(1 for a in case.plan.actions if a.destructive and a.explicit)
    largest = max((size for until, size in case.ledger.before if until > case.now - DAY), default=0)
    largest = max(largest, case.ledger.accepted)
    fewer = largest - case.plan.desired - explicit
    if fewer <= case.limits.shrink_floor or fewer <= case.limits.shrink_share * largest:
        return None
    return f"{case.plan.desired} are declared, {fewer} fewer than the {largest} accepted within a day", ()


def delete_budget(case: Case) -> Doubt | None:
    """Only so many deletes at once and an hour; above that none of them."""
    deletes, owned = len(case.deletes), case.plan.actual
    spent = sum(
        1
        for act in case.recent
        if act.verb in (Verb.DELETE, Verb.PARK, Verb.REPLACE)
        and not act.explicit
        and not act.approval
        and act.state is not ActState.FAILED
        and act.began_at > case.now - HOUR
    )
    if not deletes:
        return None
    if owned + spent <= case.limits.small_domain:
        cycle = hour = max(1, ceil((owned + spent) / 2))
    else:
        cycle = min(case.limits.deletes_ceiling, max(1, int(case.limits.deletes_share * owned)))
        hour = 2 * cycle
    if deletes <= cycle and spent + deletes <= hour:
        return None
    return f"{deletes} deletes of {owned}; allowed are {cycle} at once and {hour} an hour, {spent} spent", ()


def leaves_nothing(case: Case) -> Doubt | None:
    """The last ones are never deleted without a person."""
    deletes = len(case.deletes)
    replacing = any(action.verb is Verb.REPLACE for action in case.deletes)
    if not deletes or case.plan.actual - deletes > 0 or (case.plan.desired and not replacing):
        return None
    return f"deleting {deletes} of {case.plan.actual} leaves nothing", ()


def protection(case: Case) -> Doubt | None:
    """What is protected is not deleted by any path."""
    guarded = [a.item for a in case.plan.actions if a.destructive and a.protected]
    if not guarded:
        return None
    return f"protected, so not deleted: {_named(guarded)}", guarded


def second_look(case: Case) -> Doubt | None:
    """A direct look must agree before something missing is re-created or something undeclared deleted."""
    doubted = [
        a.item for a in case.plan.actions if a.item in case.looks and not _agrees(a, case.looks[a.item])
    ]
    if not doubted:
        return None
    return f"the listing and a direct look disagree about {_named(doubted)}", doubted


def _agrees(action: Action, look: AnyJson | Absence) -> bool:
    """Creating needs absence, deleting needs the very thing that was seen; unknown is neither."""
    return look is ABSENT or (action.verb is not Verb.CREATE and look == action.before)


def _named(items: list[str]) -> str:
    shown = ", ".join(sorted(items)[:SHOWN])
    return shown if len(items) <= SHOWN else f"{shown} and {len(items) - SHOWN} more"
