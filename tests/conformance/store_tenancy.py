"""What every store answers about memberships that were accepted, and about how organizations stand."""

import json

from conformance.store_rows import account, puts
from setpoint.engine.entity import Ref
from setpoint.engine.store import (
    ACCEPTANCES_BY,
    ACCEPTANCES_OF,
    ACCOUNTS_OF,
    STANDINGS_OF,
    Change,
    Drop,
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
