"""What agents say to us: once who they are, then that they are alive."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.credential import PREFIXES, enrolled, minted
from setpoint.access.subject import Subject
from setpoint.api.body import read_json
from setpoint.api.edit import ATTEMPTS, NO_VERSION
from setpoint.api.problem import Refused
from setpoint.api.render import answer
from setpoint.api.served import Public, Served, demand
from setpoint.api.services import Services
from setpoint.api.signs import Signs
from setpoint.engine.draft import Author, Declaration, etag
from setpoint.engine.entity import Declared
from setpoint.engine.errors import Conflict, Transient
from setpoint.engine.rows import Act, evidence, told
from setpoint.engine.store import DECLARED_CHILDREN, Change, Drop, Expect, Put
from setpoint.engine.token import Token

AnyJson = Any
CREATED: Final = 201


class Enrolled(Struct, frozen=True):
    """Whose agent it is, the act that made its server, and the hash of its new key."""

    host: Declared
    act: str
    key: str


class Agents(Struct, frozen=True):
    """Enrolment by a one-time token, then heartbeats under the agent's own key."""

    services: Services
    signs: Signs
    genuine: Callable[[str], Awaitable[bool]]

    def routes(self) -> Iterator[Served | Public]:
        yield Public("/v1/agent/enrol", self.enrol, "POST")
        yield Served("/v1/agent/heartbeat", self.heartbeat, demand("update", "agent.report"), "POST")

    async def enrol(self, request: Request) -> Response:
        """POST: exchange the one-time token for a key that only this agent has."""
        body = await self._body(request)
        secret = str(body.get("token", ""))
        host, act = await self._host(secret)
        for _ in range(ATTEMPTS):
            known = await self._agent_of(host)
            if known is not None and await self._is_newer(known, act):
                detail = f"another agent of {host.name} is known here, and this one is newer than our journal"
                raise Refused(401, "bad_token", detail)
            if await self._is_spent(secret) or _came_later(known, act):
                await self._repeated(known or host)
                raise Refused(409, "token_used", "this enrolment token was used before")
            key = minted(self.services.runtime.new_id(), self.services.new_secret(), PREFIXES["agent"])
            try:
                agent = await self._declare(Enrolled(host, act, self.services.hash_token(key)), known)
                await self.services.store.commit(self._exchange(agent, known, secret))
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
        """The key is in use, so the token it was given for is spent; as a credential that opens nothing."""
        token = await self.services.store.get(Token, str(agent.spec["key"]))
        if token is None or not token.exchanged:
            return
        spent = Token(
            hash=token.exchanged,
            subject=f"spent by agent {agent.name}",
            role="agent",
            sort="agent",
            created_at=self.services.runtime.now(),
        )
        same = Expect(Declared, agent.ref, "generation", agent.generation)
        await self.services.store.commit(Change((same,), (Put(replace(token, confirmed=True)), Put(spent))))

    async def _is_spent(self, secret: str) -> bool:
        return await self.services.store.get(Token, self.services.hash_token(secret)) is not None

    async def _is_newer(self, known: Declared, act: str) -> bool:
        """Whether it came with a server that a restored journal does not hold: it pushes nobody aside."""
        return known.spec["enrolled_by"] != act and await self.services.store.get(Act, act) is None

    async def _host(self, token: str) -> tuple[Declared, str]:
        """The host and the act that made it, if the token is the one we gave to that server.

        An act that is not in the journal is newer than a restored database: its signature proves it ours.
        """
        ref, act_id, _ = enrolled(token)
        host = await self.services.store.get(Declared, ref)
        act = await self.services.store.get(Act, act_id)
        if host is None or host.deleting or (act is not None and act.domain != host.ref):
            raise Refused(401, "bad_token", "this enrolment token is not known here")
        if not await self.genuine(token):
            raise Refused(401, "bad_token", "this enrolment token is not known here")
        return host, act_id

    async def _agent_of(self, host: Declared) -> Declared | None:
        children = await self.services.store.read(DECLARED_CHILDREN, parent=host.ref)
        return next((row for row in children if row.kind == "agent"), None)

    async def _declare(self, enrolled: Enrolled, known: Declared | None) -> Declared:
        """Only on top of the agent that was known: two at the same time must not both be let in."""
        host = enrolled.host
        declaration = Declaration(
            kind="agent",
            scope=host.scope,
            name=host.name,
            spec={"host": host.name, "enrolled_by": enrolled.act, "key": enrolled.key},
        )
        version = etag(known) if known is not None else NO_VERSION
        author = Author(actor=f"agent of {host.name}", parent=host.ref, if_match=version)
        return (await self.services.declarer.declare((declaration,), author))[0]

    def _exchange(self, agent: Declared, known: Declared | None, secret: str) -> Change:
        """The new key instead of the old one, unless another enrolment came in between."""
        token = Token(
            hash=str(agent.spec["key"]),
            subject=f"agent {agent.name}",
            role="agent",
            sort="agent",
            ref=agent.ref,
            exchanged=self.services.hash_token(secret),
            created_at=self.services.runtime.now(),
        )
        old = (Drop(Token, str(known.spec["key"])),) if known is not None else ()
        expect = Expect(Declared, agent.ref, "generation", agent.generation)
        return Change(expects=(expect,), writes=(*old, Put(token)))

    async def _repeated(self, about: Declared) -> None:
        """A token used twice may have been stolen: that is for people to see."""
        now, what = self.services.runtime.now(), "agent.enrolment_repeated"
        message = f"the enrolment token of {about.name} was presented a second time"
        change = Change(
            events=(told(about, what, message, now),), audit=(evidence(about, "unknown", what, now),)
        )
        await self.services.store.commit(change)

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


def _came_later(known: Declared | None, act: str) -> bool:
    """Whether the agent came with a later server than the one this act made; ids rise with time."""
    return known is not None and str(known.spec["enrolled_by"]) > act
