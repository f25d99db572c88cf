"""From an entity that names a provider to the account behind it, or the reason why not."""

from setpoint.capabilities.account import Account, another, remembered
from setpoint.capabilities.world import World
from setpoint.engine.entity import AnyEntity
from setpoint.engine.errors import Missing, Transient

SAME_ACCOUNT = "SameAccount"


async def account_of(world: World, entity: AnyEntity, name: str) -> Account:
    """The account this entity works through. One that looks like a different account is not used."""
    provider = await world.intent.named("provider", entity.scope, name)
    if provider is None:
        raise Missing(f"waiting for provider {name}, which is not declared")
    for condition in provider.status.conditions:
        if condition.type == SAME_ACCOUNT and condition.status == "False":
            raise Transient(f"provider {name}: {condition.message}")
    account = world.account(provider)
    # An address or credential that is new is proven on the spot: its provider's own pass may come too late.
    if provider.facts.get("fingerprint") not in (None, account.fingerprint):
        known = remembered(provider.facts) | remembered(entity.facts)
        if reason := another(known, await account.sweep()):
            raise Transient(f"provider {name}: {reason}")
    return account
