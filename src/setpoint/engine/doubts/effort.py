"""Doubts about trying again: much that fails, one that keeps failing, another writer who undoes it all."""

from collections.abc import Iterable, Mapping
from math import inf
from typing import Final

from msgspec.structs import replace

from setpoint.engine.case import Case, Doubt, named
from setpoint.engine.doubts import damage, truth
from setpoint.engine.entity import AnyJson, hash_of
from setpoint.engine.ledger import Contest
from setpoint.engine.limits import HOUR
from setpoint.engine.plan import ABSENT, DESTRUCTIVE, UNKNOWN, Absence, Action, Verb
from setpoint.engine.rows import Act, ActState

WHOLE: Final = ""  # A contest about the item itself, not about one of its fields.
NEVER: Final = -inf  # Before all times.


def failure_brake(case: Case) -> Doubt | None:
    """When most acts fail, everything stops but one try now and then."""
    window = _window(case)
    failed = [act for act in window if act.state in (ActState.FAILED, ActState.UNKNOWN)]
    limits = case.limits
    latest = window[-limits.brake_good :]
    good = len(latest) == limits.brake_good and all(act.state is ActState.DONE for act in latest)
    if not case.plan.actions or len(failed) <= limits.brake_share * limits.brake_window or good:
        return None
    stopped = [action.item for action in case.plan.actions]
    if case.now - window[-1].began_at >= limits.brake_probe_seconds:
        # The one tried longest ago: a single bad item must not use up every try.
        tried = {act.item: act.began_at for act in window}
        stopped.remove(min(_free(case) or stopped, key=lambda item: tried.get(item, NEVER)))
    every = f"one is tried every {limits.brake_probe_seconds:.0f} s"
    return f"{len(failed)} of the last {len(window)} acts failed ({failed[-1].detail}); {every}", stopped


def _free(case: Case) -> list[str]:
    """What could be tried: nothing else withholds it, and it comes before what needs it or goes after it."""
    others = (truth.unsettled, truth.second_look, truth.waiting, damage.protection, contested, slow_lane)
    doubted = frozenset(item for check in others for item in (check(case) or ("", ()))[1])
    held, needs = truth.with_dependents(doubted, case.plan), case.plan.needs
    building = [a.item for a in case.plan.actions if not a.destructive and a.item not in held]
    removing = [a.item for a in case.plan.actions if a.destructive and a.item not in held]
    unbuilt = frozenset(building)
    needed = frozenset(need for item in removing for need in needs.get(item, ()))
    first = [item for item in building if unbuilt.isdisjoint(needs.get(item, ()))]
    return first or [item for item in removing if item not in needed]


def _window(case: Case) -> list[Act]:
    """The last acts of the hour, without those of items that are known to be bad."""
    slow = frozenset(slow_items(case))
    acts = [act for act in case.recent if act.began_at > case.now - HOUR and act.item not in slow]
    acts = [act for act in acts if not act.deferred]
    return sorted(acts, key=lambda act: act.began_at)[-case.limits.brake_window :]


def slow_lane(case: Case) -> Doubt | None:
    """An item that keeps failing while the rest does well is tried now and then only."""
    slow = [
        item
        for item in slow_items(case)
        if case.now - case.ledger.failing[item].at < case.limits.slow_seconds
    ]
    if not slow:
        return None
    first = case.ledger.failing[slow[0]]
    every = f"tried every {case.limits.slow_seconds / 60:.0f} min"
    return f"{named(slow)} failed {first.count} times alike ({first.said}); {every}", slow


def slow_items(case: Case) -> Iterable[str]:
    """Items whose failure is their own: others did well meanwhile, and the intent is the one that failed."""
    for action in case.plan.actions:
        failing = case.ledger.failing.get(action.item)
        if failing is None or failing.count < case.limits.slow_failures:
            continue
        fresh = failing.at > let_go(case, action.item)
        if failing.alone and fresh and failing.intent == hash_of(action.after):
            yield action.item


def let_go(case: Case, item: str) -> float:
    """When its failures were last forgotten: the account came back, or a person said to try anew."""
    return max(case.recovered, case.released.get(item, NEVER))


