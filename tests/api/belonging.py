"""People with accounts, as if they had signed in; what they were given is declared over HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from harness import ORGANIZATION
from setpoint.access.credential import PREFIXES, hash_token, minted
from setpoint.api.invitations import accept
from setpoint.engine.account import Account
from setpoint.engine.store import Change, Put
from setpoint.engine.token import Token
from setpoint.system import now

from .kit import AnyJson, Api, as_other

MEMBERSHIPS = f"{ORGANIZATION}/memberships"
ROLES = f"{ORGANIZATION}/roles"


def address(name: str) -> str:
    return f"{name}@example.org"


def given(role: str, **where: str) -> AnyJson:
    return {"role": role, **where}


async def account(api: Api, name: str, **more: Any) -> Account:
    """Somebody who could sign in."""
    made = Account(id=f"u-{name}", email=address(name), **more)
    await api.store.commit(Change(writes=(Put(made),)))
    return made


async def session(api: Api, person: Account, name: str = "session") -> str:
    """The secret of a session of theirs."""
    secret = minted(f"{name}{person.id}".replace("-", ""), "s" * 43, PREFIXES["session"])
    row = Token(
        hash=hash_token(secret),
        subject=person.email,
        role="",
        sort="session",
        account=person.id,
        id=secret[:40],
        proved_at=now(),
        seen_at=now(),
    )
    await api.store.commit(Change(writes=(Put(row),)))
    return secret


async def invite(api: Api, name: str, *roles: AnyJson) -> str:
    """The ref of a membership that nobody accepted yet."""
    body = {"spec": {"email": address(name), "roles": list(roles)}}
    made = await api.good("PUT", f"{MEMBERSHIPS}/{name}", body)
    return str(made["metadata"]["ref"])


async def say_yes(api: Api, ref: str, person: Account) -> None:
    await api.store.commit(await accept(api.store, ref, person, 1.0))


@asynccontextmanager
async def member(api: Api, name: str, *roles: AnyJson) -> AsyncIterator[Api]:
    """The API for somebody who accepted a membership with these roles."""
    person = await account(api, name)
    await say_yes(api, await invite(api, name, *roles), person)
    async with as_other(api, await session(api, person)) as other:
        yield other
