"""An account: its credential is proven, and another account is never mistaken for it."""

from typing import Any

import pytest
from msgspec import structs

from setpoint.capabilities.account import Calls
from setpoint.capabilities.dns import Zone
from setpoint.capabilities.reach import account_of
from setpoint.engine.entity import AnyEntity, Condition, Shape, State
from setpoint.engine.errors import Denied, Missing, Rejected, Transient
from setpoint.engine.plan import ABSENT, Plan, Verb
from setpoint.engine.rows import Mode
from setpoint.kinds.provider import PROVIDER, Provider

from .stage import PROD, Stage, entity_of


async def provider(stage: Stage, **facts: Any) -> AnyEntity:
    found = await stage.intent.named("provider", PROD, "hetzner")
    assert found is not None
    return await stage.say(found, facts=facts)


async def planned(stage: Stage, entity: AnyEntity) -> Plan:
    loop = stage.loop("provider")
    return loop.plan(entity, await loop.observe(entity), stage.runtime.now())


def stand(stage: Stage, *zones: str) -> None:
    """These zones, and no others, are in the account."""
    stage.cloud.zones = {name: Zone(id=name, name=name) for name in zones}


async def test_a_sweep_proves_the_credential_and_says_what_is_there(stage: Stage) -> None:
    stand(stage, "a", "b")
    plan = await planned(stage, await provider(stage))
    assert plan.state is State.READY
    assert plan.reason.startswith("credential valid; servers: 0")
    assert (plan.facts["landmarks"], plan.facts["zones"]) == (["zone/a", "zone/b"], 2)
    assert plan.facts["fingerprint"] == stage.cloud.fingerprint
    assert "calls" not in plan.facts


async def test_what_is_left_of_the_vendors_limit_is_remembered(stage: Stage) -> None:
    stage.cloud.allowance = Calls(limit=3600, left_percent=70, reserve_percent=10)
    plan = await planned(stage, await provider(stage))
    assert plan.facts["calls"] == {"limit": 3600, "left_percent": 70, "reserve_percent": 10}
    assert [(found.type, found.status) for found in plan.conditions] == [("SameAccount", "True")]


async def test_only_the_oldest_few_landmarks_are_kept(stage: Stage) -> None:
    stand(stage, *"abcdefgh")
    plan = await planned(stage, await provider(stage))
    assert plan.facts["landmarks"] == [f"zone/{name}" for name in "abcde"]


@pytest.mark.parametrize(
    ("known", "there", "same"),
    [
        (["zone/a", "zone/b"], ["b", "c"], True),
        (["zone/a", "zone/b"], ["c"], False),
        (["zone/a"], [], False),
        ([], ["c"], True),
    ],
    ids=["one is left", "none is left", "an empty account", "nothing was known"],
)
async def test_behind_a_new_credential_something_known_must_be_found(
    stage: Stage, known: list[str], there: list[str], same: bool
) -> None:
    stand(stage, *there)
    plan = await planned(stage, await provider(stage, landmarks=known, fingerprint="another"))
    assert (plan.state is State.READY, plan.conditions[0].status == "True") == (same, same)
    assert stage.worked == (["hetzner"] if same else [])
    if not same:
        assert "is it another one?" in plan.reason
        assert (plan.facts["landmarks"], plan.again_in) == (known, 60.0)


async def test_behind_the_same_credential_things_may_go(stage: Stage) -> None:
    facts = {"landmarks": ["zone/gone"], "fingerprint": stage.cloud.fingerprint}
    assert (await planned(stage, await provider(stage, **facts))).state is State.READY


async def test_what_its_users_remember_counts_as_known(stage: Stage) -> None:
    zone = await stage.declare("dns_zone", "example", provider="hetzner", domain="example.org")
    await stage.say(zone, facts={"zone_id": "a"})
    stand(stage, "other")
    assert (await planned(stage, await provider(stage, fingerprint="another"))).state is State.FAILED
    stand(stage, "a")
    assert (await planned(stage, await provider(stage, fingerprint="another"))).state is State.READY


async def test_a_deleted_provider_is_gone_and_not_swept(stage: Stage) -> None:
    stage.cloud.broken = {"sweep": [Denied("bad token")]}
    assert (await planned(stage, entity_of("provider", deleting="asked"))).gone


async def test_nothing_is_changed_at_an_account(stage: Stage) -> None:
    entity = await provider(stage)
    with pytest.raises(Rejected, match="a provider has nothing to create"):
        await stage.act(entity, Verb.CREATE, "it")
    assert await stage.loop("provider").look(entity, "it") is ABSENT


@pytest.mark.parametrize("mode", [Mode.OBSERVE, Mode.NO_DELETES, Mode.RUN])
def test_the_mode_of_an_account_bounds_what_is_done_through_it(mode: Mode) -> None:
    spec = Provider(family="hetzner_cloud", credential="secret://x", mode=mode.value)  # type: ignore[arg-type]
    assert PROVIDER.mode is not None
    assert (PROVIDER.mode(spec), PROVIDER.mode(Shape())) == (mode, Mode.OBSERVE)


async def test_an_account_that_is_not_declared_is_waited_for(stage: Stage) -> None:
    with pytest.raises(Missing, match="waiting for provider other, which is not declared"):
        await account_of(stage.world, entity_of("host"), "other")


async def test_what_else_is_said_of_an_account_keeps_nobody_from_using_it(stage: Stage) -> None:
    tired = Condition(type="Rested", status="False", reason="Tired")
    await stage.say(await provider(stage), conditions=(tired,))
    assert await account_of(stage.world, entity_of("host"), "hetzner") is stage.cloud


async def test_who_goes_on_with_the_old_credential_is_not_stopped_by_the_new_ones_account(
    stage: Stage,
) -> None:
    other = Condition(type="SameAccount", status="False", reason="LandmarksMissing", message="is it another?")
    entity = await provider(stage, fingerprint=stage.cloud.fingerprint)
    await stage.say(entity, conditions=(other,), facts=entity.facts)
    assert await account_of(stage.world, entity_of("host"), "hetzner") is stage.cloud


async def test_an_account_that_looks_like_another_is_not_used(stage: Stage) -> None:
    other = Condition(type="SameAccount", status="False", reason="LandmarksMissing", message="is it another?")
    await stage.say(await provider(stage), conditions=(other,))
    with pytest.raises(Transient, match="provider hetzner: is it another"):
        await account_of(stage.world, entity_of("host"), "hetzner")


async def test_a_new_credential_is_proven_before_it_is_used(stage: Stage) -> None:
    await provider(stage, landmarks=["zone/a"], fingerprint="another")
    with pytest.raises(Transient, match="is it another one"):
        await account_of(stage.world, entity_of("host"), "hetzner")
    stand(stage, "a")
    assert await account_of(stage.world, entity_of("host"), "hetzner") is stage.cloud


async def test_since_when_it_is_the_same_account_is_kept(stage: Stage) -> None:
    entity = await provider(stage)
    [first] = (
        stage.loop("provider").plan(entity, await stage.loop("provider").observe(entity), 7.0).conditions
    )
    later = structs.replace(entity, status=structs.replace(entity.status, conditions=(first,)))
    [again] = stage.loop("provider").plan(later, await stage.loop("provider").observe(later), 9.0).conditions
    assert (first.since, again.since) == (7.0, 7.0)
