"""A foreign organization in every world, and an ear for when any of it is told to somebody else.

Everything in it carries a name that is nowhere else. All answers and streams, whichever client asked, what is
logged about others, and all metrics are searched for that name.
"""

import contextlib
import re
import secrets
from collections.abc import AsyncIterator, Iterator, MutableSequence
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from setpoint import log
from setpoint.access.credential import hash_token
from setpoint.access.role import ADMINISTRATOR
from setpoint.engine.account import Account
from setpoint.engine.store import ACCOUNT_AT, Change, Drop, Put, Store
from setpoint.engine.token import Token
from setpoint.up import Running

AnyJson = Any
WIDE = (ADMINISTRATOR.name, "administrator")


def name_of_nobody() -> str:
    return f"canary-{secrets.token_hex(6)}"


def thing(name: str, kind: str, spec: AnyJson, *scopes: str) -> AnyJson:
    metadata = {"name": name, "labels": {"of": name, name: "label"}, **dict.fromkeys(scopes, name)}
    return {"kind": kind, "metadata": metadata, "spec": spec}


def belongings(name: str) -> list[AnyJson]:
    """One of each that no loop goes out into the world for, marked wherever there is text."""
    rule = {"keys": ["project.*"], "verbs": ["read"], "names": [name]}
    hook = {"url": f"https://{name}.example/", "secret": f"secret://{name}"}
    return [
        thing(name, "organization", {}),
        thing(name, "project", {}),
        thing(name, "notification_channel", hook),
        thing(name, "role", {"about": name, "rules": [rule]}),
        thing(name, "membership", {"email": f"{name}@{name}.example", "roles": [{"role": name}]}),
    ]


def more_belongings(name: str) -> list[AnyJson]:
    """Those that loops would go out for, where none run."""
    cloud = {
        "family": "hetzner_cloud",
        "endpoint": f"https://{name}.example",
        "credential": f"secret://{name}",
    }
    zone = {"provider": name, "domain": f"{name}.example"}
    record = {"zone": name, "name": name, "type": "TXT", "values": [name]}
    probe = {"probe": "http", "target": f"https://{name}.example/", "channels": [name]}
    return [
        thing(name, "provider", cloud),
        thing(name, "workspace", {"provider": name}, "project"),
        thing(name, "dns_zone", zone, "project"),
        thing(name, "dns_record", record, "project"),
        thing(name, "monitoring_object", probe, "project"),
        thing(name, "host", {"provider": name}, "project", "workspace"),
    ]


@dataclass(frozen=True)
class Ear:
    """Stands before the application, and hears whatever it says."""

    inner: ASGIApp
    name: str
    store: Store
    hits: MutableSequence[str] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def heard(message: Message) -> None:
            headers = [b"%b: %b" % each for each in message.get("headers", ())]
            said = b"".join([*headers, message.get("body", b"")])
            if self.name.encode() in said and not await self._may_hear(scope):
                asked = f"{scope['method']} {scope['path']} by {scope.get('setpoint.who')}"
                self.hits.append(f"{asked}: {said!r:.300}")
            await send(message)

        await self.inner(scope, receive, heard if scope["type"] == "http" else send)

    async def _may_hear(self, scope: Scope) -> bool:
        """Whoever names it, its own people, and where no tenant is asked about, whoever runs it all."""
        if self.name in f"{scope['path']}?{scope['query_string'].decode('latin-1')}":
            return True
        if scope["path"].startswith("/v1/organizations/"):
            return False
        who = str(scope.get("setpoint.who", ""))
        found: tuple[Account, ...] = await self.store.read(ACCOUNT_AT, email=who)
        return who in WIDE or self.name in who or any(each.administrator for each in found)


@contextlib.asynccontextmanager
async def overheard(run: Running) -> AsyncIterator[Ear]:
    """A world with the foreign organization in it; at its end nobody has heard of it."""
    app = run.application.api
    ear = Ear(
        app.middleware_stack or app.build_middleware_stack(),
        name_of_nobody(),
        run.application.scheduler.store,
    )
    app.middleware_stack = ear
    await _settle(run, ear.name)
    with _listening(ear):
        yield ear
    if ear.name in run.application.meter.render():
        ear.hits.append("the metrics")
    assert not ear.hits, f"{ear.name} was told to others: {ear.hits}"


def ear_of(run: Running) -> Ear:
    """The one that stands before this application."""
    ear = run.application.api.middleware_stack
    assert isinstance(ear, Ear)
    return ear


async def _settle(run: Running, name: str) -> None:
    token = {"name": name, "role": "auditor", "about": name}
    await send(run, f"/v1/organizations/{name}/declarations", {"items": belongings(name), "owner": name})
    await send(run, f"/v1/organizations/{name}/tokens", token)


async def send(run: Running, path: str, body: AnyJson) -> None:
    """As whoever runs it all, by a credential of its own: requests of others are counted for themselves."""
    secret, store = secrets.token_hex(20), run.application.scheduler.store
    token = Token(
        hash=hash_token(secret), subject=ADMINISTRATOR.name, role=ADMINISTRATOR.name, created_at=1.0
    )
    await store.commit(Change(writes=(Put(token),)))
    headers = {"Authorization": f"Bearer {secret}"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.post(run.url + path, json=body) as answer,
    ):
        # Where organizations wait for a yes, this one does too.
        assert answer.ok or answer.status in (404, 409, 422), await answer.text()
    await store.commit(Change(writes=(Drop(Token, token.hash),)))


@contextlib.contextmanager
def _listening(ear: Ear) -> Iterator[None]:
    """A line of the log is about one tenant: none of another names this one."""
    usual = log._write

    def write(level: str, event: str, fields: dict[str, Any]) -> None:
        line = f"{event} {fields}"
        if ear.name in line and re.search(r"\bacme\b", line):  # Random ids may hold it.
            ear.hits.append(f"log: {line}")
        usual(level, event, fields)

    log._write = write
    try:
        yield
    finally:
        log._write = usual
