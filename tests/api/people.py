"""People who sign in: the first administrator, others who are invited, and what they hold in their hands."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Container
from dataclasses import dataclass
from typing import Any

import aiohttp
from msgspec.structs import replace

from setpoint.access.totp import STEP, code_at
from setpoint.engine.account import Strikes
from setpoint.engine.store import STRIKES_BEFORE, Change, Put

from .kit import Answer, Api, as_other

AnyJson = Any
PASSWORD = "violet harbour sings at nine"  # noqa: S105 - opens nothing but these tests
ANN = "ann@acme.example"


@dataclass
class Person:
    """Somebody with an account and an open session."""

    api: Api
    email: str
    password: str
    session: str
    key: str = ""
    taken: int = 0

    def code(self) -> str:
        """The next code of the authenticator that was not used yet, within the window that is taken."""
        self.taken = max(int(time.time()) // STEP - 1, self.taken + 1)
        return code_at(self.key, self.taken)


async def first(api: Api, email: str = ANN, password: str = PASSWORD) -> AnyJson:
    """The first administrator, by the link that the start printed."""
    body = {"link": api.run.link, "email": email, "name": "Ann", "password": password, "cookie": False}
    return await api.good("POST", "/v1/links:use", body)


@contextlib.asynccontextmanager
async def administrator(api: Api) -> AsyncIterator[Person]:
    made = await first(api)
    async with as_other(api, made["token"]) as own:
        yield Person(own, ANN, PASSWORD, made["token"])


async def invited(api: Api, email: str, **more: Any) -> str:
    """Whoever administers invites somebody; the link as it stands in the outbox."""
    await api.good("POST", "/v1/accounts", {"email": email, **more})
    return await letter_to(api, email.lower())


async def letter_to(api: Api, email: str, but: Container[str] = ()) -> str:
    """The newest link in the outbox to somebody; it is written after whoever asked for it got an answer."""
    async with asyncio.timeout(60):
        while True:
            letters = (await api.good("GET", "/v1/outbox"))["items"]
            links = [str(each["link"]) for each in letters if each["to"] == email and each["link"]]
            if fresh := [link for link in links if link not in but]:
                return fresh[0]
            await asyncio.sleep(0.02)


async def set_up(api: Api, email: str, password: str = PASSWORD) -> AnyJson:
    """Somebody who was invited and came; the answer has their session."""
    link = await invited(api, email)
    return await api.good("POST", "/v1/links:use", {"link": link, "password": password, "cookie": False})


@contextlib.asynccontextmanager
async def somebody(api: Api, email: str = "bob@acme.example") -> AsyncIterator[Person]:
    made = await set_up(api, email)
    async with as_other(api, made["token"]) as own:
        yield Person(own, email, PASSWORD, made["token"])


async def signed_in(api: Api, email: str, password: str = PASSWORD, **more: Any) -> Answer:
    body = {"email": email, "password": password, "cookie": False, **more}
    return await api.call("POST", "/v1/sessions", body)


@contextlib.asynccontextmanager
async def nobody(api: Api) -> AsyncIterator[Api]:
    """Somebody with no credential at all, and no cookie jar."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield Api(api.url, api.data, api.run, session, api.secrets)


async def with_second_factor(person: Person) -> list[str]:
    """Adds one, and returns the recovery codes."""
    begun = await person.api.good("POST", "/v1/me/totp", {})
    person.key = begun["key"]
    codes: list[str] = (await person.api.good("POST", "/v1/me/totp:confirm", {"code": person.code()}))[
        "recovery_codes"
    ]
    return codes


async def strikes(api: Api, what: str) -> list[Strikes]:
    """Tries that were counted, of one sort."""
    found = await api.store.read(STRIKES_BEFORE, before=1e12, limit=999)
    return [row for row in found if what in row.key]


async def waiting(api: Api, of: str) -> int:
    """How long the next try of a sort has to wait; an hour from here on, however slow the machine is."""
    (row,) = await strikes(api, of)
    await api.store.commit(Change(writes=(Put(replace(row, until=row.until + 3600.0)),)))
    return round(row.until - row.at)
