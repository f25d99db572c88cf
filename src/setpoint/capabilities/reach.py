"""From an entity that names a provider to the account behind it, or the reason why not."""

from setpoint.capabilities.account import Account, another, remembered
from setpoint.capabilities.world import World
from setpoint.engine.entity import AnyEntity, Scope
from setpoint.engine.errors import Missing, Transient

SAME_ACCOUNT = "SameAccount"


async def account_of(world: World, entity: AnyEntity, name: str) -> Account:
    """The account this entity works through. One that looks like a different account is not used."""
    provider = await world.intent.named("provider", entity.scope, name)
    if provider is None:
        raise Missing(f"waiting for provider {name}, which is not declared")
    account = await world.accounts.account(provider)
    await _check_same(world, provider, account)
    await world.owners.hold(entity, provider.ref, account.identity)
    return account


async def _check_same(world: World, provider: AnyEntity, account: Account) -> None:
    """Raises where this looks like another account than before."""
    if provider.facts.get("fingerprint") == account.fingerprint:
        # What was said about a newer credential does not touch those who go on with this one.
        return
    for condition in provider.status.conditions:
        if condition.type == SAME_ACCOUNT and condition.status == "False":
            raise Transient(f"provider {provider.name}: {condition.message}")
    # An address or credential that is new is proven on the spot: its provider's own pass may come too late.
    if provider.facts.get("fingerprint") is not None:
        known = remembered(provider.facts) | await carried(world, provider)
        if reason := another(known, await account.sweep()):
            raise Transient(f"provider {provider.name}: {reason}")


async def carried(world: World, provider: AnyEntity) -> frozenset[str]:
    """What the hosts and zones that work through this provider remember of its account."""
    rows = await world.intent.inside(Scope(provider.scope.organization))
    users = await world.intent.joined([row for row in rows if provider.ref in row.refs])
    return frozenset().union(*(remembered(user.facts) for user in users))
