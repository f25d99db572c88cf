"""The SQL for PostgreSQL: every name is there, every question walks an index, text keeps its order."""

import asyncio
import math
import re
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as some

import postgres
from setpoint.engine import store as declared
from setpoint.engine.store import Query
from setpoint.engine.tables import TABLES
from setpoint.storage.postgres import statements
from setpoint.storage.postgres.notices import LONGEST, heard
from setpoint.storage.postgres.notices import spelled as notice_of
from setpoint.storage.postgres.spelling import END, read_back, text
from setpoint.storage.postgres.statements import numbered
from setpoint.storage.statements import SHOWN, bodies_of

QUERIES = {found.name for found in vars(declared).values() if isinstance(found, Query)}
# These read every row of a small table, or are asked for every row there is.
READS_ALL = {
    "switches": {"switch"},
    "switches_of": {"switch"},
    "budgets": {"budget"},
    "declared_inside": {"declared"},
    "passes_kept": {"pass"},
    "tallies": {"declared", "status"},
    "holding": {"declared"},
    "shards_of": {"shard"},
    "replicas_of": {"replica"},
}
VALUES: dict[str, Any] = {
    "organization": "o1",
    "project": "p",
    "workspace": "w",
    "kind": "host",
    "state": "held",
    "owner": "git1",
    "parent": "zone/101",
    "slot": "s10001",
    "slots": ["s10001", "s10002"],
    "keys": ["all", "kind:zone"],
    "domain": "host/101",
    "target": "host/101",
    "ref": "host/101",
    "subject": "s10001",
    "account": "s10001",
    "path": "p",
    "email": "s10001",
    "purpose": "recover",
    "link": "s10098",
    "home": "host/101",
    "master": "m1",
    "service": "worker",
    "since": 0.0,
    "before": 1e9,
    "below": 1_000_000,
    "limit": 2,
    "id": "1",
    "refs": ["host/10001", "host/10002"],
    "ids": ["10001"],
    "text": "n",
    "unseen": "",
}
PARTS = {
    "declared": "'host/' || n, 'host', 'o' || n % 50, 'p', 'w', 'n', 'zone/' || n / 100, 'git' || n % 9, 1, "
    "'s' || n, ARRAY['zone/' || n / 100], 'body', n, 'n'",
    "status": "'host/' || n, (ARRAY['READY', 'HELD'])[1 + n % 2], 'body'",
    "ledger": "'host/' || n, 'body'",
    "wake": "n, 'host/' || n, 'body'",
    "act": "n, 'host/' || n / 100, 'i', 'create', 'done', n, n, CASE WHEN n % 99 = 0 THEN n END, 'body'",
    "plan": "n, 'host/' || n / 100, 'o' || n % 50, (ARRAY['held', 'done'])[1 + n % 2], '', 'body'",
    "task": "n, 'host/' || n / 100, 'o' || n % 50, 'done', 0, CASE WHEN n % 99 = 0 THEN n END, 'body'",
    "pass": "n, 'host/' || n / 100, 'o' || n % 50, n, 'body'",
    "attempt": "n, 1, n, 'body'",
    "past": "n, 'host/' || n / 100, n % 100, n, 'body'",
    "event": "'o' || n % 50, n, 'host/' || n / 100, 'body'",
    "head": "'o' || n, 'body'",
    "audit": "'o' || n % 50, n, 'body'",
    "sign": "'host/' || n, n, 'body'",
    "token": "n, CASE WHEN n % 99 > 0 THEN n END, 's' || n, 'body'",
    "account": "n, 's' || n, 1, 'body'",
    "link": "n, 'recover', 'host/' || n / 100, NULL, 'body'",
    "letter": "n, CASE WHEN n % 99 = 0 THEN 's' || n ELSE '' END, 'body'",
    "strikes": "n, 1, n, 'body'",
    "claim": "'dns_zone/' || n || '.example@a', 'dns_zone/' || n, 'body', "
    "'s' || n / 100, 'p' || n, 'o' || n % 50",
    "acceptance": "'membership/' || n, 's' || n / 100, 'body'",
    "standing": "'o' || n, 'body'",
    "organization_key": "n, 'host/' || n, 1, 'm' || n % 50, CASE WHEN n % 99 = 0 THEN 1 ELSE 0 END, 'body'",
    "secret": "n, 'host/' || n / 100, 'n' || n, 1, 'body'",
    "secret_use": "n, 'host/' || n / 100, 'body'",
    "approval": "n, 'host/' || n / 100, 'body'",
    "protection": "n, 'host/' || n / 100, 'body'",
    "released": "n, 'host/' || n / 100, 'body'",
    "parked": "n, 'host/' || n / 100, 'body'",
}
TEXTS = some.text(some.sampled_from("\x00\x01\x02a\N{SNOWMAN}\U0010fffe"), max_size=6)


