"""Doubts about trying again: much that fails, one that keeps failing, another writer who undoes it all."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from math import inf
from typing import Final

from msgspec.structs import replace

from setpoint.engine.case import Case, Doubt, Tried, named
from setpoint.engine.doubts import damage, truth
from setpoint.engine.entity import AnyJson, hash_of
from setpoint.engine.ledger import Contest
from setpoint.engine.limits import HOUR
from setpoint.engine.plan import ABSENT, UNKNOWN, Absence, Action, Verb
from setpoint.engine.rows import Act, ActState
from setpoint.words import times

RETRY_CEILING: Final = 60.0
SILENT_AT_MOST: Final = 3
"""So many acts in a row without an answer are no longer believed to be a matter of single keys."""
WHOLE: Final = ""  # A contest about the item itself, not about one of its fields.
NEVER: Final = -inf  # Before all times.


def failure_brake(case: Case) -> Doubt | None:
    """When most keys of an account fail, everything stops but one try now and then."""
    if not case.plan.actions or not is_braking(case):
        return None
    limits, window = case.limits, tried_keys(case)
    failed = [each for each in window if each.failed]
    stopped = [action.item for action in case.plan.actions]
    if case.now - max(each.at for each in window) >= limits.brake_probe_seconds:
        # The one tried longest ago: a single bad item must not use up every try.
        tried = {act.item: act.began_at for act in sorted(case.recent, key=lambda act: act.began_at)}
        stopped.remove(min(_free(case) or stopped, key=lambda item: tried.get(item, NEVER)))
    many = f"{len(failed)} of the last {len(window)} keys of this account failed, {failed[-1].said}"
    return f"{many}; one is tried every {limits.brake_probe_seconds:.0f} s", stopped


def is_braking(case: Case) -> bool:
    """Whether more than half of the window failed, and the last few tries were not all good."""
    window, limits = tried_keys(case), case.limits
    latest = window[-limits.brake_good :]
    good = len(latest) == limits.brake_good and not any(each.failed for each in latest)
    return sum(each.failed for each in window) > limits.brake_share * limits.brake_window and not good


def tried_keys(case: Case) -> tuple[Tried, ...]:
    """The keys of the account that were tried within the hour, each by its last act; the latest last."""
    tried = (*own_tries(case), *case.others)
    late = [each for each in tried if each.at > case.now - HOUR]
    return tuple(sorted(late, key=lambda each: each.at)[-case.limits.brake_window :])


def own_tries(case: Case) -> tuple[Tried, ...]:
    """This domain's keys and how their last act ended. A failure counts while the same is still to be done:
    another declaration, a release, and the slow lane take their key out.
    """
    slow, wanted = frozenset(slow_items(case)), {action.item: action for action in case.plan.actions}
    last = {act.item: act for act in sorted(case.recent, key=lambda act: act.began_at) if not act.deferred}
    return tuple(
        Tried(item, act.began_at, act.state is not ActState.DONE, f"{act.verb} {item}: {act.detail}")
        for item, act in last.items()
        if act.state is ActState.DONE
        or (
            item in wanted
            and item not in slow
            and hash_of(wanted[item].after) == hash_of(act.after)
            and act.began_at > let_go(case, item)
        )
    )


def _free(case: Case) -> list[str]:
    """What could be tried: nothing else withholds it, and it comes before what needs it or goes after it."""
    others = (truth.unsettled, truth.second_look, truth.waiting, damage.protection)
    doubts = (*others, contested, back_off, slow_lane)
    doubted = frozenset(item for check in doubts for item in (check(case) or ("", ()))[1])
    held, needs = truth.with_dependents(doubted, case.plan), case.plan.needs
    building = [a.item for a in case.plan.actions if not a.destructive and a.item not in held]
    removing = [a.item for a in case.plan.actions if a.destructive and a.item not in held]
    unbuilt = frozenset(building)
    needed = frozenset(need for item in removing for need in needs.get(item, ()))
    first = [item for item in building if unbuilt.isdisjoint(needs.get(item, ()))]
    return first or [item for item in removing if item not in needed]


def in_trouble(case: Case, acts: Sequence[Act]) -> bool:
    """Whether the account is in trouble after these acts of this pass; what single keys do costs the others
    nothing.
    """
    return lack_answers(acts) or is_braking(case.after(acts))


def lack_answers(acts: Sequence[Act]) -> bool:
    """Whether the last few had no answer. What a bug ended is unknown too, but nobody's fault out there."""
    last = acts[-SILENT_AT_MOST:]
    unanswered = (act.state is ActState.UNKNOWN and act.fault != "" for act in last)
    return len(last) == SILENT_AT_MOST and all(unanswered)


