"""What an invitation brings: where it leads, what accepting it writes, what goes when a person goes."""

from typing import Any

from msgspec import to_builtins

from setpoint.access.email import normal
from setpoint.api.holders import Member
from setpoint.api.problem import Refused
from setpoint.engine.account import Account, Link
from setpoint.engine.entity import Declared
from setpoint.engine.rows import evidence
from setpoint.engine.store import ACCEPTANCES_BY, DECLARED_OF, Change, Drop, Expect, Put, Store, listed
from setpoint.engine.tenancy import Acceptance

AnyJson = Any
MEMBERSHIP = "membership/"
"""How the target of an invitation begins that is to a membership; the others are to an account alone."""


async def described(store: Store, link: Link) -> dict[str, AnyJson]:
    """What whoever opens the link is told about it, beside its purpose and its end."""
    if not link.target.startswith(MEMBERSHIP):
        return {}
    declared = await _membership(store, link.target)
    roles = to_builtins(Member(declared).spec.roles)
    return {"organization": declared.organization, "roles": roles, "invited_by": link.created_by}


async def acceptance(store: Store, link: Link, account: Account, now: float) -> Change:
    """What is written when this account accepts; part of the commit that spends the link."""
    if not link.target.startswith(MEMBERSHIP):
        return Change()
    return await accept(store, link.target, account, now)


async def accept(store: Store, ref: str, account: Account, now: float) -> Change:
    """A person's yes to a membership; with it goes what they accepted once and is no more."""
    declared = await _membership(store, ref)
    email = normal(Member(declared).spec.email)
    if email != account.email:
        detail = f"this invitation is for {email}, and you are {account.email}"
        raise Refused(409, "other_person", detail, hint="ask for an invitation to your address")
    said = Acceptance(ref=declared.ref, account=account.id, email=email, at=now)
    before = [each.ref for each in await store.read(ACCEPTANCES_BY, account=account.id)]
    there = {row.ref for row in await store.read(DECLARED_OF, refs=listed(before))}
    proof = evidence(declared, account.email, "membership.accepted", now, name=declared.name)
    return Change(
        expects=(Expect(Declared, declared.ref, "generation", declared.generation),),
        writes=(Put(said), *(Drop(Acceptance, each) for each in before if each not in there)),
        audit=(proof,),
    )


async def departure(store: Store, account: Account, now: float) -> Change:
    """What is written when this account is deleted; part of the commit that deletes it."""
    said = await store.read(ACCEPTANCES_BY, account=account.id)
    return Change(writes=tuple(Drop(Acceptance, each.ref) for each in said))


async def _membership(store: Store, ref: str) -> Declared:
    declared = await store.get(Declared, ref)
    if declared is None or declared.kind != "membership" or declared.deleting:
        detail = "what you were invited to is not there any more"
        raise Refused(410, "void_invitation", detail, hint="ask whoever invited you for another")
    return declared
