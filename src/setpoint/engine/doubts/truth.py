"""Doubts about what is true: is it known, is it complete, is it meant?"""

from collections.abc import Container, Iterable
from typing import Final

from setpoint.engine.case import Case, Doubt, Measure, named, strictest
from setpoint.engine.entity import AnyJson
from setpoint.engine.limits import DAY
from setpoint.engine.plan import ABSENT, Absence, Action, Plan, Verb
from setpoint.engine.rows import Act, ActState, Mode

MAKING: Final = frozenset({Verb.CREATE, Verb.UNPARK})  # What is not there before it.
MADE_ANEW: Final = frozenset({Verb.CREATE, Verb.REPLACE})
"""What comes of them may not be seen at once, and a second try would make it twice."""


def observe_only(case: Case) -> Doubt | None:
    """The switch or the account's mode allows looking only."""
    lever = strictest(case.levers)
    if lever.mode in (Mode.RUN, Mode.NO_DELETES) or not case.plan.actions:
        return None
    return f"{lever.mode} by {lever.source}: nothing is changed", ()


def unsettled(case: Case) -> Doubt | None:
    """An act without an answer makes its item unknown until a look decides it."""
    unanswered = {act.item for act in case.recent if act.open}
    fresh = frozenset(unsettled_items(case.recent, case.now, case.settles_in))
    waiting = [
        a.item for a in case.plan.actions if a.item in unanswered or (a.item in fresh and a.verb in MADE_ANEW)
    ]
    if not waiting:
        return None
    return f"an act on {named(waiting)} has no visible effect yet; looking before acting again", waiting


def unsettled_items(
    acts: Iterable[Act], now: float, settles_in: float, ended: Container[ActState] = (ActState.DONE,)
) -> Iterable[str]:
    """Items with an open act, and those whose making `ended` so lately that missing them proves nothing."""
    last: dict[str, Act] = {}
    for act in sorted(acts, key=lambda act: act.began_at):
        made = act.verb in MADE_ANEW and act.state in ended
        # What was done to it between, or could not be done, does not make it any easier to see.
        if made or act.open or (act.verb is Verb.DELETE and act.state is ActState.DONE):
            last[act.item] = act
    for item, act in last.items():
        if act.open or (act.verb in MADE_ANEW and act.ended_at > now - settles_in):
            yield item


def second_look(case: Case) -> Doubt | None:
    """A direct look must agree before something missing is re-created or something undeclared deleted."""
    looks = {look.item: look.seen for look in case.looks}
    doubted = [a.item for a in case.plan.actions if a.item in looks and not _agrees(a, looks[a.item])]
    if not doubted:
        return None
    return f"the listing and a direct look disagree about {named(doubted)}", doubted


def _agrees(action: Action, look: AnyJson | Absence) -> bool:
    """Creating needs absence, deleting needs the very thing that was seen; unknown is neither."""
    return look is ABSENT or (action.verb is not Verb.CREATE and look == action.before)


def mass_silence(case: Case) -> Doubt | None:
    """Much that is gone at once says more about the observer than about the world."""
    gone, (missing, watched) = _gone(case), _most_missing(case)
    if not gone or not measure_silence(case).exceeded:
        return None
    return f"{missing} of {watched} are gone at once; the observer is doubted, nothing is remade", gone


def measure_silence(case: Case) -> Measure:
    missing, watched = _most_missing(case)
    return Measure(missing, _may_be_missing(watched, case), "gone at once")


def _gone(case: Case) -> list[str]:
    known = frozenset(case.ledger.known)
    return [a.item for a in case.plan.actions if a.verb is Verb.CREATE and a.item in known]


def _most_missing(case: Case) -> tuple[int, int]:
    """How many are missing of how many: of this domain, or of what is watched together elsewhere."""
    gone = _gone(case)
    counts = ((len(gone), len(gone) + _staying(case)), (case.plan.vanished, case.plan.watched))
    return max(counts, key=lambda count: count[0] - _may_be_missing(count[1], case))


def _staying(case: Case) -> int:
    """How many that were ours are there and wanted: what nobody declares says nothing about the rest."""
    leaving = {action.item for action in case.plan.actions if action.destructive}
    return len((case.plan.known & frozenset(case.ledger.known)) - leaving)


