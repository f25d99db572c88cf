"""What every store answers about memberships that were accepted, and about how organizations stand."""

import json

import pytest

from conformance.store_rows import account, puts
from setpoint.engine.claim import Claim
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Conflict
from setpoint.engine.store import (
    ACCEPTANCES_BY,
    ACCEPTANCES_OF,
    ACCOUNTS_OF,
    CLAIMS_AT,
    CLAIMS_OF,
    STANDINGS_OF,
    Change,
    Drop,
    Expect,
    Put,
    Store,
)
from setpoint.engine.tenancy import Acceptance, Standing


def accepted(ref: str, by: str) -> Acceptance:
    return Acceptance(ref=Ref(f"membership/{ref}"), account=by, email=f"{by}@acme.example", at=1.0)


async def test_what_one_person_accepted_and_who_accepted_what(store: Store) -> None:
    one, two, other = accepted("1", "u1"), accepted("2", "u1"), accepted("3", "u2")
    await store.commit(puts(two, other, one))
    assert await store.read(ACCEPTANCES_BY, account="u1") == [one, two]
    asked = json.dumps([other.ref, one.ref, "membership/nobody"])
    assert await store.read(ACCEPTANCES_OF, refs=asked) == [one, other]
    await store.commit(puts(accepted("2", "u2")))
    await store.commit(Change(writes=(Drop(Acceptance, one.ref),)))
    assert await store.read(ACCEPTANCES_BY, account="u1") == []


async def test_a_thing_has_one_owner_and_a_second_one_is_refused(store: Store) -> None:
    one, two = (Claim(key=f"zone/{n}@a", ref=Ref("dns_zone/1"), organization="acme") for n in "12")
    await store.commit(puts(two, one))
    assert await store.read(CLAIMS_AT, keys=json.dumps([two.key, "zone/3@a"])) == [two]
    assert await store.read(CLAIMS_OF, ref=one.ref) == [one, two]
    other = Claim(key=one.key, ref=Ref("dns_zone/2"), organization="beta")
    with pytest.raises(Conflict):
        await store.commit(Change((Expect(Claim, other.key),), (Put(other),)))
    await store.commit(Change(writes=(Drop(Claim, one.key),)))
    await store.commit(Change((Expect(Claim, other.key),), (Put(other),)))
    assert await store.read(CLAIMS_AT, keys=json.dumps([one.key])) == [other]


async def test_how_some_organizations_stand(store: Store) -> None:
    blocked, gone = (
        Standing(organization="acme", verification="blocked"),
        Standing(organization="b", state="deleted"),
    )
    await store.commit(puts(gone, blocked))
    assert await store.read(STANDINGS_OF, keys=json.dumps(["b", "acme", "other"])) == [blocked, gone]


async def test_several_accounts_at_once(store: Store) -> None:
    people = [account(f"u{n}", f"{n}@acme.example") for n in range(3)]
    await store.commit(puts(*people))
    assert await store.read(ACCOUNTS_OF, ids=json.dumps(["u2", "u0", "u9"])) == [people[0], people[2]]
