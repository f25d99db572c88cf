"""`pause` and `resume`: the red button of a loop file, in force when the command returns."""

import json
from collections.abc import Sequence
from typing import Final

from msgspec import to_builtins

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.table import Column, lines
from setpoint.cli.text import duration
from setpoint.engine.entity import Declared
from setpoint.engine.levers import flipped
from setpoint.engine.rows import Mode, Switch
from setpoint.engine.store import SWITCHES, joined
from setpoint.loop.commands.changing import ALL, key_of, paused, resumed, woken
from setpoint.loop.commands.seal import seal
from setpoint.loop.commands.session import Session, no_such_loop
from setpoint.loop.commands.words import REASON, Flag, Form, Said, suggested
from setpoint.loop.station import Station, looking

MODES: Final = ("stop", "observe", "no-deletes")
EVERY: Final = Flag("--all", "every loop of the file")
LIST: Final = Flag("--list", "only show what is paused now")
FORMS: Final = {
    "pause": Form(
        about="Stop acting on one loop or on all. In force when this returns: no act begins after it.\n"
        "Without a loop and without --all: show what is paused now.",
        words="[LOOP]",
        flags=(EVERY, LIST, Flag("--mode", "stop, observe or no-deletes", "MODE", default="stop"), REASON),
        examples="""\
{}                  what is paused now; also --list
{} --all --reason "something is off"
{} Flags --mode no-deletes --reason "migration"

stop and observe: nothing is changed. no-deletes: what is built goes on, nothing is taken away.""",
    ),
    "resume": Form(
        about="Act again on what was paused. The first delete afterwards waits for two complete looks.",
        words="[LOOP]",
        flags=(EVERY, REASON),
        examples="""\
{} --all
{} Flags
{}                  the only thing that is paused""",
    ),
}


def mistakes(verb: str, said: Said, names: Sequence[str]) -> list[str]:
    named = said.words[0] if said.words else ""
    wrong = no_such_loop(named, names)
    if named and said.has("all"):
        wrong.append("name a loop or say --all, not both")
    acts = verb == "pause" and not said.has("list")
    if acts and (named or said.has("all")) and not said.value("reason").strip():
        wrong.append('pausing needs a reason: add --reason "why"')
    if acts and said.value("reason") and not named and not said.has("all"):
        wrong.append("say what to pause: a loop, or --all")
    mode = said.value("mode") or MODES[0]
    if mode not in MODES:
        wrong.append(f"--mode is one of {', '.join(MODES)}, not {mode!r}{suggested(mode, MODES)}")
    return wrong


async def run(verb: str, session: Session, said: Said) -> int:
    named = said.words[0] if said.words else ""
    async with looking(session.loops, session.place.folder) as station:
        if verb == "resume":
            await resume(session, station, await _paused_name(session, station, said))
        elif (named or said.has("all")) and not said.has("list"):
            await pause(session, station, named, (Mode(said.value("mode")), said.value("reason").strip()))
        left = await standing(station)
        if verb == "pause" or left or session.screen.format == "json":
            _show(session, station, left)
    return Exit.DONE


async def pause(session: Session, station: Station, named: str, wanted: tuple[Mode, str]) -> None:
    """Committed when this returns; an empty name is every loop."""
    declared = (await station.entity(named)).declared if named else None
    known = await station.store.get(Switch, key_of(declared))
    mode, reason = wanted
    now = station.runtime.now()
    new = Switch(key=key_of(declared), mode=mode, by=session.place.person, reason=reason, since=now)
    await _flip(session, station, known, paused(known, new))


async def resume(session: Session, station: Station, named: str) -> None:
    declared = (await station.entity(named)).declared if named else None
    known = await station.store.get(Switch, key_of(declared))
    what = named or "every loop"
    if known is None or known.mode is Mode.RUN:
        session.screen.say(
            f"{what} was not paused." if named or await standing(station) else "Nothing is paused."
        )
        return
    await _flip(session, station, known, resumed(known, session.place.person, station.runtime.now()))
    session.screen.say(f"Resumed: {what}. Before its first delete it looks twice.")


async def standing(station: Station) -> list[Switch]:
    """What is paused now, of this file's loops."""
    return [switch for switch in await station.store.read(SWITCHES) if switch.mode is not Mode.RUN]


async def _flip(session: Session, station: Station, known: Switch | None, switch: Switch) -> None:
    rows: list[Declared] = [(await station.entity(name)).declared for name in station.loops]
    about = [row for row in rows if switch.key in (ALL, key_of(row))]
    wakes = [(station.runtime.new_id(), row) for row in about]
    await station.store.commit(joined((flipped(switch, known), woken(wakes))))
    await seal(station.store, session.place.folder, station.tenants)


async def _paused_name(session: Session, station: Station, said: Said) -> str:
    """What to resume: the loop named, everything, or the only thing that is paused."""
    if said.words or said.has("all"):
        return said.words[0] if said.words else ""
    found = await standing(station)
    names = [_called(station, switch.key) for switch in found]
    if len(found) > 1:
        steps = tuple(session.place.command("resume", "--all" if n == ALL else n) for n in names)
        raise Stop(f"{len(found)} things are paused; say which to resume", Exit.USAGE, steps)
    return names[0] if names and names[0] != ALL else ""


def _called(station: Station, key: str) -> str:
    return next((name for name in station.loops if key == f"domain:{station.ref(name)}"), key)


def _show(session: Session, station: Station, switches: Sequence[Switch]) -> None:
    screen = session.screen
    if screen.format == "json":
        items = [{**to_builtins(s), "loop": _called(station, s.key)} for s in switches]
        screen.data(json.dumps({"items": items}, ensure_ascii=False, indent=2))
        return
    if not switches:
        screen.data("Nothing is paused.")
        return
    now = station.runtime.now()
    columns = [Column("PAUSED"), Column("MODE"), Column("SINCE"), Column("BY"), Column("REASON", gives=True)]
    rows = [(_called(station, s.key), str(s.mode), duration(now - s.since), s.by, s.reason) for s in switches]
    for line in lines(columns, rows, screen.columns):
        screen.data(line)
    for switch in switches:
        word = "--all" if switch.key == ALL else _called(station, switch.key)
        screen.say(f"  next: {session.place.command('resume', word)}")
