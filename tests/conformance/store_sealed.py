"""What every store answers about sealed secrets and their keys."""

import pytest
from msgspec.structs import replace

from conformance.store_rows import names, organization_key, puts, secret, secret_use
from setpoint.engine.entity import Declared, Ref, Scope
from setpoint.engine.errors import Conflict
from setpoint.engine.secret import Master, OrganizationKey, Secret
from setpoint.engine.store import (
    KEYS_OF,
    KEYS_PAGE,
    KEYS_RETIRED,
    KEYS_UNDER,
    ORGANIZATIONS,
    SECRETS_HELD,
    SECRETS_OF,
    USES_OF,
    Change,
    Drop,
    Expect,
    Put,
    Store,
)


def organization(number: int) -> Declared:
    ref = Ref(f"organization/{number}")
    return Declared(ref=ref, kind="organization", scope=Scope(), name=f"o{number}", spec={})


async def test_keys_of_an_organization_come_newest_first(store: Store) -> None:
    keys = [organization_key(version=version) for version in (1, 2, 10)]
    await store.commit(puts(*keys, organization_key("organization/2")))
    assert [key.version for key in await store.read(KEYS_OF, home="organization/1")] == [10, 2, 1]
    assert await store.read(KEYS_OF, home="organization/3") == []


async def test_retired_keys_and_those_of_a_master_are_found(store: Store) -> None:
    old = organization_key(version=1, retired_at=5.0)
    await store.commit(
        puts(old, organization_key(version=2), organization_key("organization/2", master="m2"))
    )
    assert await store.read(KEYS_RETIRED) == [old]
    assert [key.version for key in await store.read(KEYS_UNDER, master="m1", limit=1)] == [1]
    assert [key.home for key in await store.read(KEYS_UNDER, master="m2", limit=9)] == ["organization/2"]


async def test_organizations_and_keys_come_in_pages(store: Store) -> None:
    inside = Declared(ref=Ref("project/1"), kind="project", scope=Scope("o1"), name="p", spec={})
    await store.commit(puts(organization(1), organization(2), organization(3), inside))
    await store.commit(puts(*(organization_key(f"organization/{number}") for number in range(3))))
    assert await names(store, ORGANIZATIONS, after="", limit=2) == ["1", "2"]
    assert await names(store, ORGANIZATIONS, after="organization/2", limit=2) == ["3"]
    first = await store.read(KEYS_PAGE, after="", limit=2)
    assert [key.home for key in first] == ["organization/0", "organization/1"]
    assert [key.home for key in await store.read(KEYS_PAGE, after=first[-1].id, limit=2)] == [
        "organization/2"
    ]


async def test_secrets_come_in_pages_by_name(store: Store) -> None:
    rows = [secret(name) for name in ("a", "b", "c")]
    await store.commit(puts(*rows, secret("a", "organization/2")))
    page = await store.read(SECRETS_OF, home="organization/1", after="", limit=2)
    assert page == rows[:2]
    assert await store.read(SECRETS_OF, home="organization/1", after="b", limit=2) == rows[2:]


async def test_uses_are_those_of_one_organization(store: Store) -> None:
    await store.commit(
        puts(secret_use("a"), secret_use("a", "provider/2"), secret_use("a", home="organization/2"))
    )
    assert [use.ref for use in await store.read(USES_OF, home="organization/1")] == [
        "provider/1",
        "provider/2",
    ]


async def test_nothing_is_sealed_with_a_key_that_is_retired_meanwhile(store: Store) -> None:
    key = organization_key()
    await store.commit(puts(key))
    rests = Expect(OrganizationKey, key.id, "retired_at", 0.0)
    await store.commit(Change(expects=(rests, Expect(Secret, secret("a").id)), writes=(Put(secret("a")),)))
    await store.commit(puts(replace(key, retired_at=7.0)))
    with pytest.raises(Conflict):
        await store.commit(Change(expects=(rests,), writes=(Put(secret("b")),)))
    await store.commit(Change(writes=(Drop(OrganizationKey, key.id),)))
    with pytest.raises(Conflict):
        await store.commit(Change(expects=(rests,), writes=(Put(secret("b")),)))


async def test_there_is_one_master(store: Store) -> None:
    await store.commit(Change(expects=(Expect(Master, "master"),), writes=(Put(Master(id="m1")),)))
    with pytest.raises(Conflict):
        await store.commit(Change(expects=(Expect(Master, "master"),), writes=(Put(Master(id="m2")),)))
    assert await store.get(Master, "master") == Master(id="m1")


async def test_secrets_of_one_organization_are_counted_with_their_bytes(store: Store) -> None:
    await store.commit(puts(secret("a"), secret("b"), secret("c", "organization/2")))
    [held] = await store.read(SECRETS_HELD, home="organization/1")
    assert (held.objects, held.bytes > 0) == (2, True)
    [none] = await store.read(SECRETS_HELD, home="organization/3")
    assert (none.objects, none.bytes) == (0, 0)
