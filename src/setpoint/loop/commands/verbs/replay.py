"""`replay`: recorded passes, judged again; the decision must be the same."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.screen import Screen
from setpoint.cli.table import Column, lines
from setpoint.cli.text import duration
from setpoint.engine.record import Recorded, replayed
from setpoint.engine.store import PASSES_PAGE
from setpoint.loop.commands.decided import decided
from setpoint.loop.commands.outlook import Held, Outlook, counted, safe_action
from setpoint.loop.commands.outlook import lines as outlined
from setpoint.loop.commands.session import Session
from setpoint.loop.commands.words import Flag, Form, Said
from setpoint.loop.station import Station, looking

AnyJson = Any
PAGE: Final = 200
SHOWN: Final = 20
FORMS: Final = {
    "replay": Form(
        about="Judge recorded passes again, by what they saw then: is the decision the same? Exit 1 if not.",
        words="[PASS]",
        flags=(Flag("--all", f"all of them, not only the last {SHOWN}"),),
        examples="""\
{}                      the last passes that decided something
{} --all                every one on record
{} 01h8p3k2c9e4         one of them, with all it weighed""",
    )
}


@dataclass(frozen=True, slots=True)
class Replayed:
    """One pass, and what the guards say about it today."""

    recorded: Recorded
    now: str

    @property
    def then(self) -> str:
        return decided(self.recorded.verdict)

    @property
    def same(self) -> bool:
        return self.then == self.now


def mistakes(verb: str, said: Said, names: Sequence[str]) -> list[str]:
    return ["name a pass or say --all, not both"] if said.words and said.has("all") else []


async def run(verb: str, session: Session, said: Said) -> int:
    named = said.words[0] if said.words else ""
    async with looking(session.loops, session.place.folder, reads_only=True) as station:
        most = None if said.has("all") or named else SHOWN
        passes = [Replayed(one, decided(replayed(one))) for one in await recorded(station, most)]
        now = station.runtime.now()
    found = [each for each in passes if each.recorded.id.startswith(named)]
    if named and not found:
        raise Stop(f"no recorded pass begins with {named!r}", Exit.USAGE, (session.place.command("replay"),))
    if session.screen.format == "json":
        body = {"items": [_as_json(each) for each in found], "same": all(each.same for each in found)}
        session.screen.data(json.dumps(body, ensure_ascii=False, indent=2))
    else:
        _show(session.screen, found, now, whole=bool(named))
    return Exit.DONE if all(each.same for each in found) else Exit.FAILED


async def recorded(station: Station, most: int | None = None) -> list[Recorded]:
    """Passes on record, the newest first."""
    found: list[Recorded] = []
    after = ""
    while most is None or len(found) < most:
        page = await station.store.read(PASSES_PAGE, ref="", after=after, limit=min(PAGE, most or PAGE))
        if not page:
            break
        found += page
        after = page[-1].id
    return found


def _show(screen: Screen, passes: Sequence[Replayed], now: float, *, whole: bool) -> None:
    if not passes:
        screen.data("Nothing is on record yet: passes are, that have something to decide.")
        return
    columns = [Column("PASS"), Column("AGO"), Column("LOOP"), Column("AGAIN"), Column("DECIDED", gives=True)]
    rows = [
        (each.recorded.id, duration(now - each.recorded.at), each.recorded.name, _again(each), _said(each))
        for each in passes
    ]
    table = lines(columns, rows, screen.columns)
    screen.data(table[0])
    for each, line in zip(passes, table[1:], strict=True):
        screen.data(line)
        for more in outlined(_outlook(each.recorded), screen, margin=2) if whole else ():
            screen.data(more)
    differ = sum(not each.same for each in passes)
    verdict = f"{differ} differ" if differ else "every decision is the same"
    screen.data(f"{len(passes):,} judged again: {verdict}")


def _outlook(one: Recorded) -> Outlook:
    held = tuple(Held(hold.guard, hold.message) for hold in one.verdict.holds)
    return Outlook(one.name, one.case.plan.actions, held)


def _again(each: Replayed) -> str:
    return "= same" if each.same else "! differs"


def _said(each: Replayed) -> str:
    if each.same:
        return each.then
    return f"then: {each.then}; now: {each.now}"


def _as_json(each: Replayed) -> dict[str, AnyJson]:
    plan = each.recorded.case.plan
    return {
        "id": each.recorded.id,
        "at": moment(each.recorded.at),
        "loop": each.recorded.name,
        "plan": counted(plan.actions),
        "actions": [safe_action(action) for action in plan.actions],
        "decided": each.then,
        "again": each.now,
        "same": each.same,
    }


def moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")
