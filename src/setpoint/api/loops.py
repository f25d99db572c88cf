"""How loops fare, a row for each kind at each place: what they watch, decided lately, and do not get done."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from itertools import groupby
from typing import Any, Final, Literal

from msgspec import Struct, convert, to_builtins
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.address import BASES
from setpoint.api.inventory import Inventory
from setpoint.api.observations import PATIENCE_SECONDS, POLL_SECONDS, late_after
from setpoint.api.paging import page_of
from setpoint.api.passes import Passes, Wanted
from setpoint.api.render import answer, moment
from setpoint.api.served import Served, demand
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.unwell import unwell
from setpoint.api.validate import SCOPES
from setpoint.drive.pulse import LOOKED, LOOKED_SECONDS, PULSE, Beat, Key, merged, quantile
from setpoint.engine.entity import Declared, Ref, Scope, Status
from setpoint.engine.ledger import Budget, Ledger
from setpoint.engine.limits import HOUR, Limits
from setpoint.engine.moments import span
from setpoint.engine.plan import DESTRUCTIVE
from setpoint.engine.record import Recorded
from setpoint.engine.rows import ActState, Sign
from setpoint.engine.store import ACTS_SINCE, LEDGERS_OF, STATUSES, TALLIES, listed, signs_of
from setpoint.engine.tenure import SHARDS, numbered
from setpoint.words import times

AnyJson = Any
DECISIONS: Final = 200
"""So many of the newest passes are looked at, and so many of them are shown of one loop at one place."""
SHOWN: Final = 40
TROUBLES_SHOWN: Final = 50
MOST_UNWELL: Final = 1_000
PULSES: Final = (LOOKED, *(Ref(f"{PULSE}/{numbered('scheduler', number)}") for number in range(SHARDS)))
SILENT_SECONDS: Final = 30.0
"""A scheduler that has not told of its loops for so long is not asked about them."""


class Trouble(Struct, frozen=True):
    """One thing that a loop does not get done: which, of which object, and what was said about it last."""

    sort: Literal["slow", "contested", "braked"]
    ref: Ref
    name: str
    item: str  # Empty: the whole of it.
    says: str


class Loops(Struct, frozen=True):
    """Those of one scope."""

    services: Services

    def routes(self) -> Iterator[Served]:
        for level, base in BASES.items():
            if level != "installation":
                yield Served(f"{base}/loops", self.page, demand("read", "catalog", "within"))

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET a page of them, by kind and place."""
        page, sight = page_of(request), Sight(self.services, subject)
        scope = Scope(*(request.path_params.get(part, "") for part in SCOPES))
        states = await self._states(sight, scope)
        keys = sorted((key for key in states if token_of(key) > page.after), key=token_of)
        more = token_of(keys[page.size - 1]) if len(keys) > page.size else ""
        beats, decided = await read_beats(self.services), await self._decided(subject, sight, scope)
        troubled = await self._troubled(sight, scope, decided)
        charged = await self._charged(sight, scope.organization)
        approved = await self._approved(decided)
        items = [
            {
                **self._standing(key, states[key]),
                **self._pulse(key, beats.get(key)),
                "queue": await self._queue(sight, beats.get(key)),
                "decisions": [shown_decision(row) for row in reversed(decided.get(key, []))],
                **shown_troubles(troubled.get(key, ())),
                "deletes": charged[key],
                "approved_deletes": approved[key],
            }
            for key in keys[: page.size]
        ]
        limit = self.services.limits.fleet_tenant
        budget = {"limit": limit, "left": max(0, limit - charged.total())}
        return answer({"items": items, "next_page_token": more, "budget": budget})

    def _standing(self, key: Key, states: Mapping[str, int]) -> dict[str, AnyJson]:
        kind, scope = key
        return {
            "kind": kind,
            "scope": to_builtins(scope),
            "every": self.services.intervals.get(kind),
            "entities": sum(states.values()),
            "states": dict(states),
        }

    async def _states(self, sight: Sight, scope: Scope) -> dict[Key, Counter[str]]:
        """By kind and place: how many are in which state, of what they may see and what has a loop."""
        tallies = await self.services.store.read(TALLIES, **to_builtins(scope))
        looping = [tally for tally in tallies if tally.kind in self.services.intervals]
        found: dict[Key, Counter[str]] = {}
        for (kind, place), rows in groupby(looping, key=lambda tally: (tally.kind, tally.scope)):
            counted: Counter[str] = Counter()
            for tally in rows:
                seen = await Inventory(self.services).seen(sight, tally)
                counted.update({state: count for (_, state), count in seen.items()})
            if counted.total():
                found[kind, place] = counted
        return found

    def _pulse(self, key: Key, beat: Beat | None) -> dict[str, AnyJson]:
        stale = silence(beat, self.services.intervals[key[0]], self.services.runtime.now())
        return {**shown_pulse(beat), "stale": stale}

    async def _queue(self, sight: Sight, beat: Beat | None) -> list[dict[str, str]]:
        rows = (await sight.known(beat.queue)).values() if beat and beat.queue else ()
        return [{"ref": row.ref, "name": row.name} for row in rows if sight.may_to("read", row)]

    async def _decided(self, subject: Subject, sight: Sight, scope: Scope) -> dict[Key, list[Recorded]]:
        """The last passes that decided something, newest first, by kind and place; a few of each."""
        passes: list[Recorded] = []
        wanted = Wanted(scope.organization)
        async with aclosing(Passes(self.services).newest(wanted, "", subject)) as rows:
            async for row in rows:
                passes.append(row)
                if len(passes) == DECISIONS:
                    break
        known = await sight.known(row.ref for row in passes)
        found: dict[Key, list[Recorded]] = {}
        for row in passes:
            if declared := known.get(row.ref):
                found.setdefault((row.kind, declared.scope), []).append(row)
        return {key: rows[:SHOWN] for key, rows in found.items()}

    async def _troubled(
        self, sight: Sight, scope: Scope, decided: Mapping[Key, list[Recorded]]
    ) -> dict[Key, list[Trouble]]:
        """What is tried now and then only, fought over, or braked, of what is not as it should be now."""
        store = self.services.store
        rows = await self._unwell(sight, scope)
        refs = listed(row.ref for row in rows)
        statuses = {row.ref: row for row in await store.read(STATUSES, refs=refs)}
        ledgers = {row.ref: row for row in await store.read(LEDGERS_OF, refs=refs)}
        braked = braked_in(decided)
        found: dict[Key, list[Trouble]] = {}
        for row in rows:
            limits = self.services.narrower.get(row.kind, self.services.limits)
            trouble = troubles(limits, row, statuses.get(row.ref), ledgers.get(row.ref))
            if said := braked.get(row.ref):
                trouble.append(Trouble("braked", row.ref, row.name, "", said))
            found.setdefault((row.kind, row.scope), []).extend(trouble)
        return found

    async def _unwell(self, sight: Sight, scope: Scope) -> list[Declared]:
        found: list[Declared] = []
        async with aclosing(unwell(self.services.store, scope, MOST_UNWELL)) as rows:
            async for _, row in rows:
                found += [row] if row.kind in self.services.kinds and sight.may_to("read", row) else []
                if len(found) == MOST_UNWELL:
                    break
        return found

    async def _approved(self, decided: Mapping[Key, list[Recorded]]) -> Counter[Key]:
        """Deletes of the last hour that a person approved, by kind and place; no budget pays for them."""
        since, found = self.services.runtime.now() - HOUR, Counter[Key]()
        for key, rows in decided.items():
            for domain in {row.ref for row in rows if row.verdict.approval and row.at > since}:
                acts = await self.services.store.read(ACTS_SINCE, domain=domain, since=since)
                gone = (act for act in acts if act.verb in DESTRUCTIVE and act.state is ActState.DONE)
                found[key] += sum(1 for act in gone if act.approval)
        return found

    async def _charged(self, sight: Sight, organization: str) -> Counter[Key]:
        """Deletes of the last hour that the organization's budget paid, by kind and place."""
        budget = await self.services.store.get(Budget, f"tenant:{organization}")
        since = self.services.runtime.now() - HOUR
        taken = [each for each in budget.taken if each.at > since] if budget else []
        known = await sight.known(each.domain for each in taken)
        found: Counter[Key] = Counter()
        for each in taken:
            declared = known.get(each.domain)  # What is gone by now was deleted by somebody all the same.
            found[(declared.kind, declared.scope) if declared else ("", Scope(organization))] += each.count
        return found


