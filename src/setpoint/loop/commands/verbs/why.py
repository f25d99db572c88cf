"""`why`: one sentence, then the chain, then the evidence; about a loop or about one key of it."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.screen import Screen
from setpoint.cli.table import Column, lines
from setpoint.cli.text import clean, duration, folded
from setpoint.engine.errors import FAILURES
from setpoint.engine.explain import why
from setpoint.loop.commands.facts import keys_of
from setpoint.loop.commands.outlook import hidden, in_words, safe
from setpoint.loop.commands.session import Session, no_such_loop
from setpoint.loop.commands.words import Form, Said, suggested
from setpoint.loop.planning import STUCK
from setpoint.loop.station import Station, looking
from setpoint.loop.values import told as plain
from setpoint.storage.sqlite.lock import holder_of

AnyJson = Any
Body = Mapping[str, AnyJson]
EVENTS_SHOWN: Final = 5
RESTART: Final = (
    "a restart of the process that runs it is the cure; what was begun is on record and is looked up first"
)
FORMS: Final = {
    "why": Form(
        about="Say why a loop or a key of it is as it is: one sentence, then the chain, then the evidence.",
        words="[LOOP] [KEY]",
        examples="""\
{}                    every loop of the file
{} dark-mode          one key
{} Flags dark-mode    one key, where the file has several loops
{} -o json            with all the evidence""",
        most=2,
    )
}


def mistakes(verb: str, said: Said, names: Sequence[str]) -> list[str]:
    return no_such_loop(said.words[0], names) if len(said.words) > 1 else []


async def run(verb: str, session: Session, said: Said) -> int:
    async with looking(session.loops, session.place.folder, reads_only=True) as station:
        loop, key = await _meant(session, station, said.words)
        answers = [await answer(session, station, name, key) for name in session.chosen(loop)]
    if session.screen.format == "json":
        body = answers[0] if len(answers) == 1 else {"items": answers}
        session.screen.data(json.dumps(body, ensure_ascii=False, indent=2))
        return Exit.DONE
    for told in answers:
        for line in laid_out(told, session.screen):
            session.screen.data(line)
    return Exit.DONE


async def answer(session: Session, station: Station, name: str, key: str = "") -> dict[str, AnyJson]:
    """The engine's answer with its commands as this file's, its secrets hidden, and the key's two values."""
    entity, now = await station.entity(name), station.runtime.now()
    told: dict[str, AnyJson] = await why(station.store, station.kinds, entity, now, key)
    steps = [session.place.onward(step, entity.declared.kind, name) for step in told["next"]]
    runner = await asyncio.to_thread(holder_of, session.place.folder)
    words, steps = onward(session, told, Asked(name, key, steps, runner))
    sides = await _both(station, name, key) if key else {}
    if sides.get("wanted") is not None and key not in await keys_of(station, name):
        told["sentence"] = f"{key} is declared, and no pass has seen it yet"
    stuck = entity.facts.get(STUCK, {})
    if key in stuck:
        told["sentence"] = f"{key} waits: {stuck[key]}"
    if stuck and key in ("", *stuck):
        # No command ends a thread of another process, and everything else goes on meanwhile.
        words, steps = [*words, RESTART], []
    told["chain"] = [*told["chain"], *words]
    found: dict[str, AnyJson] = {"loop": name, **hidden(told), "next": steps, "at": now}
    return {**found, "key": key, **sides} if key else found


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about, the commands that the engine knows, and which process runs it, if one does."""

    loop: str
    key: str
    steps: list[str]
    runner: str


def onward(session: Session, told: Body, asked: Asked) -> tuple[list[str], list[str]]:
    """What else is to be said, and the commands that lead on."""
    if asked.steps or told["situation"] == "ready":
        return [], asked.steps
    failed = [str(act["item"]) for act in told["evidence"]["acts"] if act["state"] == "failed"]
    if told["situation"] == "failing" and failed:
        one = session.place.command("release", asked.key, "--loop", asked.loop)
        return [], [one if asked.key else session.place.command("why", asked.loop, failed[0])]
    if asked.runner:
        return [f"run by {asked.runner}: it goes on by itself"], []
    return [], [session.place.command("run", "--enforce")]


async def _both(station: Station, name: str, key: str) -> dict[str, AnyJson]:
    """What is wanted of this key and what is seen of it, by a look of now: records keep differences only."""
    domain = station.domains[name]
    try:
        seen = await domain.observe(await station.entity(name))
    except FAILURES as error:
        return {"wanted": None, "seen": None, "unseen": str(error)}
    sides = {"wanted": seen.wanted.spelt.get(key), "seen": seen.found.spelt.get(key)}
    return {side: safe(key, plain(text)) if text else None for side, text in sides.items()}


def laid_out(told: Body, screen: Screen) -> list[str]:
    """The answer for people; the words are the engine's."""
    head = [screen.paint(line, "heading") for line in folded(clean(str(told["sentence"])), screen.columns, 2)]
    links = [*_values(told), *(clean(str(link)) for link in told["chain"])]
    chain = [line for link in links for line in folded(f"  {link}", screen.columns, 4)]
    steps = [f"  next: {clean(str(step))}" for step in told["next"]]
    return [*head, *chain, *steps, *_evidence(told, screen)]


