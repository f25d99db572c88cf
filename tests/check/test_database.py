"""A real PostgreSQL in every bad shape it can have."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]
import pytest

from check.sites import site
from postgres import admin_of, drop, server, started
from postgres import database as new_database
from processes import free_port
from setpoint.check import work
from setpoint.check.command import findings
from setpoint.check.database import Login, database, told_of_roles, told_of_skew
from setpoint.check.finding import Finding, Level, Site
from setpoint.storage.migration import steps_in
from setpoint.storage.postgres.migrate import MIGRATIONS

ALL = {"setpoint_api": True, "setpoint_scheduler": True, "setpoint_worker": True}
NOWHERE = Path("/nonexistent")


@pytest.fixture
async def url() -> AsyncIterator[str]:
    made = await new_database()
    yield made
    await drop(made)


def here(address: str, *, unsafe: bool = True) -> Site:
    return site(NOWHERE, database=address, allow_unsafe_database=unsafe)


async def told(where: Site, name: str) -> Finding:
    (finding,) = [each for each in await database(where) if each.name == name]
    return finding


async def run(address: str, *statements: str) -> None:
    session = await asyncpg.connect(address)
    try:
        for statement in statements:
            await session.execute(statement)
    finally:
        await session.close()


async def test_a_good_database_has_nothing_that_fails(url: str) -> None:
    found = await database(here(url))
    assert [each.name for each in found] == [
        "database",
        "version",
        "durable",
        "roles",
        "connections",
        "clocks",
        "schema",
    ]
    assert [each for each in found if each.level is Level.FAIL] == []
    assert found[-1].said == "up to date"


async def test_a_database_that_may_lose_what_it_confirmed_fails(url: str) -> None:
    found = await told(here(url, unsafe=False), "durable")
    assert found.level is Level.FAIL
    assert found.said == "fsync is off; full_page_writes is off; synchronous_commit is off"
    assert found.cure == "set fsync = on; set full_page_writes = on; set synchronous_commit = on"
    assert (await told(here(url), "durable")).level is Level.WARN


async def test_a_database_that_keeps_everything_but_has_few_places_left() -> None:
    small = started({"max_connections": "12"})
    try:
        await (await admin_of(small)).close()  # It has started.
        found = {each.name: each for each in await database(here(small.url(), unsafe=False))}
    finally:
        small.close()
    assert found["durable"].said == "fsync, full_page_writes and synchronous_commit are on"
    assert found["connections"].level is Level.WARN
    assert found["connections"].said == "1 of 9 in use; a process takes up to 10"
    assert found["connections"].cure.startswith("ALTER SYSTEM SET max_connections = ")
    assert found["schema"].level is Level.WARN


async def test_nobody_there_is_one_line_without_the_password() -> None:
    port = free_port()
    (found,) = await database(here(f"postgresql://u:hunter2@127.0.0.1:{port}/x"))
    assert found.level is Level.FAIL
    assert found.said.startswith(f"postgresql://u:***@127.0.0.1:{port}/x: ")
    assert "pg_isready" in found.cure
    assert "hunter2" not in str(found)


async def test_a_name_that_is_wrong_is_told_with_what_to_correct() -> None:
    await (await admin_of(server())).close()  # It answers.
    (absent,) = await database(here(server().url("no_such_database")))
    assert (absent.level, "does not exist" in absent.said) == (Level.FAIL, True)
    assert absent.cure.startswith("createdb NAME")
    (stranger,) = await database(here(server().url(user="no_such_user")))
    assert stranger.cure.startswith("correct user and password in SETPOINT_DATABASE")


async def test_an_address_that_is_none_is_told() -> None:
    (found,) = await database(here("mysql://u:hunter2@db/x"))
    assert (found.level, found.name) == (Level.FAIL, "database")
    assert "hunter2" not in str(found)


async def test_whoever_connects_must_be_a_member(url: str) -> None:
    plain = url.replace("postgres@", "checked@")
    await run(url, "CREATE ROLE checked LOGIN")
    try:
        none = await told(here(plain), "roles")
        await run(url, "GRANT setpoint_api TO checked")
        one = await told(here(plain), "roles")
    finally:
        await run(url, "DROP ROLE checked")
    assert (none.level, none.said) == (Level.FAIL, "checked is a member of no role of a service")
    assert none.cure == 'GRANT setpoint_api, setpoint_scheduler, setpoint_worker TO "checked"'
    assert (one.level, one.said) == (Level.OK, "checked may work as setpoint_api")


async def test_a_superuser_is_a_warning(url: str) -> None:
    found = await told(here(url), "roles")
    assert (found.level, found.said) == (
        Level.WARN,
        "postgres is a superuser: nothing keeps the services' rights apart",
    )


def test_roles_that_are_not_there_yet_need_somebody_who_may_make_them() -> None:
    may, may_not = Login("owner", False, True), Login("app", False, False)
    assert told_of_roles(may, {}).level is Level.OK
    found = told_of_roles(may_not, {})
    assert found.level is Level.FAIL
    assert found.cure.startswith('ALTER ROLE "app" CREATEROLE')
    assert told_of_roles(may_not, ALL).level is Level.OK


async def test_a_schema_that_is_behind_is_told_and_left_alone() -> None:
    empty = await new_database(migrated=False)
    first, second = await told(here(empty), "schema"), await told(here(empty), "schema")
    assert first == second
    assert (first.level, first.cure) == (Level.WARN, "setpoint migrate --plan")
    assert first.said.startswith("behind by 0001_first_tables, ")
    assert await work.work(here(empty)) == []
    await drop(empty)


async def test_a_schema_that_is_behind_fails_for_a_login_that_may_not_change_it() -> None:
    empty = await new_database(migrated=False)
    await run(empty, "CREATE ROLE guest LOGIN")
    try:
        found = await told(here(empty.replace("postgres@", "guest@")), "schema")
    finally:
        await run(empty, "DROP ROLE guest")
        await drop(empty)
    assert (found.level, found.cure) == (Level.FAIL, "setpoint migrate, as the owner of the database")
    assert found.said.endswith("; this login may not take them")


async def test_a_schema_that_is_too_new_fails(url: str) -> None:
    newest = len(steps_in(MIGRATIONS))
    await run(url, f"INSERT INTO schema_version (number, name) VALUES ({newest + 1}, 'later')")  # noqa: S608 - a number
    found = await told(here(url), "schema")
    assert found.level is Level.FAIL
    assert found.said == f"the database has schema {newest + 1}, and this setpoint knows up to {newest}"
    assert found.cure.startswith("run the newer setpoint, or restore")


async def test_a_database_of_something_else_fails() -> None:
    other = await new_database(migrated=False)
    await run(other, "CREATE TABLE photos (name text)")
    found = await told(here(other), "schema")
    assert found.level is Level.FAIL
    assert "photos" in found.said
    await drop(other)


async def test_a_clock_that_differs_by_more_than_a_second_fails(url: str) -> None:
    where = here(url)
    found = await told(replace(where, now=lambda: where.now() + 10), "clocks")
    assert found.level is Level.FAIL
    assert re.fullmatch(r"the database's is (9|10)\.\d+ s before ours; 1 s is allowed", found.said)
    assert found.cure == "timedatectl set-ntp true, on both"


@pytest.mark.parametrize(
    ("ahead", "doubt", "level"),
    [(0.9, 0.0, Level.OK), (-1.1, 0.0, Level.FAIL), (1.1, 0.2, Level.OK), (2.0, 0.2, Level.FAIL)],
)
def test_a_slow_answer_leaves_doubt(ahead: float, doubt: float, level: Level) -> None:
    assert told_of_skew(ahead, doubt).level is level


async def test_work_is_judged_from_postgres_too(url: str) -> None:
    found = await work.work(here(url))
    assert [(each.name, each.level) for each in found] == [
        ("schedulers", Level.FAIL),
        ("workers", Level.FAIL),
        ("acts", Level.OK),
        ("held plans", Level.OK),
    ]


async def test_a_database_that_is_away_fails_in_every_check_that_needs_it() -> None:
    away = here(f"postgresql://u:hunter2@127.0.0.1:{free_port()}/x")
    found = await findings(away, pre=False)
    assert {"database", "alive", "work"} <= {each.name for each in found if each.level is Level.FAIL}
    assert "hunter2" not in str(found)