async def read_beats(services: Services) -> dict[Key, Beat]:
    """What schedulers told; they tell while they hear from us that somebody looks.

    The first who looks waits a moment for them; where they said nothing in that moment, nobody else does.
    """
    store, now = services.store, services.runtime.now
    signs, begun = dict(await signs_of(store, PULSES)), now()
    looked = signs.pop(LOOKED, None)
    since = min(looked.at, begun) if looked else 0.0
    asked = since if begun - since < LOOKED_SECONDS else begun
    if begun - since > LOOKED_SECONDS / 3:
        await store.sign((Sign(ref=LOOKED, at=begun),))
    while not told_by(signs.values(), now()) and now() - asked < PATIENCE_SECONDS:
        await asyncio.sleep(POLL_SECONDS)
        signs = dict(await signs_of(store, PULSES))
        signs.pop(LOOKED, None)
    return told_by(signs.values(), now())


def silence(beat: Beat | None, every: float, now: float) -> str:
    """What is wrong where a loop has not passed for long; empty while it is alive."""
    if beat is None or not beat.at:
        return f"no scheduler tells of a pass; expected every {span(every)}"
    late = now - beat.at > late_after(every)
    return f"no pass for {span(now - beat.at)}; expected every {span(every)}" if late else ""


def token_of(key: Key) -> str:
    """Where a page ends; it sorts as the rows do."""
    kind, scope = key
    return f"{kind}/{scope.project}/{scope.workspace}"