def _values(told: Body) -> list[str]:
    if not told.get("key"):
        return []
    if told.get("unseen"):
        return [f"it cannot be looked at now: {clean(told['unseen'])}"]
    return [f"wanted: {in_words(told['wanted'])}", f"seen:   {in_words(told['seen'])}"]


def _evidence(told: Body, screen: Screen) -> list[str]:
    evidence, now = told["evidence"], float(told["at"])
    acts = [
        (_ago(act["began_at"], now), f"{act['verb']} {act['state']}", str(act["item"]), str(act["detail"]))
        for act in evidence["acts"]
        if act["detail"] or not told.get("key")  # In the chain of a key they are without what was said.
    ]
    events = [
        (_ago(event["at"], now), str(event["type"]), "", str(event["message"]))
        for event in evidence["events"][:EVENTS_SHOWN]
        if not told.get("key") and not str(event["type"]).startswith("act.")
    ]
    room = None if screen.columns is None else screen.columns - 2
    found: list[str] = []
    for title, rows in (("last acts", acts), ("last events", events)):
        columns = [Column("AGO"), Column("WHAT"), Column("KEY"), Column("SAID", gives=True)]
        if rows:
            *shown, last = zip(*rows, strict=True)
            kept = [at for at, cells in enumerate((*shown, last)) if any(cells)]
            body = lines([columns[at] for at in kept], [[row[at] for at in kept] for row in rows], room)
            found += [screen.paint(f"  {title}", "dim"), *(f"  {line}" for line in body[1:])]
    return found


async def _meant(session: Session, station: Station, words: Sequence[str]) -> tuple[str, str]:
    """Which loop and key are meant: a single word is a loop's name, or else a key."""
    if len(words) != 1 or words[0] in session.names:
        return (words[0] if words else ""), (words[1] if len(words) > 1 else "")
    key = words[0]
    known = {name: await keys_of(station, name) for name in session.names}
    holders = [name for name, keys in known.items() if key in keys]
    if len(holders) == 1:
        return holders[0], key
    if holders:
        steps = tuple(session.place.command("why", name, key) for name in holders)
        raise Stop(f"{key} is a key of {len(holders)} loops; say which", Exit.USAGE, steps)
    wanting = [name for name in session.names if key in await _wanted(station, name)]
    if wanting:
        return wanting[0], key
    every = sorted({*session.names, *(each for keys in known.values() for each in keys)})
    raise Stop(
        f"there is no loop and no key {key!r} here, as far as was seen{suggested(key, every)}", Exit.USAGE
    )


async def _wanted(station: Station, name: str) -> frozenset[str]:
    """What this loop declares now; nothing where it cannot say."""
    try:
        return await station.domains[name].wanted()
    except FAILURES:
        return frozenset()


def _ago(at: AnyJson, now: float) -> str:
    return f"{duration(now - float(at))} ago"
