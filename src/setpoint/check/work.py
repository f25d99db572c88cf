"""What the store says about the work: somebody owns all of it, nothing is stuck, nothing waits for days."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from setpoint.check.finding import Finding, Site, fail, ok, warn, without
from setpoint.cli.text import duration, plural
from setpoint.engine.entity import Declared
from setpoint.engine.errors import FAILURES
from setpoint.engine.rows import PlanRow, PlanState, Service, Shard
from setpoint.engine.store import ACTS_OPEN, DECLARED_PAGE, PLANS_PAGE, SHARDS_OF, Store
from setpoint.storage.sqlite import open_sqlite
from setpoint.storage.sqlite import pending as pending_here
from setpoint.storage.sqlite.migrate import DATABASE

STUCK_SECONDS: Final = 600.0
LONG_HELD_SECONDS: Final = 86400.0
MOST: Final = 1000


async def work(site: Site) -> list[Finding]:
    """Nothing is said of a store that is not there yet."""
    try:
        if not await _is_there(site):
            return []
        async with _opened(site) as store:
            return [
                await owners(site, store, "scheduler"),
                await owners(site, store, "worker"),
                await acts(site, store),
                await plans(site, store),
            ]
    except FAILURES as error:
        said = without(str(error), site.settings.database)
        return [
            fail(
                "work",
                f"cannot be looked at: {said}",
                "see the lines above about the database and its schema",
            )
        ]


async def owners(site: Site, store: Store, service: Service) -> Finding:
    return told_of_owners(service, await store.read(SHARDS_OF, service=service), site.now())


def told_of_owners(service: Service, shards: list[Shard], now: float) -> Finding:
    """Every part of a service's work has a process that works on it."""
    owned = [shard for shard in shards if shard.owner and shard.until > now]
    name = f"{service}s"
    if len(owned) < len(shards) or not shards:
        said = f"{len(shards) - len(owned)} of {len(shards)} parts of the work have no {service}"
        cure = f"setpoint {service} …, as a service: systemctl status setpoint-{service}"
        return fail(name, said, cure)
    replicas = len({shard.owner for shard in owned})
    return ok(name, f"{plural(replicas, 'replica')} for all {len(shards)} parts of the work")


async def acts(site: Site, store: Store) -> Finding:
    """A call whose outcome nobody has looked up yet; what it is about waits for it."""
    now = site.now()
    stuck = [act for act in await store.read(ACTS_OPEN, domain="") if now - act.began_at > STUCK_SECONDS]
    if not stuck:
        return ok("acts", "none without an outcome for more than 10 minutes")
    oldest = min(stuck, key=lambda act: act.began_at)
    about = await store.get(Declared, oldest.domain)
    named = f"{about.kind} {about.name}" if about else oldest.domain
    age = duration(now - oldest.began_at)
    said = f"{len(stuck)} without an outcome, the oldest for {age}: {oldest.verb} in {named}"
    return fail("acts", said, f"setpoint why {named}")


async def plans(site: Site, store: Store) -> Finding:
    """Held plans wait for a person; a person who never comes is worth a word."""
    return told_of_plans(
        [plan for name in await _organizations(store) for plan in await _held(store, name)], site.now()
    )


def told_of_plans(held: list[PlanRow], now: float) -> Finding:
    old = [plan for plan in held if now - plan.created_at > LONG_HELD_SECONDS]
    if not old:
        return ok("held plans", f"{len(held)}, none for more than a day" if held else "none")
    oldest = min(old, key=lambda plan: plan.created_at)
    said = (
        f"{plural(len(old), 'plan')} held for more than a day, "
        f"the oldest for {duration(now - oldest.created_at)}: {oldest.kind} {oldest.name}"
    )
    return warn("held plans", said, f"setpoint describe plan {oldest.id}; then approve or reject it")


async def _organizations(store: Store) -> list[str]:
    nowhere = {"organization": "", "project": "", "workspace": ""}
    found = await store.read(DECLARED_PAGE, kind="organization", **nowhere, after="", limit=MOST)
    return [each.name for each in found]


async def _held(store: Store, organization: str) -> list[PlanRow]:
    return await store.read(PLANS_PAGE, organization=organization, state=PlanState.HELD, after="", limit=MOST)


async def _is_there(site: Site) -> bool:
    """A store as new as this program: opening any other would change it."""
    if site.settings.database:
        from setpoint.storage.postgres import pending  # noqa: PLC0415 - not everybody has asyncpg

        return not await pending(site.settings.database)
    return (site.folder / DATABASE).exists() and not pending_here(site.folder)


@asynccontextmanager
async def _opened(site: Site) -> AsyncIterator[Store]:
    """Beside whoever enforces."""
    if site.settings.database:
        from setpoint.storage.postgres import open_postgres  # noqa: PLC0415 - not everybody has asyncpg

        store: Store = await open_postgres(site.settings.database, allow_unsafe=True)
    else:
        store = await open_sqlite(site.folder, enforcing=False)
    try:
        yield store
    finally:
        await store.close()
