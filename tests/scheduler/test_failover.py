"""After a failover: no deletes until everybody who lists what we made has looked, and found nothing newer."""

from dataclasses import dataclass

import pytest

from kinds.stage import ACME, ANN, SHOP, Stage
from setpoint.drive.frozen import FAILED_OVER
from setpoint.engine.entity import AnyEntity, State
from setpoint.engine.rows import Mode, Switch, Wake
from setpoint.engine.store import AUDIT_PAGE, WAKES_OF, Change, Drop
from setpoint.kinds import by_name
from setpoint.scheduler.failover import EVERY_SECONDS, Failover


@dataclass
class Standing:
    """An account and a zone in it, after a failover."""

    stage: Stage
    turn: Failover
    account: AnyEntity
    zone: AnyEntity

    async def switch(self) -> Switch:
        found = await self.stage.store.get(Switch, "all")
        assert found is not None
        return found

    async def asked(self) -> list[Wake]:
        found = [await self.stage.store.read(WAKES_OF, ref=each.ref) for each in (self.account, self.zone)]
        return [wake for wakes in found for wake in wakes if wake.reason.startswith("failover")]

    async def looked(self) -> None:
        """Both had a pass: it takes its wakes away."""
        drops = tuple(Drop(Wake, wake.id) for wake in await self.asked())
        await self.stage.store.commit(Change(writes=drops))


async def standing(mode: Mode = Mode.NO_DELETES, by: str = "setpoint", reason: str = FAILED_OVER) -> Standing:
    stage = await Stage().set_up()
    account = await stage.intent.named("provider", ACME, "hetzner")
    zone = await stage.declare("dns_zone", "example-org", provider="hetzner", domain="example.org")
    assert account is not None
    assert zone.scope == SHOP
    await stage.put(Switch(key="all", mode=mode, by=by, reason=reason, since=1.0, version=3))
    return Standing(stage, Failover(stage.store, by_name(), stage.runtime), account, zone)


async def test_everybody_who_lists_is_asked_once_and_then_it_is_let_go() -> None:
    s = await standing()
    assert await s.turn.settle() == EVERY_SECONDS
    assert {wake.ref for wake in await s.asked()} == {s.account.ref, s.zone.ref}
    assert await s.turn.settle() == EVERY_SECONDS
    assert len(await s.asked()) == 2
    assert (await s.switch()).mode is Mode.NO_DELETES
    await s.looked()
    assert await s.turn.settle() is None
    after = await s.switch()
    assert (after.mode, after.by, after.version) == (Mode.RUN, "setpoint", 4)
    [proof] = await s.stage.store.read(AUDIT_PAGE, organization="", after=0, limit=9)
    assert (proof.actor, proof.detail["mode"]) == ("setpoint", "run")
    assert await s.turn.settle() is None


async def test_a_look_that_failed_is_waited_for() -> None:
    s = await standing()
    await s.turn.settle()
    await s.looked()
    await s.stage.say(s.account, state=State.DEGRADED, reason="the listing is incomplete", failures=1)
    assert await s.turn.settle() == EVERY_SECONDS
    assert (await s.switch()).mode is Mode.NO_DELETES
    await s.stage.say(s.account, state=State.READY, reason="swept")
    assert await s.turn.settle() is None
    assert (await s.switch()).mode is Mode.RUN


async def test_where_something_newer_shows_it_stays_for_a_person() -> None:
    s = await standing()
    await s.turn.settle()
    await s.looked()
    await s.stage.say(s.zone, facts={"unknown": [{"name": "www"}]})
    assert await s.turn.settle() is None
    kept = await s.switch()
    assert (kept.mode, kept.version) == (Mode.NO_DELETES, 4)
    assert "dns_zone example-org list" in kept.reason
    await s.stage.say(s.zone, facts={})
    assert await s.turn.settle() is None
    assert await s.switch() == kept


@pytest.mark.parametrize(
    ("mode", "by", "reason"),
    [
        (Mode.RUN, "setpoint", FAILED_OVER),
        (Mode.OBSERVE, "setpoint", FAILED_OVER),
        (Mode.NO_DELETES, "ann", FAILED_OVER),
        (Mode.NO_DELETES, "setpoint", f"{FAILED_OVER} (before: no-deletes by ann: migration)"),
    ],
)
async def test_what_anybody_else_chose_is_not_let_go(mode: Mode, by: str, reason: str) -> None:
    s = await standing(mode, by, reason)
    before = await s.switch()
    assert [await s.turn.settle() for _ in range(3)] == [None] * 3
    assert (await s.switch(), await s.asked()) == (before, [])


async def test_what_is_being_deleted_is_not_waited_for() -> None:
    s = await standing()
    await s.stage.declarer.delete(s.zone.ref, ANN)
    await s.turn.settle()
    assert {wake.ref for wake in await s.asked()} == {s.account.ref}
