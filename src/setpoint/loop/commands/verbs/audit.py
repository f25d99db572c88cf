"""`audit verify`: no line of evidence was changed, dropped, swapped, slipped in or cut off."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from setpoint.cli.exits import Exit
from setpoint.cli.text import plural
from setpoint.loop.commands.seal import Chain, verified
from setpoint.loop.commands.session import Session
from setpoint.loop.commands.words import Form, Said, suggested
from setpoint.loop.station import looking

VERIFY: Final = "verify"
FORMS: Final = {
    "audit": Form(
        about="Walk the whole audit, line by line, against its head and its seal; exit 1 if it is broken.",
        words="",
        examples="""\
{}
{} -o json""",
    )
}


def mistakes(verb: str, said: Said, names: Sequence[str]) -> list[str]:
    word = said.words[0] if said.words else ""
    return (
        []
        if word == VERIFY
        else [f"audit does one thing here, verify, not {word!r}{suggested(word, [VERIFY])}"]
    )


async def run(verb: str, session: Session, said: Said) -> int:
    async with looking(session.loops, session.place.folder, reads_only=True) as station:
        chains = await verified(station.store, session.place.folder, station.tenants)
    broken = [chain for chain in chains if chain.broken]
    if session.screen.format == "json":
        body = {"whole": not broken, "chains": [asdict(chain) for chain in chains]}
        session.screen.data(json.dumps(body, ensure_ascii=False, indent=2))
    else:
        for line in _told(chains):
            session.screen.data(line)
    return Exit.FAILED if broken else Exit.DONE


def _told(chains: Sequence[Chain]) -> list[str]:
    lines = [
        f"! the audit of {chain.organization or 'this file'} is broken: {chain.broken}"
        for chain in chains
        if chain.broken
    ]
    return lines or [f"= {plural(sum(chain.lines for chain in chains), 'line')} of audit, whole"]