def back_off(case: Case) -> Doubt | None:
    """What failed for a reason of its own is tried again later, and longer after each time."""
    slow = frozenset(slow_items(case))
    waiting = [item for item, at in retried_at(case).items() if at > case.now and item not in slow]
    if not waiting:
        return None
    first = case.ledger.failing[waiting[0]]
    return f"{named(waiting)} failed {times(first.tries)} ({first.said}); tried again by itself", waiting


def retried_at(case: Case) -> dict[str, float]:
    """Item that failed as it is declared now -> when it is tried again."""
    return {
        action.item: failing.at + retry_seconds(action.item, failing.tries)
        for action in case.plan.actions
        if (failing := case.ledger.failing.get(action.item)) is not None
        and failing.at > let_go(case, action.item)
        and failing.intent == hash_of(action.after)
    }


def retry_seconds(item: str, tries: int) -> float:
    """Twice as long after each try, up to a minute; keys that fail together are not tried together again."""
    most = min(RETRY_CEILING, 0.5 * 2.0 ** min(tries, 12))
    return most * (0.5 + int(hash_of([item, tries])[:8], 16) / 2.0**33)


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
    return f"{named(slow)} failed {times(first.count)} alike ({first.said}); {every}", slow


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
    return f"{fought}; ours was undone {times(case.limits.contested_times)}", [
        item for item in fields if uncontested(actions[item], fields[item]) is None
    ]


def contested_fields(case: Case) -> Mapping[str, frozenset[str]]:
    """Item -> the fields of it that somebody else keeps changing back."""
    return {item: frozenset(contest.wishes) for item, contest in contests(case).items()}


def contests(case: Case) -> dict[str, Contest]:
    """Item -> what is contested about it: what was undone lately, and what was so and is not let go yet."""
    limits = case.limits
    since = case.now - max(limits.contested_seconds, limits.contested_intervals * case.interval)
    past: dict[str, list[Act]] = {}
    for act in sorted(case.recent, key=lambda act: act.began_at):
        if act.began_at > max(since, case.released.get(act.item, NEVER)):
            past.setdefault(act.item, []).append(act)
    found: dict[str, Contest] = {}
    for action in case.plan.actions:
        if action.item in past or action.item in case.ledger.contested:
            contest = _contest_about(action, past.get(action.item, []), case)
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
    undone = {field: _times_undone(field, action, past, case) for field in wishes}
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


def _times_undone(field: str, action: Action, past: list[Act], case: Case) -> int:
    """How often another writer changed what we had made of this field, and want to make of it again.

    Each act is compared with what was seen before the next one: what our own next act then changed is no
    contest, nor is what may not have been visible yet.
    """
    return sum(
        1
        for act, after in zip_longest(past, past[1:])
        if act.state is ActState.DONE
        and (after.began_at if after else case.now) - act.ended_at >= case.settles_in
        and _left(act, field) == _left(action, field)
        and _was_undone(act, after or action, field, case)
    )


def _was_undone(act: Act, following: Act | Action, field: str, case: Case) -> bool:
    """Whether what was seen before the following change is another writer's work."""
    if following.verb is Verb.UNPARK or (following.verb is Verb.CREATE and case.can_be_lost):
        return False
    return _seen(following, field) != _left(act, field)


def _left(change: Act | Action, field: str) -> AnyJson | Absence:
    """What a change makes of a field."""
    if change.verb in (Verb.PARK, Verb.DELETE):
        return ABSENT
    return change.after if field == WHOLE else _value(change.after, field)


def _seen(change: Act | Action, field: str) -> AnyJson | Absence:
    """What was there before this change."""
    if change.verb is Verb.CREATE:
        return ABSENT
    return change.before if field == WHOLE else _value(change.before, field)


def _value(whole: AnyJson, field: str) -> AnyJson | Absence:
    """What the field is there; unknown where there are no fields."""
    return whole.get(field, ABSENT) if isinstance(whole, dict) else UNKNOWN


def _contest(action: Action, fields: frozenset[str]) -> str:
    if WHOLE in fields:
        how = "comes back" if action.destructive else "is changed or removed by another writer"
        return f"{action.item} {how} each time"
    return f"another writer keeps changing {', '.join(sorted(fields))} of {action.item}"