def told_by(signs: Iterable[Sign], now: float) -> dict[Key, Beat]:
    """What live schedulers told last, together; one that moved on to another shard counts once."""
    newest: dict[str, Sign] = {}
    for sign in signs:
        owner = str(sign.facts.get("owner"))
        if now - sign.at < SILENT_SECONDS and (owner not in newest or newest[owner].at < sign.at):
            newest[owner] = sign
    beats = (convert(sign.facts["beats"], tuple[Beat, ...], str_keys=True) for sign in newest.values())
    return merged(beat for told in beats for beat in told)


def shown_pulse(beat: Beat | None) -> dict[str, AnyJson]:
    """Nothing is known where no scheduler told of it."""
    return {
        "last_pass": moment(beat.at) if beat and beat.at else None,
        "failed_at": moment(beat.failed_at) if beat and beat.failed_at else None,
        "due": beat.due if beat else None,
        "p50": quantile(beat.spread, 0.5) if beat else None,
        "p99": quantile(beat.spread, 0.99) if beat else None,
    }


def shown_decision(row: Recorded) -> dict[str, AnyJson]:
    """How large it was: what is taken away, and the rest."""
    verbs = Counter(action.verb for action in row.case.plan.actions)
    gone = sum(count for verb, count in verbs.items() if verb in DESTRUCTIVE)
    return {
        "id": row.id,
        "at": moment(row.at),
        "changed": verbs.total() - gone,
        "gone": gone,
        "held": [hold.guard for hold in row.verdict.holds],
    }


def shown_troubles(found: Sequence[Trouble]) -> dict[str, AnyJson]:
    """How many of each sort, and the first of them: one source for both."""
    counted, sorts = Counter[str](trouble.sort for trouble in found), ("slow", "contested", "braked")
    listed = [to_builtins(trouble) for trouble in found[:TROUBLES_SHOWN]]
    return {**{sort: counted[sort] for sort in sorts}, "troubles": listed}


def troubles(limits: Limits, row: Declared, status: Status | None, ledger: Ledger | None) -> list[Trouble]:
    """Items of one domain in the slow lane, or contested; a domain that keeps failing is one of its own."""
    failing = ledger.failing.items() if ledger else ()
    found = [
        Trouble("slow", row.ref, row.name, item, f"failed {times(each.count)} alike: {each.said}")
        for item, each in failing
        if each.count >= limits.slow_failures and each.alone
    ]
    if not found and status is not None and status.alike >= limits.slow_failures:
        words = f"failed {times(status.alike)} alike: {status.reason}"
        found.append(Trouble("slow", row.ref, row.name, "", words))
    contested = ledger.contested if ledger else ()
    words = "another writer undoes what is written; it is left alone"
    return [*found, *(Trouble("contested", row.ref, row.name, item, words) for item in contested)]


def braked_in(decided: Mapping[Key, list[Recorded]]) -> dict[Ref, str]:
    """Domains whose last decision was braked because acts fail, and what the brake said."""
    last: dict[Ref, Recorded] = {}
    for rows in decided.values():
        for row in rows:
            last.setdefault(row.ref, row)
    holds = ((ref, hold) for ref, row in last.items() for hold in row.verdict.holds)
    return {ref: hold.message for ref, hold in holds if hold.guard == "failure_brake"}
