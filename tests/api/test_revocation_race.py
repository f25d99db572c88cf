"""Whatever is taken from somebody: no request that began after that was committed gets through.

`SETPOINT_ROUNDS=1000` is the full dose; the usual run has a few, on SQLite and on PostgreSQL.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

import postgres
from harness import ORGANIZATION
from setpoint.engine.account import Account

from .belonging import MEMBERSHIPS, ROLES, account, address, given, invite, say_yes, session
from .kit import Api, settled, still
from .within import ask

ROUNDS = int(os.environ.get("SETPOINT_ROUNDS", "1"))
CALLERS = 200 if ROUNDS > 1 else 40
TOKENS = f"{ORGANIZATION}/tokens"
SHOP = f"{ORGANIZATION}/projects/shop"
Take = Callable[[], Awaitable[object]]


@pytest.fixture(params=["sqlite", "postgresql"])
async def api(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Api]:
    more = {}
    if request.param == "postgresql":
        more = {"database": await postgres.database(), "allow_unsafe_database": True}
    async with still(tmp_path, **more) as api:
        await api.declare(*settled())
        yield api


async def a_token(api: Api, turn: int) -> tuple[str, Take]:
    made = await api.good("POST", TOKENS, {"name": "ci", "role": "auditor"})
    return made["token"], lambda: api.good("DELETE", f"{TOKENS}/{made['id']}")


async def a_membership(api: Api, turn: int) -> tuple[str, Take]:
    person = await _person(api, turn, "auditor")
    return await session(api, person), lambda: api.good("DELETE", f"{MEMBERSHIPS}/p{turn}")


async def a_right_of_a_role(api: Api, turn: int) -> tuple[str, Take]:
    rules = [{"keys": ["organization.project"], "verbs": ["read"]}]
    await api.good("PUT", f"{ROLES}/looks", {"spec": {"rules": rules}})
    person = await _person(api, turn, "looks")
    made = await session(api, person)
    return made, lambda: api.good("PUT", f"{ROLES}/looks", {"spec": {"rules": []}})


async def an_account(api: Api, turn: int) -> tuple[str, Take]:
    person = await _person(api, turn, "auditor")
    path = f"/v1/accounts/{person.id}"
    return await session(api, person), lambda: api.good("PATCH", path, {"disabled": True})


async def _person(api: Api, turn: int, role: str) -> Account:
    person = await account(api, f"p{turn}")
    assert person.email == address(f"p{turn}")
    await say_yes(api, await invite(api, f"p{turn}", given(role)), person)
    return person


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("given_out", [a_token, a_membership, a_right_of_a_role, an_account])
async def test_nothing_that_began_later_gets_through(
    api: Api, given_out: Callable[[Api, int], Awaitable[tuple[str, Take]]]
) -> None:
    before = after = 0
    for turn in range(ROUNDS):
        secret, take = await given_out(api, turn)
        found = await _round(api, secret, take)
        before += found[0]
        after += found[1]
    print(f"{ROUNDS} rounds: {before} requests got through, {after} began later and did not")  # noqa: T201
    assert before >= ROUNDS * CALLERS
    assert after >= ROUNDS * CALLERS


async def _round(api: Api, secret: str, take: Take) -> tuple[int, int]:
    """How many got through, and how many began after it was taken: none of these may be among the former."""
    app, counts = api.run.application.api, [0, 0]
    under_way, taken = asyncio.Event(), asyncio.Event()

    async def call(number: int) -> None:
        late = False
        while not late:
            await asyncio.sleep(0)  # A read may be answered without waiting for anything: let the others in.
            late = taken.is_set()
            status = (await ask(app, "GET", SHOP, secret)).status
            assert not (late and status == 200), "it began after the commit and got through"
            counts[0] += status == 200
            counts[1] += late
            if counts[0] >= CALLERS:
                under_way.set()

    async def revoke() -> None:
        await under_way.wait()  # Before that there is nothing to race with.
        await take()
        taken.set()

    callers = [asyncio.create_task(call(number)) for number in range(CALLERS)]
    await asyncio.gather(revoke(), *callers)
    return counts[0], counts[1]
