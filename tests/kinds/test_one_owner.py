"""One owner for what is outside: claims when declared and when reached, marks at a zone, fields that stay."""

import pytest
from msgspec.structs import replace

from setpoint.capabilities.dns import RecordSet, Zone
from setpoint.engine.claim import Claim
from setpoint.engine.draft import Author, Declaration
from setpoint.engine.entity import AnyEntity, Declared, Scope, State, slot
from setpoint.engine.errors import Rejected
from setpoint.engine.owners import AT_ONCE
from setpoint.engine.plan import Verb
from setpoint.engine.rows import ActState
from setpoint.engine.store import CLAIMS_OF, DECLARED_AT, Change, Drop
from setpoint.kinds import ALL
from setpoint.kinds.provider import ACCOUNT

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


class Place:
    """An organization with a provider whose account is known for what it is: the same one for all."""

    def __init__(self, stage: Stage, organization: str) -> None:
        self.stage, self.organization = stage, organization

    async def set_up(self) -> "Place":
        await self.declare("organization", self.organization, Scope())
        await self.declare("project", "shop", Scope(self.organization))
        own = {"family": "hetzner_cloud", "credential": "secret://own", "mode": "run"}
        provider = await self.declare("provider", "hetzner", Scope(self.organization), **own)
        await self.stage.say(provider, facts={ACCOUNT: self.stage.cloud.identity})
        return self

    async def declare(self, kind: str, name: str, scope: Scope, **spec: object) -> AnyEntity:
        mine = Author(actor="eve", organization=scope.organization, sees=self.sees)
        item = Declaration(kind=kind, scope=scope, name=name, spec=spec)
        [row] = await self.stage.declarer.declare((item,), mine)
        return await self.stage.entity(row.ref)

    def sees(self, row: Declared) -> bool:
        return row.organization == self.organization

    async def zone(self, domain: str) -> AnyEntity:
        name = domain.replace(".", "-")
        scope = Scope(self.organization, "shop")
        return await self.declare("dns_zone", name, scope, provider="hetzner", domain=domain)

    async def refused(self, domain: str) -> str:
        with pytest.raises(Rejected) as found:
            await self.zone(domain)
        [mistake] = found.value.mistakes
        assert mistake.code == "claimed"
        return mistake.message


async def two_places() -> tuple[Stage, Place, Place]:
    stage = Stage()
    return stage, await Place(stage, "acme").set_up(), await Place(stage, "beta").set_up()


async def test_a_domain_around_or_below_one_of_another_organization_is_refused() -> None:
    stage, acme, beta = await two_places()
    mine = await acme.zone("login.d.example")
    words = "is claimed elsewhere in this installation, at the same account"
    assert await beta.refused("d.example") == f"d.example has a part that {words}"
    assert (
        await beta.refused("a.login.d.example")
        == f"a.login.d.example is a part of login.d.example, which {words}"
    )
    for free in ("in.d.example", "d-login.example", "logind.example", "ogin.d.example"):
        await beta.zone(free)
    await acme.zone("api.d.example")
    assert await acme.refused("d.example") == f"d.example has a part that {words}"
    loop = stage.loop("dns_zone")
    assert (await loop.observe(await stage.entity(mine.ref))).declared == ()


@pytest.mark.parametrize("domains", [("d.example", "a.d.example"), ("a.d.example", "d.example")])
async def test_in_one_organization_zones_below_one_another_are_delegation(domains: tuple[str, str]) -> None:
    stage, acme, _ = await two_places()
    for domain in domains:
        await acme.zone(domain)
    for domain in domains:
        found = await acme.zone(domain)  # Once more, as a file is applied.
        await stage.loop("dns_zone").observe(found)


def member_of(project: str) -> Author:
    return Author(actor="con", organization="acme", may=lambda _, row: row.scope.project == project)


async def delegating(author: Author, project: str, domain: str) -> Stage:
    """`d.example` belongs to project shop; this author declares another zone, together with what is given."""
    stage, acme, _ = await two_places()
    await acme.declare("project", "blog", Scope("acme"))
    await acme.zone("d.example")
    await zone_in(stage, author, project, domain)
    return stage


async def zone_in(stage: Stage, author: Author, project: str, *domains: str) -> None:
    items = [
        Declaration(
            kind="dns_zone",
            scope=Scope("acme", project),
            name=domain.replace(".", "-"),
            spec={"provider": "hetzner", "domain": domain},
        )
        for domain in domains
    ]
    await stage.declarer.declare(items, author)


OWNER = Author(actor="ann", organization="acme")


