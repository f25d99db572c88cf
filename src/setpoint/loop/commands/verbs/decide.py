"""`approve` and `reject`: a person's answer to a held plan, for exactly what is shown."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import to_builtins

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.text import clean, plural
from setpoint.engine.approval import approve, granted, reject
from setpoint.engine.consent import concerned, only
from setpoint.engine.plan import Action, Plan
from setpoint.engine.rows import PlanRow
from setpoint.loop.commands.facts import held_plans
from setpoint.loop.commands.outlook import hidden, told
from setpoint.loop.commands.seal import seal
from setpoint.loop.commands.session import Session
from setpoint.loop.commands.words import REASON, YES, Flag, Form, Said, suggested
from setpoint.loop.station import Station, looking

PLAN: Final = "its id or digest, or the beginning of one; may be left out when only one is held"
ONLY: Final = Flag("--only", "approve this item alone; may be repeated", "ITEM", many=True)
FORMS: Final = {
    "approve": Form(
        about=f"Let a held plan go ahead: exactly the items shown, once, for an hour.\nPLAN is {PLAN}.",
        words="[PLAN]",
        flags=(REASON, ONLY, YES),
        examples="""\
{} --reason "the old flags are retired"
{} --reason "this one is mine" --only old-1 --only old-2
{} 3f9c21 --reason "ticket 4711" --yes

`run --enforce` in another terminal goes on at once. Scripts say --yes, for nobody can be asked.
A plan that would destroy one thing more asks again.""",
    ),
    "reject": Form(
        about=f"Give a held plan up; it stays held until what is declared changes.\nPLAN is {PLAN}.",
        words="[PLAN]",
        flags=(REASON, YES),
        examples='{} --reason "the file was empty by mistake"',
    ),
}


def mistakes(verb: str, said: Said, names: Sequence[str]) -> list[str]:
    if said.value("reason").strip():
        return []
    return [f'{verb} needs a reason: add --reason "why"']


async def run(verb: str, session: Session, said: Said) -> int:
    async with looking(session.loops, session.place.folder) as station:
        plans = await held_plans(station, session.names)
        plan = _chosen(session, plans, said.words[0] if said.words else "")
        items = _meant(session, plan, said.all("only"))
        _show(session, plan, items)
        if not said.has("yes") and not _confirmed(session, verb, plan, items):
            session.screen.say(f"Nothing was {past(verb)}.")
            return Exit.HELD
        decided = await _decide(session, station, plan, Decision(verb, said.value("reason"), items))
    if session.screen.format == "json":
        session.screen.data(json.dumps(hidden(to_builtins(decided)), ensure_ascii=False, indent=2))
    else:
        part = f"{len(items)} of {plural(len(_asked(plan)), 'item')} of " if said.all("only") else ""
        are = "are" if part and len(items) != 1 else "is"
        decision = f"{are} {past(verb)} by {session.place.person}"
        session.screen.data(f"{part}plan {plan.id} for {plan.name} {decision}")
    if verb == "approve":
        session.screen.say(f"  next: {session.place.command('run', '--enforce', '--once')}")
    return Exit.DONE


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person says: approve or reject, why, and to which items."""

    verb: str
    reason: str
    items: frozenset[str]


async def _decide(session: Session, station: Station, plan: PlanRow, said: Decision) -> PlanRow:
    runtime, actor = station.runtime, session.place.person
    now, identity = runtime.now(), runtime.new_id()
    if said.verb == "approve":
        until = now + station.limits(plan.name).approval_seconds
        approval = granted(plan, identity=identity, actor=actor, reason=said.reason, times=(now, until))
        change = approve(plan, only(approval, said.items))
    else:
        change = reject(plan, identity=identity, actor=actor, reason=said.reason, now=now)
    await station.store.commit(change)
    await seal(station.store, session.place.folder, station.tenants)
    return await station.store.get(PlanRow, plan.id) or plan


def _asked(plan: PlanRow) -> tuple[Action, ...]:
    """What a person is asked about."""
    return concerned(Plan(actions=plan.actions), plan.holds)


def _meant(session: Session, plan: PlanRow, named: Sequence[str]) -> frozenset[str]:
    """The items that were named, or all that are asked about; every one that is unknown is an error."""
    known = {action.item for action in _asked(plan)}
    unknown = [item for item in named if item not in known]
    if unknown:
        words = ", ".join(repr(item) for item in unknown)
        steps = tuple(f"--only {item}{suggested(item, sorted(known))}" for item in unknown)
        raise Stop(f"plan {plan.id} does not ask about {words}; nothing was approved", Exit.USAGE, steps)
    return frozenset(named or known)


def past(verb: str) -> str:
    return "approved" if verb == "approve" else "rejected"


def matching(plans: Sequence[PlanRow], named: str) -> list[PlanRow]:
    """Plans whose id or digest is this or begins with it; all of them for no name."""
    exact = [plan for plan in plans if named in (plan.id, plan.digest)]
    return exact or [plan for plan in plans if plan.id.startswith(named) or plan.digest.startswith(named)]


def _chosen(session: Session, plans: Sequence[PlanRow], named: str) -> PlanRow:
    found = matching(plans, named)
    if len(found) == 1:
        return found[0]
    if not plans:
        raise Stop(
            "nothing is held, so there is nothing to decide", Exit.FAILED, (session.place.command("plan"),)
        )
    steps = tuple(session.place.command("approve", plan.id, "--reason", "WHY") for plan in found or plans)
    if found:
        raise Stop(f"{len(found)} held plans are meant by {named or 'that'!r}; say which", Exit.USAGE, steps)
    raise Stop(f"no held plan is called {named!r}", Exit.USAGE, steps)


def _show(session: Session, plan: PlanRow, items: frozenset[str]) -> None:
    """Every single item: what is not shown cannot be approved."""
    screen = session.screen
    for hold in plan.holds:
        screen.say(f"{screen.paint('!', '!')} {hold.guard}: {clean(hold.message)}")
    gone, rest = told((action for action in _asked(plan) if action.item in items), full=True)
    for line in (*gone, *rest):
        screen.say(f"  {screen.paint(line, line[0])}")


def _confirmed(session: Session, verb: str, plan: PlanRow, items: frozenset[str]) -> bool:
    count = "this item" if len(items) == 1 else f"these {plural(len(items), 'item')}"
    question = f"{verb.capitalize()} exactly {count} of {plan.name}? [y/N] "
    return session.screen.ask(question, f"say --yes to {verb} without being asked").lower() in ("y", "yes")
