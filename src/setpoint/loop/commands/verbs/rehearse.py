"""`rehearse`: what another limit would have held, or let go, over everything on record."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from msgspec import ValidationError, convert, to_builtins

from setpoint.cli.exits import Exit
from setpoint.cli.screen import Screen
from setpoint.cli.suggest import closest
from setpoint.cli.table import Column, lines
from setpoint.cli.text import duration
from setpoint.engine.limits import Limits
from setpoint.engine.record import Recorded, rehearsed
from setpoint.loop.commands.decided import decided, held_more
from setpoint.loop.commands.session import Session, no_such_loop
from setpoint.loop.commands.verbs.replay import moment, recorded
from setpoint.loop.commands.words import FULL, LOOP, Form, Said
from setpoint.loop.station import looking

AnyJson = Any
SHOWN: Final = 20
FORMS: Final = {
    "rehearse": Form(
        about="Show what other limits would have held, or let go, over every pass on record.",
        words="LIMIT=VALUE …",
        flags=(LOOP, FULL),
        examples="""\
{} deletes_ceiling=2
{} shrink_share=0.05 shrink_floor=1 --loop Flags
{} deletes_share=0.05 --full""",
        most=None,
    )
}


@dataclass(frozen=True, slots=True)
class Differs:
    """One pass that would have gone another way."""

    recorded: Recorded
    more: tuple[str, ...]
    less: tuple[str, ...]
    would: str


def mistakes(verb: str, said: Said, names: Sequence[str]) -> list[str]:
    wrong = no_such_loop(said.value("loop"), names)
    if not said.words:
        wrong.append(f"say which limit to try, as LIMIT=VALUE; there are: {_every_limit()}")
    for word in said.words:
        wrong += _wrong_limit(word)
    return wrong


async def run(verb: str, session: Session, said: Said) -> int:
    wanted = {name: float(value) for name, _, value in (word.partition("=") for word in said.words)}
    async with looking(session.loops, session.place.folder, reads_only=True) as station:
        chosen = session.chosen(said.value("loop"))
        passes = [one for one in await recorded(station) if one.name in chosen]
        now = station.runtime.now()
    differing = [found for one in passes if (found := differs(one, wanted)) is not None]
    _show(session.screen, len(passes), differing, now, full=said.has("full"))
    return Exit.DONE


def differs(one: Recorded, wanted: Mapping[str, float]) -> Differs | None:
    """How this pass would have gone under these limits; None: the same way."""
    limits = convert(to_builtins(one.case.limits) | dict(wanted), Limits, strict=False)
    would = rehearsed(one, limits)
    more, less = held_more(one.verdict, would), held_more(would, one.verdict)
    return Differs(one, more, less, decided(would)) if more or less else None


def _wrong_limit(word: str) -> list[str]:
    name, equals, value = word.partition("=")
    if name not in Limits.__struct_fields__:
        near = closest(name, Limits.__struct_fields__)
        hint = f"; did you mean {near}?" if near else f"; there are: {_every_limit()}"
        return [f"there is no limit {name!r}{hint}"]
    if not equals or not value:
        return [f"{name} needs a value: {name}={getattr(Limits(), name):g} is the default"]
    try:
        convert(to_builtins(Limits()) | {name: float(value)}, Limits, strict=False)
    except (ValidationError, ValueError) as error:
        return [f"{name}={value}: {str(error).partition(' - at')[0]}"]
    return []


def _every_limit() -> str:
    return ", ".join(f"{name}={value:g}" for name, value in to_builtins(Limits()).items())


def _show(screen: Screen, count: int, differing: Sequence[Differs], now: float, *, full: bool) -> None:
    more, less = (sum(bool(getattr(each, way)) for each in differing) for way in ("more", "less"))
    if screen.format == "json":
        items = [_as_json(each) for each in differing]
        body = {"passes": count, "held_more": more, "held_less": less, "items": items}
        screen.data(json.dumps(body, ensure_ascii=False, indent=2))
        return
    shown = differing if full else differing[:SHOWN]
    headings = ("PASS", "AGO", "LOOP", "AS IT WAS", "WOULD BE")
    columns = [Column(heading, gives=heading == "AS IT WAS") for heading in headings]
    rows = [
        (one.id, duration(now - one.at), one.name, decided(one.verdict), each.would)
        for each, one in ((each, each.recorded) for each in shown)
    ]
    for line in lines(columns, rows, screen.columns) if rows else ():
        screen.data(line)
    if len(shown) < len(differing):
        screen.data(f"and {len(differing) - len(shown):,} more; --full lists them")
    screen.data(f"{count:,} passes on record: {more:,} would have been held more, {less:,} less")


def _as_json(each: Differs) -> dict[str, AnyJson]:
    return {
        "id": each.recorded.id,
        "at": moment(each.recorded.at),
        "loop": each.recorded.name,
        "held_more": list(each.more),
        "held_less": list(each.less),
        "was": decided(each.recorded.verdict),
        "would_be": each.would,
    }
