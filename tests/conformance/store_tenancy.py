"""What every store answers about memberships that were accepted, and about how organizations stand."""

import json

import pytest

from conformance.store_rows import account, puts
from setpoint.engine.claim import Claim, end_of
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Conflict
from setpoint.engine.store import (
    ACCEPTANCES_BY,
    ACCEPTANCES_OF,
    ACCOUNTS_OF,
    CLAIMS_AT,
    CLAIMS_BELOW,
    CLAIMS_BELOW_OWN,
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


async def test_parts_of_a_thing_that_others_own_are_found_by_its_path(store: Store) -> None:
    def claim(path: str, organization: str, account: str = "a") -> Claim:
        key, ref = f"{path}{organization}@{account}", Ref(f"dns_zone/{path}{organization}")
        return Claim(key=key, ref=ref, organization=organization, account=account, path=path)

    parts = [
        claim("org.example.a.", "beta"),
        claim("org.example.a.", "corp"),
        claim("org.example.b.", "beta"),
    ]
    own, elsewhere = claim("org.example.a.", "acme"), claim("org.example.a.", "beta", "b")
    beside = [claim(path, "beta") for path in ("org.example.", "org.", "org.example-a.", "org.examplea.", "")]
    await store.commit(puts(*reversed(parts), own, elsewhere, *beside))
    asked = {"account": "a", "path": "org.example.", "end": end_of("org.example.")}
    assert await store.read(CLAIMS_BELOW, **asked, organization="acme") == parts
    assert await store.read(CLAIMS_BELOW, **asked, organization="beta") == [own, parts[1]]
    many = [claim(f"org.example.c{number:02}.", "beta") for number in range(30)]
    await store.commit(puts(*many))
    found = await store.read(CLAIMS_BELOW, **asked, organization="acme")
    assert len(found) == 20
    await store.commit(Change(writes=(Drop(Claim, parts[0].key),)))
    assert parts[0] not in await store.read(CLAIMS_BELOW, **asked, organization="acme")


async def test_parts_of_a_thing_that_one_organization_owns_are_found_page_by_page(store: Store) -> None:
    def claim(path: str, organization: str = "acme", account: str = "a") -> Claim:
        key, ref = f"{path}{organization}@{account}", Ref(f"dns_zone/{path}{organization}")
        return Claim(key=key, ref=ref, organization=organization, account=account, path=path)

    mine = [claim(f"org.example.{letter}.") for letter in "abcde"]
    beside = [claim(path) for path in ("org.example.", "org.", "org.example-a.", "org.examplea.", "")]
    others = [claim("org.example.a.", "beta"), claim("org.example.a.", "acme", "b")]
    await store.commit(puts(*reversed(mine), *beside, *others))
    asked = {"account": "a", "end": end_of("org.example."), "organization": "acme", "limit": 2}
    after, found = "org.example.", list[Claim]()
    while page := await store.read(CLAIMS_BELOW_OWN, **asked, path=after):
        after, found = page[-1].path, found + page
    assert found == mine


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
