"""What agents say to us: once who they are, then that they are alive."""

import hmac
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from setpoint.access.permission import Permission
from setpoint.api.body import read_json
from setpoint.api.problem import Refused
from setpoint.api.render import answer
from setpoint.api.services import Services
from setpoint.api.signs import Signs
from setpoint.engine.declare import Author
from setpoint.engine.draft import Declaration
from setpoint.engine.entity import Declared, Ref, ref_of
from setpoint.engine.rows import Act, Token, evidence, told
from setpoint.engine.store import DECLARED_CHILDREN, Change, Drop, Put

AnyJson = Any
CREATED: Final = 201


@dataclass(frozen=True, slots=True)
class Agents:
    """Enrolment by a one-time token, then heartbeats under the agent's own key."""

    services: Services
    signs: Signs
    enrolment: Callable[[Ref, str], str]

    def routes(self) -> Iterator[Route]:
        yield Route("/v1/agent/enrol", self.enrol, methods=["POST"])
        yield Route("/v1/agent/heartbeat", self.heartbeat, methods=["POST"])

    async def enrol(self, request: Request) -> Response:
        """POST: exchange the one-time token for a key that only this agent has."""
        body = await self._body(request)
        host, act = await self._host(str(body.get("token", "")))
        known = await self._agent_of(host)
        if known is not None and known.spec.get("enrolled_by") == act and await self._confirmed(known):
            await self._repeated(known)
            raise Refused(409, "token_used", "this enrolment token was used before")
        key = self.services.new_secret()
        digest = self.services.hash_token(key)
        agent = await self._declare(host, act, digest)
        token = Token(
            hash=digest,
            subject=f"agent {host.name}",
            role="agent",
            ref=agent.ref,
            created_at=self.services.runtime.now(),
        )
        old = (Drop(Token, str(known.spec["key"])),) if known is not None else ()
        await self.services.store.commit(Change(writes=(*old, Put(token))))
        await self.signs.beat(agent, _facts(body))
        return answer({"agent": agent.ref, "key": key, "heartbeat_seconds": self.signs.every}, CREATED)

    async def heartbeat(self, request: Request) -> Response:
        """POST: alive, with facts."""
        subject = await self.services.subject(request, Permission("update", "agent.report"))
        agent = await self.services.store.get(Declared, subject.ref) if subject.ref else None
        if agent is None or agent.deleting:
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
        token = await self.services.store.get(Token, str(agent.spec["key"]))
        if token is not None:
            await self.services.store.commit(Change(writes=(Put(replace(token, confirmed=True)),)))

    async def _host(self, token: str) -> tuple[Declared, str]:
        """The host and the act that made it, if the token is the one we gave to that server."""
        identity, _, rest = token.partition(".")
        act_id = rest.partition(".")[0]
        host = await self.services.store.get(Declared, ref_of("host", identity))
        act = await self.services.store.get(Act, act_id)
        if host is None or host.deleting or act is None or act.domain != host.ref:
            raise Refused(401, "bad_token", "this enrolment token is not known here")
        if not _same(token, self.enrolment(host.ref, act_id)):
            raise Refused(401, "bad_token", "this enrolment token is not known here")
        return host, act_id

    async def _agent_of(self, host: Declared) -> Declared | None:
        children = await self.services.store.read(DECLARED_CHILDREN, parent=host.ref)
        return next((row for row in children if row.kind == "agent"), None)

    async def _declare(self, host: Declared, act: str, key: str) -> Declared:
        declaration = Declaration(
            kind="agent",
            scope=host.scope,
            name=host.name,
            spec={"host": host.name, "enrolled_by": act, "key": key},
        )
        author = Author(actor=f"agent of {host.name}", parent=host.ref)
        return (await self.services.declarer.declare((declaration,), author))[0]

    async def _repeated(self, agent: Declared) -> None:
        """A token used twice may have been stolen: that is for people to see."""
        now, what = self.services.runtime.now(), "agent.enrolment_repeated"
        message = f"the enrolment token of {agent.name} was presented a second time"
        change = Change(
            events=(told(agent, what, message, now),), audit=(evidence(agent, "unknown", what, now),)
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


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())
