"""One owner for what is outside: claims when declared and when reached, marks at a zone, fields that stay."""

import pytest
from msgspec.structs import replace

from setpoint.capabilities.dns import RecordSet, Zone
from setpoint.engine.draft import Author, Declaration
from setpoint.engine.entity import AnyEntity, State
from setpoint.engine.errors import Rejected
from setpoint.engine.plan import Verb
from setpoint.engine.rows import ActState
from setpoint.engine.store import CLAIMS_OF
from setpoint.kinds import ALL

from .stage import ANN, KINDS, SHOP, Stage, act_of, ours


async def zone(stage: Stage, name: str, domain: str = "example.org", **more: object) -> AnyEntity:
    return await stage.declare("dns_zone", name, provider="hetzner", domain=domain, **more)


async def refused(stage: Stage, kind: str, name: str, author: Author = ANN, **spec: object) -> list[str]:
    with pytest.raises(Rejected) as found:
        await stage.declare(kind, name, author, **spec)
    return [each.code for each in found.value.mistakes]


@pytest.mark.parametrize("domain", ["example.org", "EXAMPLE.org", "example.org.", "Example.Org."])
async def test_a_domain_at_an_account_is_claimed_once_however_it_is_spelled(domain: str) -> None:
    stage = await Stage().set_up()
    await zone(stage, "one")
    assert await refused(stage, "dns_zone", "two", provider="hetzner", domain=domain) == ["claimed"]
    await zone(stage, "below", f"sub.{domain}")  # Delegation inside one organization.


async def test_two_in_one_request_are_refused_as_two_requests_are() -> None:
    stage = await Stage().set_up()
    spec = {"provider": "hetzner", "domain": "example.org"}
    items = [Declaration(kind="dns_zone", scope=SHOP, name=name, spec=spec) for name in ("one", "two")]
    with pytest.raises(Rejected, match="1 mistake"):
        await stage.declarer.declare(items, ANN)


async def test_a_second_provider_with_the_same_secret_and_address_is_the_same_account() -> None:
    stage = await Stage().set_up()
    await zone(stage, "one")
    more = {"family": "hetzner_cloud", "credential": "secret://hetzner", "mode": "run"}
    await stage.declare("provider", "again", **more)
    assert await refused(stage, "dns_zone", "two", provider="again", domain="example.org") == ["claimed"]


async def test_an_account_that_turns_out_to_be_the_same_is_refused_when_it_is_reached() -> None:
    stage = await Stage().set_up()
    first = await zone(stage, "one")
    await stage.declare("provider", "other", family="hetzner_cloud", credential="secret://other", mode="run")
    second = await stage.declare("dns_zone", "two", provider="other", domain="example.org")
    await stage.loop("dns_zone").observe(first)
    with pytest.raises(Rejected, match="owned by dns_zone one"):
        await stage.loop("dns_zone").observe(second)
    assert len(await stage.store.read(CLAIMS_OF, ref=first.ref)) == 3
    await stage.declarer.delete(second.ref, ANN)
    leaving = await stage.entity(second.ref)
    await stage.loop("dns_zone").observe(leaving)  # What leaves is let through: it takes its own alone.


async def test_who_may_not_see_the_owner_is_not_told_who_it_is() -> None:
    stage = await Stage().set_up()
    await zone(stage, "one")
    blind = Author(actor="eve", organization="acme", sees=lambda row: False)
    with pytest.raises(Rejected) as found:
        await stage.declare("dns_zone", "two", blind, provider="hetzner", domain="example.org")
    assert "claimed elsewhere in this installation" in found.value.mistakes[0].message
    assert "one" not in found.value.mistakes[0].message.split()


async def test_what_it_claimed_is_free_when_its_domain_is_changed_before_anything_was_made() -> None:
    stage = await Stage().set_up()
    await zone(stage, "one")
    await zone(stage, "one", "other.org")
    await zone(stage, "two")


async def test_a_zone_that_another_live_zone_holds_by_marks_gets_nothing() -> None:
    stage = await Stage().set_up()
    first, second = await zone(stage, "one"), await zone(stage, "two", "example.net")
    loop = stage.loop("dns_zone")
    for labels, marked in ((ours(first), {}), ({}, ours(first)), ({"setpoint/installation": "x"}, {})):
        stage.cloud.zones["example.net"] = Zone(id="7", name="example.net", labels=labels)
        record = RecordSet(name="www", type="A", values=("192.0.2.1",), labels=marked)
        stage.cloud.sets["example.net", "www", "A"] = record
        plan = loop.plan(second, await loop.observe(second), 0.0)
        assert (plan.state, plan.actions) == (State.FAILED, ())
    stage.cloud.zones["example.net"] = Zone(id="7", name="example.net", labels=ours(second))
    plan = loop.plan(second, await loop.observe(second), 0.0)
    assert plan.state is State.READY  # Our own zone stays ours, whatever is put into it.


FIXED = [(kind.name, field) for kind in ALL for field in kind.fixed]


@pytest.mark.parametrize(("kind", "field"), FIXED)
async def test_a_field_that_places_a_thing_stays_once_it_was_made(kind: str, field: str) -> None:
    stage = await Stage().set_up()
    spec = dict(KINDS[kind].example)
    await stage.declare("provider", "second", family="hetzner_cloud", credential="secret://b", mode="run")
    other = {"provider": "second", "domain": "moved.org"}[field]
    moved = {**spec, field: other}
    await stage.declare(kind, "thing", **spec)
    await stage.declare(kind, "thing", **moved)
    made = await stage.declare(kind, "thing", **spec)  # Before anything exists it may move, and back.
    await stage.put(act_of(made, Verb.CREATE, "made"))
    assert await refused(stage, kind, "thing", **moved) == ["immutable"]
    await stage.declare(kind, "thing", **spec)


async def test_however_many_acts_failed_since_what_was_made_stays() -> None:
    """Not only among the latest: hundreds that failed came after the one that made it."""
    stage = await Stage().set_up()
    made = await zone(stage, "one")
    first = act_of(made, Verb.CREATE, "made")
    failed = [replace(first, id=f"act-z{number:04d}", state=ActState.FAILED) for number in range(250)]
    await stage.put(first, *failed)
    assert await refused(stage, "dns_zone", "one", provider="hetzner", domain="moved.org") == ["immutable"]


def test_every_kind_with_an_account_says_that_its_place_stays() -> None:
    placed = {kind.name for kind in ALL if "provider" in kind.references.values()}
    assert {kind.name for kind in ALL if kind.fixed} == placed


async def test_setting_adopt_needs_the_right_to_execute() -> None:
    stage = await Stage().set_up()
    member = Author(actor="eve", organization="acme", may=lambda verb, row: verb != "execute")
    spec = {"provider": "hetzner", "domain": "example.org"}
    assert await refused(stage, "dns_zone", "one", member, **spec, adopt=True) == ["forbidden"]
    await zone(stage, "one", adopt=True)
    await stage.declare("dns_zone", "one", member, **spec, adopt=True)  # It stood before.
    moved = {**spec, "domain": "other.org"}
    assert await refused(stage, "dns_zone", "one", member, **moved, adopt=True) == ["forbidden"]
