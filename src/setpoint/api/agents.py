"""What agents say to us: once who they are, then that they are alive."""

import contextlib
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.credential import PREFIXES, enrolled, minted, spent_key
from setpoint.access.subject import Subject
from setpoint.api.attempts import Attempts, of_place
from setpoint.api.body import read_json
from setpoint.api.edit import ATTEMPTS, NO_VERSION
from setpoint.api.problem import Refused
from setpoint.api.render import answer
from setpoint.api.served import Public, Served, demand
from setpoint.api.services import Services
from setpoint.api.sessions import address_of
from setpoint.api.signs import Signs
from setpoint.engine.draft import Author, Declaration, etag
from setpoint.engine.entity import Declared, Ref, ref_of
from setpoint.engine.errors import Conflict, Transient
from setpoint.engine.rows import Act, Wake, evidence, told
from setpoint.engine.store import DECLARED_CHILDREN, Change, Drop, Expect, Put, joined
from setpoint.engine.token import Token
from setpoint.kinds.liveness import DISPUTED_SECONDS

AnyJson = Any
CREATED: Final = 201


class Enrolled(Struct, frozen=True):
    """Whose agent it is, the act that made its server, the hash of its new key, and what it made itself."""

    host: Declared
    act: str
    key: str
    once: str


class Used(Struct, frozen=True):
    """A token that is shown: for which server, as it is spelled, and with what the agent made itself."""

    host: Ref
    act: str
    secret: str
    once: str


