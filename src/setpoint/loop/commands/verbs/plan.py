"""`plan`: what would change and what would be held, by looking only."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from setpoint.cli.exits import Exit
from setpoint.cli.text import clean, folded
from setpoint.engine.entity import State
from setpoint.engine.errors import FAILURES
from setpoint.loop.commands.facts import judged_now, outlook_of
from setpoint.loop.commands.onward import needs_person
from setpoint.loop.commands.outlook import Outlook, as_json, lines
from setpoint.loop.commands.session import Session, no_such_loop
from setpoint.loop.commands.words import FULL, Form, Said
from setpoint.loop.station import Station, looking

FORMS: Final = {
    "plan": Form(
        about="Show what would change and what would be held, and why. Reads only: nothing is changed.",
        words="[LOOP]",
        flags=(FULL,),
        examples="""\
{}                 every loop of the file
{} Flags --full    one loop, every single change
{} -o json         for programs

exit 0 in step, 3 something would change, 4 something is held for a person, 1 could not look""",
    )
}


def mistakes(verb: str, said: Said, names: Sequence[str]) -> list[str]:
    return no_such_loop(said.words[0] if said.words else "", names)


async def run(verb: str, session: Session, said: Said) -> int:
    chosen = session.chosen(said.words[0] if said.words else "")
    async with looking(session.loops, session.place.folder, reads_only=True) as station:
        found = [await outlook_now(session, station, name) for name in chosen]
    code = worst((code for _, code in found), session)
    outlooks = [outlook for outlook, _ in found]
    if session.screen.format == "json":
        body = {"loops": [as_json(each) for each in outlooks], "exit": int(code)}
        session.screen.data(json.dumps(body, ensure_ascii=False, indent=2))
    else:
        _show(session, outlooks, full=said.has("full"))
        if code is Exit.PENDING:
            session.screen.say(f"  next: {session.place.command('run', '--enforce', '--once')}")
    return code


async def outlook_now(session: Session, station: Station, name: str) -> tuple[Outlook, Exit]:
    """One loop, looked at now; and what that comes to as an exit code."""
    try:
        judged = await judged_now(station, name)
    except FAILURES as error:
        return Outlook(name, error=str(error)), Exit.FAILED
    plan, verdict = judged.plan, judged.verdict
    outlook = await outlook_of(session.place, station, name, (judged.gathered.case, verdict))
    if plan.state is State.DEGRADED:
        outlook = replace(outlook, note=plan.reason)
    if needs_person(verdict):
        return outlook, Exit.HELD
    return outlook, Exit.PENDING if plan.actions or outlook.note else Exit.DONE


def worst(codes: Iterable[Exit], session: Session) -> Exit:
    """What is said of several loops is what is said of the worst; one that cannot run has failed."""
    ranks = (Exit.DONE, Exit.PENDING, Exit.HELD, Exit.FAILED)
    failed = (Exit.FAILED,) if session.broken else ()
    found: tuple[Exit, ...] = (*codes, *failed)
    return max(found, key=ranks.index)


def _show(session: Session, outlooks: Sequence[Outlook], *, full: bool) -> None:
    screen = session.screen
    for outlook in outlooks:
        body = lines(outlook, screen, full=full)
        if len(outlooks) > 1 and body:
            screen.data(screen.paint(outlook.loop, "heading"))
        for line in body:
            screen.data(line)
    summary = " · ".join(each.summary for each in outlooks)
    for line in folded(clean(summary), screen.columns, 2):
        screen.data(screen.paint(line, "heading"))