def _may_be_missing(watched: int, case: Case) -> int:
    return max(case.limits.vanished_floor, int(case.limits.vanished_share * watched))


def newer_than_journal(case: Case) -> Doubt | None:
    """What an act made that our journal does not hold is newer than our database."""
    newer = [a.item for a in case.plan.actions if a.destructive and a.item in case.newer]
    if not newer:
        return None
    return (
        f"{len(newer)} carry our mark from acts that this journal does not hold: {named(newer)}; "
        "the database is older than the world",
        newer,
    )


def adoption(case: Case) -> Doubt | None:
    """What was made by somebody else becomes ours only after a person agreed to it."""
    taken = sorted(a.item for a in case.plan.actions if a.item in case.plan.adopts)
    if not taken:
        return None
    count = "1 that carries no mark" if len(taken) == 1 else f"{len(taken)} that carry no mark"
    return f"{count} would become ours: {named(taken)}", taken


def empty_intent(case: Case) -> Doubt | None:
    """Nothing declared while something exists is taken for a mistake."""
    if case.plan.desired or not case.plan.actual or not case.deletes:
        return None
    return f"nothing is declared while {case.plan.actual} exist; that would delete all {case.plan.actual}", ()


def shrunken_intent(case: Case) -> Doubt | None:
    """Much less declared than was accepted within a day is taken for a mistake."""
    found = measure_shrinking(case)
    if not case.deletes or not found.exceeded:
        return None
    fewer = f"{case.plan.desired} are declared, {found.used} fewer than the {_accepted(case)} accepted"
    return f"{fewer} within a day", ()


def measure_shrinking(case: Case) -> Measure:
    explicit = sum(1 for a in case.plan.actions if a.destructive and a.explicit)
    largest, limits = _accepted(case), case.limits
    allowed = max(limits.shrink_floor, int(limits.shrink_share * largest))
    return Measure(max(0, largest - case.plan.desired - explicit), allowed, "fewer declared within a day")


def _accepted(case: Case) -> int:
    """The most that was declared and accepted within a day."""
    earlier = (size for until, size in case.ledger.before if until > case.now - DAY)
    return max([case.ledger.accepted, *earlier])


def lost_group(case: Case) -> Doubt | None:
    """A whole declared group that is gone is taken for a source that was not read."""
    if not case.deletes:
        return None
    lost = [
        group
        for group, size in case.ledger.groups.items()
        if size >= case.limits.group_floor and not case.plan.groups.get(group)
    ]
    if not lost:
        return None
    size = sum(case.ledger.groups[group] for group in lost)
    return f"nothing of {named(lost)} is declared any more, where {size} were", ()


def waiting(case: Case) -> Doubt | None:
    """Nothing is created before what it depends on is there, or taken away from what stays and needs it."""
    plan = case.plan
    creates = [a.item for a in plan.actions if a.verb is Verb.CREATE] if plan.waits_for else []
    leaving = {a.item for a in plan.actions if a.verb in (Verb.PARK, Verb.DELETE)}
    staying = plan.needs.keys() - leaving
    needed = sorted(leaving.intersection(need for item in staying for need in plan.needs[item]))
    if not creates and not needed:
        return None
    said = [f"waiting for {plan.waits_for}"] if creates else []
    said += [f"still needed by what stays: {named(needed)}"] if needed else []
    return "; ".join(said), (*creates, *needed)


def with_dependents(withheld: frozenset[str], plan: Plan) -> frozenset[str]:
    """Nothing is made whose need is not made, and nothing taken away that something kept still needs."""
    creating = {a.item for a in plan.actions if a.verb in MAKING}
    removing = {a.item for a in plan.actions if a.destructive}
    while plan.needs:
        more = {
            item
            for item, needs in plan.needs.items()
            for need in needs
            if item in creating and need in creating and need in withheld
        } | {
            need
            for item, needs in plan.needs.items()
            for need in needs
            if item in removing and need in removing and item in withheld
        }
        if more <= withheld:
            break
        withheld |= more
    return withheld
