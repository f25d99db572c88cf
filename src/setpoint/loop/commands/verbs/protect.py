"""`protect` and `release`: what a person decides about one key."""

import json
from collections.abc import Mapping, Sequence
from typing import Final

from setpoint.cli.exits import Exit, Stop
from setpoint.engine.doubts.effort import contested_fields
from setpoint.engine.ledger import Protection, item_key
from setpoint.engine.release import Decision, protect, release, unprotect
from setpoint.engine.store import PROTECTIONS_OF, Change
from setpoint.loop.commands.facts import keys_of, last_decision, ledger_of
from setpoint.loop.commands.seal import seal
from setpoint.loop.commands.session import Session, no_such_loop
from setpoint.loop.commands.words import LOOP, REASON, Flag, Form, Said, suggested
from setpoint.loop.station import Station, looking
from setpoint.words import times

FORMS: Final = {
    "protect": Form(
        about="Never delete this key by any path, whatever is declared, until somebody takes that off again.",
        words="KEY",
        flags=(LOOP, REASON),
        examples='{} dark-mode --reason "the shop depends on it"',
    ),
    "release": Form(
        about="Let go of a key: try again what is contested or keeps failing; or take its protection off.",
        words="[KEY]",
        flags=(LOOP, Flag("--protection", "take the protection off"), REASON),
        examples="""\
{} dark-mode                 the other writer is gone: write it again
{}                           everything that is contested or failing
{} dark-mode --protection    it may be deleted again""",
    ),
}


def mistakes(verb: str, said: Said, names: Sequence[str]) -> list[str]:
    wrong = no_such_loop(said.value("loop"), names)
    if not said.words and (verb == "protect" or said.has("protection")):
        wrong.append(f"say which key to {verb}")
    if verb == "protect" and not said.value("reason").strip():
        wrong.append('protect needs a reason: add --reason "why"')
    if not said.value("loop") and len(names) > 1:
        wrong.append(f"the file has {len(names)} loops; say which with --loop: {', '.join(names)}")
    return wrong


async def run(verb: str, session: Session, said: Said) -> int:
    async with looking(session.loops, session.place.folder) as station:
        name, key = session.only(said.value("loop")), said.words[0] if said.words else ""
        if verb == "protect":
            done = await _protect(session, station, _decision_about(name, key, said))
        elif said.has("protection"):
            done = await _unprotect(session, station, _decision_about(name, key, said))
        else:
            done = await _release(session, station, _decision_about(name, key, said))
    if session.screen.format == "json":
        session.screen.data(
            json.dumps({"loop": name, "key": key, "done": done}, ensure_ascii=False, indent=2)
        )
    else:
        session.screen.data(done)
    return Exit.DONE


Wanted = tuple[str, str, str]  # Loop, key, reason.


def _decision_about(name: str, key: str, said: Said) -> Wanted:
    return name, key, said.value("reason").strip() or "on the command line"


async def _protect(session: Session, station: Station, wanted: Wanted) -> str:
    name, key, _ = wanted
    known = await keys_of(station, name)
    await _commit(session, station, protect(await _decision(session, station, wanted)))
    # A key may be protected before it is there; but a misspelt one protects nothing.
    hint = "" if key in known else f"; it has not been seen yet{suggested(key, sorted(known))}"
    return f"{key} of {name} is protected: no path deletes it{hint}"


async def _unprotect(session: Session, station: Station, wanted: Wanted) -> str:
    name, key, _ = wanted
    ref = station.ref(name)
    if await station.store.get(Protection, item_key(ref, key)) is None:
        known = sorted(row.item for row in await station.store.read(PROTECTIONS_OF, domain=ref))
        what = suggested(key, known) or "; nothing of this loop is"
        raise Stop(f"{key} of {name} is not protected{what}", Exit.FAILED)
    await _commit(session, station, unprotect(await _decision(session, station, wanted)))
    return f"{key} of {name} is no longer protected: the other guards decide about it"


async def _release(session: Session, station: Station, wanted: Wanted) -> str:
    name, key, reason = wanted
    stuck = await stuck_keys(station, name)
    if stuck and not key:
        return "\n".join([await _release(session, station, (name, each, reason)) for each in sorted(stuck)])
    if not key:
        raise Stop(f"nothing of {name} is contested or failing", Exit.FAILED, (session.place.command("why"),))
    if key not in stuck:
        if await station.store.get(Protection, item_key(station.ref(name), key)) is not None:
            step = session.place.command("release", key, "--protection")
            raise Stop(f"{key} is protected; that is taken off by name only", Exit.FAILED, (step,))
        there = "; ".join(f"{each}: {why}" for each, why in sorted(stuck.items())[:5])
        raise Stop(f"{key} is neither contested nor failing; to release: {there or 'nothing'}", Exit.FAILED)
    await _commit(session, station, release(await _decision(session, station, wanted)))
    return f"{key} of {name} is released ({stuck[key]}): it is tried anew"


async def stuck_keys(station: Station, name: str) -> Mapping[str, str]:
    """Key -> why it is no longer written: contested, or failing again and again."""
    last, ledger = await last_decision(station, name), await ledger_of(station, name)
    found = {key: f"it failed {times(each.count)}: {each.said}" for key, each in ledger.failing.items()}
    if last is not None:
        contests = contested_fields(last.case)
        found |= {
            key: f"contested: {', '.join(sorted(f for f in fields if f)) or 'all of it'}"
            for key, fields in contests.items()
        }
    return found


async def _decision(session: Session, station: Station, wanted: Wanted) -> Decision:
    name, key, reason = wanted
    return Decision(
        domain=(await station.entity(name)).declared,
        item=key,
        actor=session.place.person,
        reason=reason,
        now=station.runtime.now(),
        identity=station.runtime.new_id(),
    )


async def _commit(session: Session, station: Station, change: Change) -> None:
    await station.store.commit(change)
    await seal(station.store, session.place.folder, station.tenants)
