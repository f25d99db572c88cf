"""`audit`: the evidence, the newest first; `audit verify`: no line of it was changed, dropped or cut off."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Final

from msgspec import to_builtins

from setpoint.cli.exits import Exit
from setpoint.cli.table import Column, lines
from setpoint.cli.text import plural
from setpoint.engine.rows import Audit
from setpoint.engine.store import AUDIT_BACK
from setpoint.loop.commands.outlook import hidden
from setpoint.loop.commands.seal import Chain, verified
from setpoint.loop.commands.session import Session
from setpoint.loop.commands.words import Flag, Form, Said, suggested
from setpoint.loop.station import Station, looking

AnyJson = Any
VERIFY: Final = "verify"
PAGE: Final = 50
MOST: Final = 1_000
END: Final = 2**62
"""Later than any revision."""
FORMS: Final = {
    "audit": Form(
        about="Read the evidence of this file, the newest first: who did what to which key, and why.\n"
        "verify: walk all of it, line by line, against its head and its seal; exit 1 if it is broken.",
        words="[verify]",
        flags=(
            Flag("--limit", f"how many lines, at most {MOST:,} ({PAGE} if left out)", "N"),
            Flag("--page", "go on where an earlier page ended", "PAGE"),
        ),
        examples="""\
{}                 the last lines
{} --limit 500     more of them
{} -o json         for programs; `next_page` goes on
{} verify          was anything changed, dropped or cut off?""",
    )
}


@dataclass(frozen=True, slots=True)
class Page:
    """Some lines of all chains of a file, the newest first, and where the next page begins."""

    lines: tuple[Audit, ...]
    following: str


def mistakes(verb: str, said: Said, names: Sequence[str]) -> list[str]:
    word, limit, page = said.words[0] if said.words else "", said.value("limit"), said.value("page")
    wrong = [f"audit is read, or verified; {word!r} is neither{suggested(word, [VERIFY])}"]
    wrong = [] if word in ("", VERIFY) else wrong
    if limit and not (limit.isdigit() and 0 < int(limit) <= MOST):
        wrong.append(f"--limit is a number from 1 to {MOST:,}, not {limit!r}")
    if page and len(_revisions(page)) != 1 + len(names):
        wrong.append(f"--page is what an earlier page of this file ended with, not {page!r}")
    return wrong


async def run(verb: str, session: Session, said: Said) -> int:
    async with looking(session.loops, session.place.folder, reads_only=True) as station:
        if not said.words:
            limit = int(said.value("limit") or PAGE)
            _show(session, await read(station, limit, said.value("page")), limit)
            return Exit.DONE
        chains = await verified(station.store, session.place.folder, station.tenants)
    broken = [chain for chain in chains if chain.broken]
    if session.screen.format == "json":
        body = {"whole": not broken, "chains": [asdict(chain) for chain in chains]}
        session.screen.data(json.dumps(body, ensure_ascii=False, indent=2))
    else:
        for line in _told(chains):
            session.screen.data(line)
    return Exit.FAILED if broken else Exit.DONE


async def read(station: Station, limit: int, page: str = "") -> Page:
    """Lines of all chains before a page's end; each has revisions of its own, so a page names all."""
    before = dict(zip(station.tenants, _revisions(page) or [END] * len(station.tenants), strict=True))
    found = [
        line
        for tenant, revision in before.items()
        for line in await station.store.read(AUDIT_BACK, organization=tenant, after=revision, limit=limit + 1)
    ]
    found.sort(key=lambda line: (line.at, line.revision), reverse=True)
    shown = tuple(found[:limit])
    if len(found) <= limit:
        return Page(shown, "")
    for line in shown:
        before[line.organization] = min(before[line.organization], line.revision)
    return Page(shown, ".".join(map(str, before.values())))


def _revisions(page: str) -> list[int]:
    parts = page.split(".") if page else []
    return [int(part) for part in parts] if all(part.isdigit() for part in parts) else []


def _show(session: Session, page: Page, limit: int) -> None:
    screen = session.screen
    if screen.format == "json":
        items = [hidden({**to_builtins(line), "at": _moment(line.at)}) for line in page.lines]
        screen.data(json.dumps({"items": items, "next_page": page.following}, ensure_ascii=False, indent=2))
        return
    if not page.lines:
        screen.data("No evidence yet: nothing was run or decided.")
        return
    columns = [Column("AT"), Column("BY"), Column("ACTION"), Column("LOOP"), Column("ABOUT", gives=True)]
    rows = [
        (_moment(line.at), line.actor, line.action, line.organization or "all", _about(line.detail))
        for line in page.lines
    ]
    for text in lines(columns, rows, screen.columns):
        screen.data(text)
    if page.following:
        words = ("--limit", str(limit)) if limit != PAGE else ()
        screen.say(f"  next: {session.place.command('audit', *words, '--page', page.following)}")


def _about(detail: Mapping[str, AnyJson]) -> str:
    """`delete old: gone already`, or the reason that a person gave."""
    shown = hidden(detail)
    what = " ".join(str(shown[word]) for word in ("verb", "item", "name") if shown.get(word))
    why = next((str(shown[word]) for word in ("said", "reason") if shown.get(word)), "")
    return ": ".join(part for part in (what, why) if part)


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _told(chains: Sequence[Chain]) -> list[str]:
    lines = [
        f"! the audit of {chain.organization or 'this file'} is broken: {chain.broken}"
        for chain in chains
        if chain.broken
    ]
    return lines or [f"= {plural(sum(chain.lines for chain in chains), 'line')} of audit, whole"]