@pytest.mark.parametrize("domain", ["login.d.example", "a.b.d.example", "example"])
@pytest.mark.parametrize(
    ("author", "project"),
    [(member_of("shop"), "shop"), (OWNER, "shop"), (OWNER, "blog")],
    ids=["member of shop", "owner", "owner in another project"],
)
async def test_who_may_change_a_zone_delegates_parts_of_it(author: Author, project: str, domain: str) -> None:
    stage = await delegating(author, project, domain)
    await zone_in(stage, author, project, domain)  # Once more, as a file is applied.


@pytest.mark.parametrize("domain", ["login.d.example", "a.b.d.example", "example"])
async def test_who_may_not_change_a_zone_of_the_organization_declares_none_around_or_in_it(
    domain: str,
) -> None:
    with pytest.raises(Rejected) as found:
        await delegating(member_of("blog"), "blog", domain)
    assert [each.code for each in found.value.mistakes] == ["claimed"]


async def test_zones_around_one_another_in_one_request_are_delegation() -> None:
    stage, acme, _ = await two_places()
    await acme.declare("project", "blog", Scope("acme"))
    creates = Author(actor="con", organization="acme", may=lambda verb, _: verb == "create")
    await zone_in(stage, creates, "blog", "a.d.example", "d.example", "b.a.d.example")


async def test_however_many_parts_are_ones_own_the_one_that_is_not_is_found() -> None:
    stage, acme, _ = await two_places()
    await acme.declare("project", "blog", Scope("acme"))
    await zone_in(stage, OWNER, "blog", *(f"n{number:03}.d.example" for number in range(AT_ONCE + 1)))
    await zone_in(stage, OWNER, "shop", "z.d.example")
    with pytest.raises(Rejected):
        await zone_in(stage, member_of("blog"), "blog", "d.example")
    await zone_in(stage, OWNER, "blog", "d.example")


async def test_a_zone_that_was_there_before_is_declared_again_whatever_came_into_it() -> None:
    stage, acme, _ = await two_places()
    await acme.declare("project", "blog", Scope("acme"))
    await zone_in(stage, OWNER, "blog", "login.d.example")
    await zone_in(stage, OWNER, "shop", "d.example")
    member, spec = member_of("shop"), {"provider": "hetzner", "domain": "d.example"}
    [row] = await stage.store.read(DECLARED_AT, slot=slot("dns_zone", SHOP, "d-example"))
    await stage.declarer.delete(row.ref, member)
    item = Declaration(kind="dns_zone", scope=SHOP, name="d-example", spec=spec, labels={"a": "b"})
    await stage.declarer.declare((item,), member)


async def test_who_sees_the_owner_of_a_part_is_told_where_it_is() -> None:
    _, acme, beta = await two_places()
    await acme.zone("login.d.example")
    beta.sees = lambda row: True  # type: ignore[method-assign]
    told = "d.example has a part, login.d.example, which is owned by dns_zone login-d-example in acme/shop"
    assert (await beta.refused("d.example")).startswith(f"{told}, at the same account; see it: ")


@pytest.mark.parametrize("domains", [("d.example", "a.d.example"), ("a.d.example", "d.example")])
async def test_of_two_that_were_declared_at_the_same_moment_the_later_one_gives_way(
    domains: tuple[str, str],
) -> None:
    """Two replicas that did not see one another's rows: both were stored."""
    stage, acme, beta = await two_places()
    first = await acme.zone(domains[0])
    rows = await stage.store.read(CLAIMS_OF, ref=first.ref)
    await stage.store.commit(Change(writes=tuple(Drop(Claim, row.key) for row in rows)))
    stage.runtime.time += 1.0
    second = await beta.zone(domains[1])
    await stage.put(*rows)
    loop = stage.loop("dns_zone")
    for _ in range(2):  # In whatever order they are looked at.
        with pytest.raises(Rejected, match="claimed elsewhere in this installation"):
            await loop.observe(second)
        await loop.observe(first)


async def test_claims_of_an_older_version_get_their_place_and_disturb_nobody() -> None:
    stage, acme, beta = await two_places()
    first = await acme.zone("login.d.example")
    rows = await stage.store.read(CLAIMS_OF, ref=first.ref)
    await stage.put(*(Claim(key=row.key, ref=row.ref, organization=row.organization) for row in rows))
    stage.runtime.time += 1.0
    second = await beta.zone("d.example")  # Not seen: these rows say nothing about where they are.
    loop = stage.loop("dns_zone")
    await loop.observe(second)
    await loop.observe(first)
    now = await stage.store.read(CLAIMS_OF, ref=first.ref)
    assert [row for row in rows if row not in now] == []
    with pytest.raises(Rejected, match=r"d\.example has a part that is claimed elsewhere"):
        await loop.observe(second)
    await loop.observe(first)


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
