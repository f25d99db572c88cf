"""`why`: one sentence, then the chain, then the evidence; about a loop or about one key of it."""

import json
from collections.abc import Mapping, Sequence
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
from setpoint.loop.station import Station, looking
from setpoint.loop.values import told as plain

AnyJson = Any
Body = Mapping[str, AnyJson]
EVENTS_SHOWN: Final = 5
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
    told = await why(station.store, station.kinds, entity, now, key)
    kind = entity.declared.kind
    steps = [session.place.onward(step, kind, name) for step in told["next"]]
    steps = steps or next_steps(session, told, name, key)
    found: dict[str, AnyJson] = {"loop": name, **hidden(told), "next": steps, "at": now}
    return {**found, "key": key, **(await _both(station, name, key))} if key else found


def next_steps(session: Session, told: Body, name: str, key: str) -> list[str]:
    """Where the engine knows no command, for it goes on by itself: what helps it on, or tells more."""
    failed = [str(act["item"]) for act in told["evidence"]["acts"] if act["state"] == "failed"]
    match told["situation"]:
        case "ready":
            return []
        case "failing" if failed and key:
            return [session.place.command("release", key, "--loop", name)]
        case "failing" if failed:
            return [session.place.command("why", name, failed[0])]
        case _:
            return [session.place.command("run", "--enforce")]


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
    every = sorted({*session.names, *(each for keys in known.values() for each in keys)})
    raise Stop(
        f"there is no loop and no key {key!r} here, as far as was seen{suggested(key, every)}", Exit.USAGE
    )


def _ago(at: AnyJson, now: float) -> str:
    return f"{duration(now - float(at))} ago"
