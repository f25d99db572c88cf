"""`run`: passes over the loops of a file, once or until told to stop; it acts with --enforce only."""

import json
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.listing import SYMBOLS
from setpoint.cli.text import clean, folded
from setpoint.drive.fail_points import fail_point
from setpoint.engine.errors import Denied, Rejected
from setpoint.loop.commands.facts import Standing, standing
from setpoint.loop.commands.outlook import as_json, lines
from setpoint.loop.commands.report import Report
from setpoint.loop.commands.seal import seal
from setpoint.loop.commands.session import Session, no_such_loop
from setpoint.loop.commands.turns import Ending, begun_only_while_wanted, ending, endlessly, once
from setpoint.loop.commands.verbs.plan import worst
from setpoint.loop.commands.words import Flag, Form, Said
from setpoint.loop.keyed import Keyed
from setpoint.loop.notify import Notifier, Targets, targets_for
from setpoint.loop.page.page import page
from setpoint.loop.station import Station, working

AnyJson = Any
HIGHEST_PORT: Final = 65_535
NOTIFY: Final = "SETPOINT_NOTIFY"
"""Who is told where neither the command nor the loop says so: one target a line."""
FORMS: Final = {
    "run": Form(
        about="Look at each loop on its interval, and close differences safely; only look, unless --enforce.",
        words="[LOOP]",
        flags=(
            Flag("--enforce", "act; without it nothing is changed"),
            Flag("--once", "until each loop rests, is held or fails; then end, with an exit code"),
            Flag("--page", "a page at http://127.0.0.1:PORT; 0 picks one", "PORT", bare="0"),
            Flag("--watch", "look at once when this file changes", "PATH"),
            Flag("--notify", "tell this command or URL what needs you; may be repeated", "TARGET", many=True),
        ),
        examples="""\
{}                     looks, and changes nothing
{} --enforce           makes it so, and keeps it so
{} --enforce --once    for cron: exit 0, 3, 4 or 1
{} --enforce --page 8080 --watch flags.json
{} --enforce --notify https://hooks.example.org/T0123

Ctrl-C lets the act under way finish and begins nothing more.
A second one leaves at once, which is safe: what was begun is on record.""",
    )
}


def mistakes(verb: str, said: Said, names: Sequence[str]) -> list[str]:
    wrong = no_such_loop(said.words[0] if said.words else "", names)
    port, watched = said.value("page"), said.value("watch")
    if port and (not port.isdigit() or int(port) > HIGHEST_PORT):
        wrong.append(f"--page is a port from 0 to {HIGHEST_PORT}, not {port!r}")
    if watched and not Path(watched).exists():
        wrong.append(f"--watch {watched}: there is no such file")
    if said.has("once") and (port or watched):
        wrong.append("--once ends at once, so --page and --watch would show and see nothing")
    return wrong


async def run(verb: str, session: Session, said: Said) -> int:
    chosen = session.chosen(said.words[0] if said.words else "")
    loops = [loop for loop in session.loops if loop.name() in chosen]
    targets = _targets(session, loops, said)
    async with AsyncExitStack() as stack:
        try:
            reached = fail_point(session.screen.environment.get("SETPOINT_FAIL_AT", ""))
            entering = working(loops, session.place.folder, enforce=said.has("enforce"), reached=reached)
            station = await stack.enter_async_context(entering)
        except Denied as error:
            raise _taken(session, error) from error
        end = stack.enter_context(ending(session.screen))
        station = begun_only_while_wanted(station, end)
        report = Report(session, station)
        if any(targets.values()) and said.has("enforce"):
            report.notifier = Notifier(targets, session.place.folder, station.runtime.now, report.say)
            stack.callback(report.notifier.close)
        await report.begin()
        _greet(session, enforce=said.has("enforce"))
        found = await _work(session, station, said, (report, end))
        await report.tell()
        await seal(station.store, session.place.folder, station.tenants)
    _show(session, found)
    code = worst((each.code for each in found), session)
    if code is Exit.PENDING and said.has("once"):
        # What waits lets go by itself: the next look decides.
        session.screen.say(f"  next: {session.place.command('run', '--enforce', '--once')}")
    return code if end.code is None else end.code


async def _work(
    session: Session, station: Station, said: Said, parts: tuple[Report, Ending]
) -> list[Standing]:
    report, end = parts
    if said.has("once"):
        found = [await once(session.place, station, name, parts) for name in station.loops]
        if report.notifier is not None:
            await report.notifier.deliver()
        return found
    async with AsyncExitStack() as stack:
        if port := said.value("page"):
            enforce = "" if said.has("enforce") else session.place.command("run", "--enforce")
            url = await stack.enter_async_context(page(session, station, int(port), enforce))
            session.screen.say(f"page at {url}")
        watched = Path(said.value("watch")) if said.value("watch") else None
        await endlessly(station, report, end, watched)
    return [await standing(session.place, station, name) for name in station.loops]


def _targets(session: Session, loops: Sequence[Keyed], said: Said) -> Targets:
    try:
        return targets_for(loops, said.all("notify"), session.screen.environment.get(NOTIFY, ""))
    except Rejected as error:
        raise Stop(str(error), Exit.USAGE, (session.place.command("run", "--help"),)) from error


def _greet(session: Session, *, enforce: bool) -> None:
    if not enforce:
        session.screen.say("observing only: nothing is changed")
        session.screen.say(f"  next: {session.place.command('run', '--enforce')}")


def _taken(session: Session, error: Denied) -> Stop:
    """Somebody else enforces this file: they go on, and everything but a second run works beside them."""
    place = session.place
    words = f"{place.file} is run by another process already: {str(error).partition(' has this folder')[0]}"
    return Stop(words, Exit.REFUSED, (place.command("why"), place.command("pause", "--all")))


def _show(session: Session, found: Sequence[Standing]) -> None:
    screen = session.screen
    if screen.format == "json":
        body = {"loops": [_as_json(each) for each in found]}
        screen.data(json.dumps(body, ensure_ascii=False, indent=2))
        return
    for each in found:
        state = str(each.status.state)
        told = f"{each.outlook.loop}: {SYMBOLS.get(state, '?')} {state} {clean(each.status.reason)}"
        for line in folded(told, screen.columns, 2):
            screen.data(screen.paint(line, state))
        for line in lines(each.outlook, screen, margin=2) if not each.blind else ():
            screen.data(line)


def _as_json(each: Standing) -> dict[str, AnyJson]:
    status = {"state": str(each.status.state), "reason": each.status.reason, "exit": int(each.code)}
    return {**as_json(each.outlook), **status}
