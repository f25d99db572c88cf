"""PostgreSQL: reachable, to be relied on, with the right roles, a schema we know and the same clock."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from setpoint.check.finding import Finding, Level, Site, fail, masked, ok, warn, without
from setpoint.check.sqlite import refused
from setpoint.engine.errors import FAILURES, Denied, Rejected
from setpoint.storage.postgres.connection import Address, Session
from setpoint.storage.postgres.migrate import pending
from setpoint.storage.postgres.safety import unsafe, unusable

PENS: Final = ("setpoint_api", "setpoint_scheduler", "setpoint_worker")
SKEW_ALLOWED: Final = 1.0
CONNECTIONS_OF_A_PROCESS: Final = 10
_SETTINGS: Final = "SELECT name, setting FROM pg_settings"
_LOGIN: Final = "SELECT rolname, rolsuper, rolcreaterole FROM pg_roles WHERE rolname = current_user"
_MEMBER: Final = (
    "SELECT rolname, pg_has_role(current_user, oid, 'MEMBER') FROM pg_roles WHERE rolname = ANY($1)"
)
_MAY_MIGRATE: Final = """
SELECT coalesce(
    (SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class
        WHERE oid = to_regclass('schema_version')),
    has_schema_privilege(current_schema(), 'CREATE')
)
"""
_CLOCK: Final = "SELECT extract(epoch FROM clock_timestamp())::float8"
_CONNECTIONS: Final = """
SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
    (SELECT count(*) FROM pg_stat_activity WHERE datname IS NOT NULL)
"""

Look = Callable[[Site, Session], Awaitable[Finding]]


async def database(site: Site) -> list[Finding]:
    """Everything there is to say about it, or why nothing can be said."""
    url = site.settings.database
    began = site.monotonic()
    try:
        async with Address(url).session() as session:
            reached = ok("database", f"{masked(url)} answers in {(site.monotonic() - began) * 1000:.0f} ms")
            return [reached, *[await look(site, session) for look in LOOKS]]
    except FAILURES as error:
        return [fail("database", f"{masked(url)}: {without(_reason(error), url)}", _cure(error))]


async def usable(site: Site, session: Session) -> Finding:
    found = dict(await session.fetch(_SETTINGS))
    problems = unusable(found)
    if problems:
        return _problems("version", problems, Level.FAIL)
    return ok("version", f"PostgreSQL {found['server_version']}, {found['server_encoding']}")


async def durable(site: Site, session: Session) -> Finding:
    """Whether what was acknowledged stays after a power cut."""
    found = dict(await session.fetch(_SETTINGS))
    problems = unsafe(found)
    if problems:
        level = Level.WARN if site.settings.allow_unsafe_database else Level.FAIL
        return _problems("durable", problems, level)
    return ok("durable", "fsync, full_page_writes and synchronous_commit are on")


@dataclass(frozen=True, slots=True)
class Login:
    """Who we are there."""

    name: str
    superuser: bool
    makes_roles: bool


async def roles(site: Site, session: Session) -> Finding:
    login = Login(*await session.fetchrow(_LOGIN))
    return told_of_roles(login, dict(await session.fetch(_MEMBER, list(PENS))))


def told_of_roles(login: Login, member: Mapping[str, bool]) -> Finding:
    """Each service takes on its role: whoever connects must be a member of it."""
    grant = f'GRANT {", ".join(PENS)} TO "{login.name}"'
    absent = [pen for pen in PENS if pen not in member]
    mine = [pen for pen in PENS if member.get(pen)]
    if login.superuser:
        cure = f"CREATE ROLE setpoint LOGIN; GRANT {', '.join(PENS)} TO setpoint (after setpoint migrate)"
        return warn("roles", f"{login.name} is a superuser: nothing keeps the services' rights apart", cure)
    if absent and login.makes_roles:
        return ok("roles", f"{', '.join(absent)}: made by setpoint migrate")
    if absent:
        cure = f'ALTER ROLE "{login.name}" CREATEROLE, or setpoint migrate as the owner of the database'
        return fail("roles", f"there is no {', '.join(absent)}, and {login.name} may not make it", cure)
    if not mine:
        return fail("roles", f"{login.name} is a member of no role of a service", grant)
    return ok("roles", f"{login.name} may work as {', '.join(mine)}")


async def connections(site: Site, session: Session) -> Finding:
    most, used = await session.fetchrow(_CONNECTIONS)
    said = f"{used} of {most} in use; a process takes up to {CONNECTIONS_OF_A_PROCESS}"
    if most - used < CONNECTIONS_OF_A_PROCESS:
        return warn("connections", said, f"ALTER SYSTEM SET max_connections = {most * 2}, then restart it")
    return ok("connections", said)


async def skew(site: Site, session: Session) -> Finding:
    before = site.now()
    theirs: float = await session.fetchval(_CLOCK)
    after = site.now()
    return told_of_skew(theirs - (before + after) / 2, (after - before) / 2)


def told_of_skew(ahead: float, doubt: float) -> Finding:
    """How far their clock is ahead of ours, give or take half of the way there and back."""
    said = f"{abs(ahead):.3f} s {'after' if ahead > 0 else 'before'} ours"
    if abs(ahead) - doubt > SKEW_ALLOWED:
        return fail(
            "clocks", f"the database's is {said}; 1 s is allowed", "timedatectl set-ntp true, on both"
        )
    return ok("clocks", f"the database's is {said}")


async def schema(site: Site, session: Session) -> Finding:
    url = site.settings.database
    try:
        steps = await pending(url)
    except FAILURES as error:
        return refused(without(str(error), url), "--database URL")
    if not steps:
        return ok("schema", "up to date")
    behind = f"behind by {', '.join(step.title for step in steps)}"
    if await session.fetchval(_MAY_MIGRATE):
        return warn("schema", f"{behind}; the next start takes them", "setpoint migrate --plan")
    return fail(
        "schema", f"{behind}; this login may not take them", "setpoint migrate, as the owner of the database"
    )


LOOKS: Final[tuple[Look, ...]] = (usable, durable, roles, connections, skew, schema)


def _problems(name: str, problems: tuple[str, ...], level: Level) -> Finding:
    """From sentences as the store words them: each with its cure in brackets at its end."""
    parts = [problem.removesuffix(")").rpartition(" (") for problem in problems]
    said, cures = "; ".join(part[0] for part in parts), [part[2] for part in parts]
    return Finding(name, level, said, "; ".join(cures))


def _reason(error: BaseException) -> str:
    """Without what is said elsewhere on the line, and without the number of an error that has a name."""
    return re.sub(r"\[Errno -?\d+\] ", "", str(error).removeprefix("the database cannot be used: "))


def _cure(error: BaseException) -> str:
    if isinstance(error, Denied):
        return "correct user and password in SETPOINT_DATABASE, or let them in (pg_hba.conf)"
    if isinstance(error, Rejected):
        return "createdb NAME, or correct the name in SETPOINT_DATABASE"
    return "start it, or correct host and port in SETPOINT_DATABASE (pg_isready -h HOST -p PORT)"