def test_every_query_has_its_sql_and_no_statement_is_there_for_nobody() -> None:
    assert statements.questions().keys() == {*QUERIES, *map(bodies_of, SHOWN), "identity", "lease"}


def test_every_statement_has_a_sentence() -> None:
    files = (
        "queries.sql",
        "people.sql",
        "tenancy.sql",
        "requests.sql",
        "sealed.sql",
        "writes.sql",
        "appends.sql",
    )
    for file in (*files, "lease.sql"):
        words = Path(statements.__file__).with_name(file).read_text()
        for part in words.split("-- name: ")[1:]:
            assert re.match(r"\w+\n-- [A-Z].*[.,:]", part), part


def test_values_get_numbered_places_and_casts_stay() -> None:
    found = numbered("SELECT :b::text, :a, :b FROM x WHERE y = ANY(:list::text[])")
    assert found.sql == "SELECT $1::text, $2, $1 FROM x WHERE y = ANY($3::text[])"
    assert found.places({"a": 1, "b": "b", "list": ("c", "d"), "more": 1}) == ["b", 1, ["c", "d"]]


@pytest.fixture(scope="module")
def filled() -> str:
    """A database with enough in it for the planner to mind."""

    async def fill() -> str:
        url = await postgres.database()
        session = await asyncpg.connect(url)
        for table, part in PARTS.items():
            await session.execute(
                f"INSERT INTO {table} SELECT {part} FROM generate_series(10000, 14000) AS n"  # noqa: S608 - our own words
            )
        await session.execute("ANALYZE")
        await session.close()
        return url

    return asyncio.run(fill())


def _first(sql: str) -> int | str:
    """Where a page begins that is the first one."""
    if "revision < $" in sql:
        return 2**62
    return 0 if "revision > $" in sql else ""


def _along(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Where a walk begins, and the states that are along it."""
    if name != "unwell" and not name.startswith("declared_by_"):
        return {}
    last, down = ("\U0010ffff", math.inf), name.endswith("_down")
    value = last["changed" in name] if down else (0.0 if "changed" in name else "")
    return {"value": value, "after": last[0] if down else "", "state": values["state"].upper()}


@pytest.mark.parametrize("name", sorted(QUERIES))
async def test_every_question_walks_an_index_and_no_page_reads_further_than_it_is_long(
    name: str, filled: str
) -> None:
    question = statements.questions()[name]
    session = await asyncpg.connect(filled)
    try:
        for said in ((), ("organization",), ("organization", "project"), tuple(VALUES)):
            values = {k: v if k in said or not isinstance(v, str) else "" for k, v in VALUES.items()}
            values |= {"end": END, "after": _first(question.sql), **_along(name, values)}
            explained = f"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) {question.sql}"
            lines = [line for (line,) in await session.fetch(explained, *question.places(values))]
            scans = {found[1] for line in lines if (found := re.search(r"Seq Scan on (\w+)", line))}
            assert scans <= READS_ALL.get(name, set()), lines
            rows = [re.search(r"Scan.*actual rows=([\d.]+)", line) for line in lines]
            read = max((float(found[1]) for found in rows if found), default=0)
            assert "limit" not in question.names or read <= VALUES["limit"], lines
    finally:
        await session.close()


@given(TEXTS, TEXTS)
def test_any_text_is_spelled_without_nul_in_the_same_order_and_read_back(one: str, other: str) -> None:
    assert "\x00" not in text(one)
    assert read_back(text(one)) == one
    assert (text(one) < text(other)) == (one < other)
    assert text(one) < END


@given(some.frozensets(some.text(max_size=9)))
def test_a_notice_says_what_moved(moved: frozenset[str]) -> None:
    assert heard(notice_of(moved)) == moved


def test_a_notice_that_is_too_long_or_not_ours_says_that_something_moved() -> None:
    just = frozenset({"x" * (LONGEST - 4)})
    assert heard(notice_of(just)) == just
    assert heard(notice_of(frozenset({"x" * (LONGEST - 3)}))) == {""}
    assert heard("hello") == heard("") == {""}


def test_each_table_has_its_own_statements() -> None:
    for table in TABLES.values():
        sql = statements.of(table)
        assert f"INSERT INTO {table.name} ({table.key}, " in sql.put
        assert "ON CONFLICT" in sql.put
        assert "ON CONFLICT" not in sql.claim
