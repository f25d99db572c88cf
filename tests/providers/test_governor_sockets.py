"""The governor over real sockets: one for all who share a credential, and nobody is refused."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from aiohttp import web

from declarations import records, zone
from harness import TOKEN, simulator, world
from setpoint.capabilities.dns import RecordSet
from setpoint.capabilities.urgency import URGENT
from setpoint.engine.entity import Declared, Entity, Ref, Scope, Status
from setpoint.engine.errors import Transient
from setpoint.kinds.provider import Provider
from setpoint.providers.accounts import Accounts
from setpoint.providers.governor import Governor
from setpoint.providers.hetzner.account import HetznerAccount, open_account
from setpoint.providers.lines import Errand
from setpoint.providers.secrets import FolderSecrets
from setpoint.providers.transport import Transport
from setpoint.providers.turnstile import Turnstile
from setpoint.sim.hetzner import Fault, HetznerSim, RateLimit

from .test_hetzner_trouble import answering

ZONE = "example.org"
RECORDS = [RecordSet(name=f"r{number}", type="A", values=("192.0.2.1",)) for number in range(150)]
READ = Errand(writes=False, patience=10.0)


@dataclass
class Limited:
    """An account at a vendor that limits its calls."""

    sim: HetznerSim
    url: str
    turnstile: Turnstile
    account: HetznerAccount

    @property
    def governor(self) -> Governor:
        return self.turnstile.governor

    @property
    def refused(self) -> int:
        return self.sim.faults.struck.get("rate_limit_exceeded", 0)

    async def call(self) -> None:
        await self.account.dns.zones()


@pytest.fixture
async def limited() -> AsyncIterator[Limited]:
    async with simulator() as (sim, url):
        turnstile = Turnstile()
        transport = Transport("hetzner", f"{url}/v1", TOKEN, turnstile)
        yield Limited(sim, url, turnstile, open_account(transport, time.monotonic, 60.0))
        await transport.close()
        await asyncio.sleep(0)


async def test_hundreds_of_records_are_written_without_one_refusal(limited: Limited) -> None:
    await limited.account.dns.create_zone(ZONE, {})
    limited.sim.limit(RateLimit(calls=40, seconds=0.4))
    await side_by_side(limited, RECORDS)
    assert len([one for one in limited.sim.effects if one.resource == "rrset"]) == len(RECORDS)
    assert limited.refused == limited.governor.refused == 0
    # Each record is written, and many are followed at once.
    assert len(RECORDS) < limited.governor.calls < 2 * len(RECORDS)


async def side_by_side(limited: Limited, records: list[RecordSet]) -> None:
    """Writes them as loops do, sixteen at a time."""
    room = asyncio.Semaphore(16)

    async def write(record: RecordSet) -> None:
        async with room:
            await limited.account.dns.create_record(ZONE, record)

    await asyncio.gather(*(write(record) for record in records))


async def test_a_zone_converges_through_a_narrow_limit_and_no_act_is_refused(tmp_path: Path) -> None:
    async with world(tmp_path, sim={"rate_limit": RateLimit(calls=40, seconds=0.8)}) as w:
        await w.plane.declare([*w.setting(), zone(), *records(range(120))])
        await w.all_ready("dns_records", 120)
        assert len(w.effects("create", "rrset")) == 120
        assert "rate_limit_exceeded" not in w.sim.faults.struck
        assert {act.state for act in w.plane.acts()} == {"done"}
        ((_, governor),) = w.run.application.outside[0].governors()
        assert (governor.refused, governor.turned_away) == (0, 0)
        assert governor.waits > 0


async def test_following_what_was_begun_survives_a_refusal(limited: Limited) -> None:
    await limited.account.dns.create_zone(ZONE, {})
    limited.sim.faults.add(Fault(kind="error", method="GET", path="/actions/*", status=429, times=1))
    await limited.account.dns.create_record(ZONE, RECORDS[0])
    assert limited.governor.refused == 1


async def test_a_refusal_of_one_caller_stops_all_who_share_the_credential(limited: Limited) -> None:
    other = Transport("the-same", f"{limited.url}/v1", TOKEN, limited.turnstile)
    limited.sim.faults.add(Fault(kind="error", status=429, seconds=1.0, times=1))
    with pytest.raises(Transient) as told:
        await limited.call()
    assert (told.value.retry_after, told.value.landed) == (1.0, False)
    before, began = sum(limited.sim.requests.values()), time.monotonic()
    await other.call("GET", "/zones")
    assert time.monotonic() - began >= 0.95
    assert sum(limited.sim.requests.values()) == before + 1
    await other.close()


async def test_who_cannot_wait_for_so_long_is_told_when_to_come_back_and_nothing_is_sent(
    limited: Limited,
) -> None:
    limited.sim.faults.add(Fault(kind="error", status=429, seconds=60.0, times=1))
    with pytest.raises(Transient, match="answered 429"):
        await limited.call()
    before = dict(limited.sim.requests)
    with pytest.raises(Transient, match=r"hetzner answered 429 and is left alone for \d+\.\d s more") as told:
        await limited.account.dns.create_zone(ZONE, {})
    assert not told.value.landed
    assert told.value.retry_after == pytest.approx(60, abs=2)
    assert (limited.sim.requests, limited.governor.turned_away) == (before, 1)


async def test_a_pause_that_begins_while_somebody_waits_sends_them_away_at_once(limited: Limited) -> None:
    limited.sim.faults.add(Fault(kind="slow", seconds=0.2))
    limited.sim.faults.add(Fault(kind="error", status=429, seconds=3600.0))
    ended = await asyncio.gather(*(limited.call() for _ in range(5)), return_exceptions=True)
    assert {type(one) for one in ended} == {Transient}  # Nobody waited for an hour.
    assert sum(limited.sim.requests.values()) <= 2


async def test_a_call_that_may_not_go_in_time_ends_instead_of_hanging() -> None:
    turnstile = Turnstile(call_seconds=0.3)
    patience = turnstile.patience(acting=True)
    assert patience == pytest.approx(0.2)
    assert turnstile.patience(acting=False) == pytest.approx(0.6)
    async with turnstile.turn("x", READ), turnstile.turn("x", READ):
        with pytest.raises(Transient, match="x has not answered 2 calls yet; 0 more are waiting") as told:
            async with turnstile.turn("x", Errand(writes=True, patience=patience)):
                pytest.fail("two were under way already")
        assert not told.value.landed
    assert turnstile.governor.turned_away == 1


async def test_who_is_cancelled_while_waiting_or_while_calling_makes_room_and_is_no_outage() -> None:
    turnstile = Turnstile()
    for _ in range(3):
        async with turnstile.turn("x", READ) as turn:
            turn.answered(200, {})

    async def call() -> None:
        async with turnstile.turn("x", READ):
            await asyncio.sleep(60)

    for _ in range(2):
        tasks = [asyncio.create_task(call()) for _ in range(8)]
        await asyncio.sleep(1)
        # Two to begin with, and one more for each good answer.
        assert turnstile.governor.waiting == 3
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert turnstile.governor.waiting == 0


async def test_an_answer_counts_even_if_nobody_waits_for_its_end() -> None:
    turnstile = Turnstile()

    async def call() -> None:
        async with turnstile.turn("x", READ) as turn:
            turn.answered(429, {"Retry-After": "60"})
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await call()
    assert (turnstile.governor.refused, turnstile.governor.wait(READ, 0.0) > 0) == (1, True)


async def test_what_was_begun_is_followed_and_what_is_urgent_goes_before_the_backlog() -> None:
    """A vendor that tells nothing: by then the account takes a few calls a second."""
    order: list[str] = []

    async def respond(request: web.BaseRequest) -> web.Response:
        order.append(request.path)
        return web.json_response({})

    async with answering(respond) as url:
        transport = Transport("vendor", url, TOKEN)
        backlog = [asyncio.create_task(transport.call("POST", "/write", {})) for _ in range(6)]
        await asyncio.sleep(0)
        followed = asyncio.create_task(transport.follow("/followed"))
        URGENT.set(True)
        urgent = asyncio.create_task(transport.call("POST", "/urgent", {}))
        await asyncio.gather(followed, urgent, *backlog)
        await transport.close()
    assert set(order[1:3]) == {"/followed", "/urgent"}


async def test_one_credential_has_one_governor_whatever_the_providers_are_called(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("token-1")
    (tmp_path / "b").write_text("token-1")
    (tmp_path / "c").write_text("token-2")
    accounts = Accounts(FolderSecrets(tmp_path), time.monotonic, 5.0)
    for number, name in enumerate("abc"):
        await accounts.account(provider(number, name))
    assert len({id(governor) for _, governor in accounts.governors()}) == 2
    await accounts.close()


def provider(number: int, secret: str) -> Entity[Provider]:
    spec = Provider(family="hetzner_cloud", credential=f"secret://{secret}")
    ref = Ref(f"provider/{number}")
    declared = Declared(ref=ref, kind="provider", scope=Scope("acme"), name=secret, spec={})
    return Entity(declared, spec, Status(ref=ref))