def contested(case: Case) -> Doubt | None:
    """What another writer undoes again and again is no longer written; the two would fight for ever."""
    fields = contested_fields(case)
    if not fields:
        return None
    actions = {action.item: action for action in case.plan.actions}
    fought = "; ".join(_contest(actions[item], fields[item]) for item in sorted(fields)[:2])
    return f"{fought}; ours was undone {case.limits.contested_times} times", [
        item for item in fields if uncontested(actions[item], fields[item]) is None
    ]


def contested_fields(case: Case) -> Mapping[str, frozenset[str]]:
    """Item -> the fields of it that somebody else keeps changing back."""
    return {item: frozenset(contest.wishes) for item, contest in contests(case).items()}


def contests(case: Case) -> dict[str, Contest]:
    """Item -> what is contested about it: what was undone lately, and what was so and is not let go yet."""
    limits = case.limits
    since = case.now - max(limits.contested_seconds, limits.contested_intervals * case.interval)
    written: dict[str, list[Act]] = {}
    for act in case.recent:
        if act.state is ActState.DONE and act.began_at > max(since, case.released.get(act.item, NEVER)):
            written.setdefault(act.item, []).append(act)
    found: dict[str, Contest] = {}
    for action in case.plan.actions:
        if action.item in written or action.item in case.ledger.contested:
            contest = _contest_about(action, _visible(written.get(action.item, []), case), case)
            if contest.wishes:
                found[action.item] = contest
    return found


def uncontested(action: Action, fields: frozenset[str]) -> Action | None:
    """What is left to do when these fields are not ours to write; None when that is nothing."""
    if not fields:
        return action
    if WHOLE in fields or not isinstance(action.after, dict):
        return None
    ours = {key: value for key, value in action.after.items() if key not in fields}
    kept = ours | {key: value for key, value in action.before.items() if key in fields}
    return None if kept == action.before else replace(action, after=kept)


def _visible(acts: list[Act], case: Case) -> list[Act]:
    """Acts that had the time to be seen before the next one: doing twice what shows late is no contest."""
    ordered = sorted(acts, key=lambda act: act.began_at)
    following = (*(act.began_at for act in ordered[1:]), case.now)
    return [a for a, after in zip(ordered, following, strict=False) if after - a.ended_at >= case.settles_in]


def _fields(action: Action) -> frozenset[str]:
    before, after = action.before, action.after
    if action.verb is not Verb.UPDATE or not isinstance(before, dict) or not isinstance(after, dict):
        return frozenset({WHOLE})
    return frozenset(key for key in (*before, *after) if before.get(key, ABSENT) != after.get(key, ABSENT))


def _contest_about(action: Action, past: list[Act], case: Case) -> Contest:
    known = case.ledger.contested.get(action.item)
    if known is None or known.since <= case.released.get(action.item, NEVER):
        known = Contest(wishes={}, since=case.now)
    wishes = {field: _wish(action, field) for field in _fields(action)}
    undone = {field: sum(1 for act in past if _wrote(act, action, field)) for field in wishes}
    kept = {
        field: wish
        for field, wish in wishes.items()
        if known.wishes.get(field) == wish or undone[field] >= case.limits.contested_times
    }
    return replace(known, wishes=kept)


def _wish(action: Action, field: str) -> str:
    """What we want of a field: another wish is another chance."""
    if field == WHOLE:
        return hash_of([action.destructive, action.after])
    return hash_of([action.after[field]] if field in action.after else [])


def _wrote(act: Act, action: Action, field: str) -> bool:
    """Whether this act made of the field what the action wants to make of it again."""
    if field == WHOLE:
        alike = (act.verb in DESTRUCTIVE) == action.destructive
        return alike and (action.destructive or act.after == action.after)
    ours = _value(action.after, field)
    writes = act.verb in (Verb.CREATE, Verb.UPDATE)
    return writes and _value(act.after, field) == ours and _value(act.before, field) != ours


def _value(whole: AnyJson, field: str) -> AnyJson | Absence:
    """What the field is there; unknown where there are no fields."""
    return whole.get(field, ABSENT) if isinstance(whole, dict) else UNKNOWN


def _contest(action: Action, fields: frozenset[str]) -> str:
    if WHOLE in fields:
        how = "comes back" if action.destructive else "is changed or removed by another writer"
        return f"{action.item} {how} each time"
    return f"another writer keeps changing {', '.join(sorted(fields))} of {action.item}"