class Agents(Struct, frozen=True):
    """Enrolment by a one-time token, then heartbeats under the agent's own key."""

    services: Services
    signs: Signs
    genuine: Callable[[str], Awaitable[bool]]

    def routes(self) -> Iterator[Served | Public]:
        yield Public("/v1/agent/enrol", self.enrol, "POST")
        yield Served("/v1/agent/heartbeat", self.heartbeat, demand("update", "agent.report"), "POST")

    async def enrol(self, request: Request) -> Response:
        """POST: exchange the one-time token for a key that only this agent has.

        `once` is a secret that the agent made before it asked: with it a lost answer is asked for again.
        """
        body = await self._body(request)
        secret, once = str(body.get("token", "")), str(body.get("once", ""))
        host, act = await self._host(request, secret)
        for _ in range(ATTEMPTS):
            known = await self._agent_of(host)
            if known is not None and await self._is_newer(known, act):
                detail = f"another agent of {host.name} is known here, and this one is newer than our journal"
                raise Refused(401, "bad_token", detail)
            if use := await self._earlier_use(known, Used(host.ref, act, secret, once)):
                await self._count(request)
                if use == "by another":
                    await self._repeated(known or host, request)
                raise Refused(409, "token_used", "this enrolment token was used before")
            key = minted(self.services.runtime.new_id(), self.services.new_secret(), PREFIXES["agent"])
            try:
                agent = await self._declare(Enrolled(host, act, self.services.hash_token(key), once), known)
            except Conflict:
                continue
            await self.signs.beat(agent, _facts(body))
            return answer({"agent": agent.ref, "key": key, "heartbeat_seconds": self.signs.every}, CREATED)
        raise Transient(f"agents of {host.name} enrol all at once")

    async def heartbeat(self, request: Request, subject: Subject) -> Response:
        """POST: alive, with facts."""
        agent = await self.services.store.get(Declared, subject.ref) if subject.ref else None
        # A key may be exchanged at this very moment: the old one must not confirm the new one.
        if agent is None or agent.deleting or agent.spec["key"] != subject.credential:
            raise Refused(401, "unenrolled", "this agent is not part of the fleet any more")
        if not await self._confirmed(agent):
            await self._confirm(agent)
        await self.signs.beat(agent, _facts(await self._body(request)))
        return answer({"heartbeat_seconds": self.signs.every})

    async def _confirmed(self, agent: Declared) -> bool:
        """Whether the agent has used its key. Until then the answer with it may have been lost."""
        token = await self.services.store.get(Token, str(agent.spec["key"]))
        return token is not None and token.confirmed

    async def _confirm(self, agent: Declared) -> None:
        """The key is in use, so nobody is given another one for the same token."""
        token = await self.services.store.get(Token, str(agent.spec["key"]))
        if token is None:
            return
        same = Expect(Declared, agent.ref, "generation", agent.generation)
        await self.services.store.commit(Change((same,), (Put(replace(token, confirmed=True)),)))

    async def _earlier_use(self, known: Declared | None, used: Used) -> Literal["", "by another", "its own"]:
        """Whose use of the token came before; nobody's where it is good. Ids rise with time.

        The very agent shows what it made itself: it is let in again until it has a key in use. A request of
        its own that comes late after that, or of a server that a newer one replaced, accuses nobody.
        """
        store, hashed = self.services.store, self.services.hash_token
        spent = await store.get(Token, spent_key(used.host, used.act))
        if spent is None:
            if await store.get(Token, hashed(used.secret)) is not None:  # As it was kept before.
                return "by another"
            return "its own" if known is not None and str(known.spec["enrolled_by"]) >= used.act else ""
        if used.once == "" or spent.exchanged != hashed(used.once):
            return "by another"
        current = known is not None and known.spec["enrolled_by"] == used.act
        return "" if current and known is not None and not await self._confirmed(known) else "its own"

    async def _is_newer(self, known: Declared, act: str) -> bool:
        """Whether it came with a server that a restored journal does not hold: it pushes nobody aside."""
        return known.spec["enrolled_by"] != act and await self.services.store.get(Act, act) is None

    async def _count(self, request: Request) -> None:
        """Who is refused too often from one place waits; a fleet that enrols from one place does not."""
        attempts = Attempts(self.services.store, self.services.runtime)
        await attempts.take(of_place(address_of(request), "enrol"))

    async def _host(self, request: Request, token: str) -> tuple[Declared, str]:
        """The host and the act that made it, if the token is the one we gave to that server.

        An act that is not in the journal is newer than a restored database: its signature proves it ours.
        """
        ref, act_id, _ = enrolled(token)
        host = await self.services.store.get(Declared, ref) if ref else None
        act = await self.services.store.get(Act, act_id) if ref else None
        there = host is not None and not host.deleting and (act is None or act.domain == host.ref)
        if host is None or not there or not await self.genuine(token):
            await self._count(request)
            raise Refused(401, "bad_token", "this enrolment token is not known here")
        return host, act_id

    async def _agent_of(self, host: Declared) -> Declared | None:
        children = await self.services.store.read(DECLARED_CHILDREN, parent=host.ref)
        return next((row for row in children if row.kind == "agent"), None)

    async def _declare(self, enrolled: Enrolled, known: Declared | None) -> Declared:
        """Only on top of the agent that was known: two at the same time must not both be let in."""
        host = enrolled.host
        ref = known.ref if known is not None else ref_of("agent", self.services.runtime.new_id())
        declaration = Declaration(
            kind="agent",
            scope=host.scope,
            name=host.name,
            spec={"host": host.name, "enrolled_by": enrolled.act, "key": enrolled.key},
            ref=ref if known is None else None,
        )
        version = etag(known) if known is not None else NO_VERSION
        author = Author(actor=f"agent of {host.name}", parent=host.ref, if_match=version)
        beside = self._exchange(enrolled, ref, known)
        return (await self.services.declarer.declare((declaration,), author, beside=beside))[0]

    def _exchange(self, enrolled: Enrolled, agent: Ref, known: Declared | None) -> Change:
        """The new key instead of the old one, and the token spent by whoever made `once`."""
        host, now = enrolled.host, self.services.runtime.now()
        token = Token(
            hash=enrolled.key,
            subject=f"agent {host.name}",
            role="agent",
            sort="agent",
            ref=agent,
            created_at=now,
        )
        spent = Token(
            hash=spent_key(host.ref, enrolled.act),
            subject=f"spent by agent {host.name}",
            role="agent",
            sort="agent",
            ref=agent,
            exchanged=self.services.hash_token(enrolled.once) if enrolled.once else "",
            created_at=now,
        )
        old = (Drop(Token, str(known.spec["key"])),) if known is not None else ()
        return Change(writes=(*old, Put(token), Put(spent)))

    async def _repeated(self, about: Declared, request: Request) -> None:
        """A token used twice may have been stolen: told once, and the host is unwell until a day is over."""
        now, what = self.services.runtime.now(), "agent.enrolment_repeated"
        if about.kind == "agent" and now - about.spec.get("disputed_at", 0.0) < DISPUTED_SECONDS:
            return
        message = f"the enrolment token of {about.name} was presented a second time"
        told_of = Change(
            events=(told(about, what, message, now),),
            audit=(evidence(about, "unknown", what, now, address=address_of(request)),),
        )
        if about.kind != "agent" or about.parent is None:
            await self.services.store.commit(told_of)
            return
        wake = Wake(id=self.services.runtime.new_id(), ref=about.parent, reason=what, tenant=about.tenant)
        spec = {**about.spec, "disputed_at": now}
        disputed = Declaration(kind="agent", scope=about.scope, name=about.name, spec=spec)
        author = Author(actor="setpoint", parent=about.parent, if_match=etag(about))
        with contextlib.suppress(Conflict):  # Of many at once one is told.
            beside = joined((told_of, Change(writes=(Put(wake),))))
            await self.services.declarer.declare((disputed,), author, beside=beside)

    async def _body(self, request: Request) -> dict[str, AnyJson]:
        body = await read_json(request, self.services.max_body_bytes)
        if not isinstance(body, dict):
            raise Refused(400, "bad_type", "an object was expected")
        return body


def _facts(body: dict[str, AnyJson]) -> dict[str, AnyJson]:
    """What an agent may tell about its own host: short texts and numbers, nothing else."""
    facts = body.get("facts", {})
    if not isinstance(facts, dict):
        return {}
    plain = {str(key)[:64]: value for key, value in facts.items() if isinstance(value, str | int | float)}
    return {key: value[:256] if isinstance(value, str) else value for key, value in list(plain.items())[:64]}
