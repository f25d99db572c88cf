"""The SQL in its files: every name is there, every question walks an index, and both stores answer it."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from setpoint.engine import store as declared
from setpoint.engine.store import SIGNS, Query
from setpoint.engine.tables import TABLES
from setpoint.storage.answers import ANSWERS
from setpoint.storage.sqlite.migrate import up
from setpoint.storage.sqlite.statements import statements
from setpoint.storage.statements import SHOWN, bodies_of, parsed

QUERIES = {found.name for found in vars(declared).values() if isinstance(found, Query)}
# These read every row of a small table or of a partial index, which is what they are asked for.
READS_ALL = {
    "switches": {"sqlite_autoindex_switch_1"},
    "acts_open": {"act_open"},
    "tasks_open": {"task_open"},
    "declared_inside": {"sqlite_autoindex_declared_1"},
    "budgets": {"sqlite_autoindex_budget_1"},
    "shards_of": {"sqlite_autoindex_shard_1"},
    "replicas_of": {"sqlite_autoindex_replica_1"},
    "tokens_of_people": {"token_of_people"},
    "keys_retired": {"organization_key_retired"},
    "passes_kept": {"pass"},  # Of each body only its length, and only when old passes are cleared out.
}
# These put few rows in order, however many they are counted from.
GROUPS = {"tallies"}
FILES = Path(declared.__file__).parent.parent / "storage" / "sqlite"


def test_every_query_has_its_sql_and_its_answer_in_memory() -> None:
    assert QUERIES - statements().keys() == set()
    assert set(ANSWERS) == QUERIES


def test_every_table_can_be_got_put_and_dropped() -> None:
    wanted = {f"{verb}_{table.name}" for verb in ("get", "put", "drop") for table in TABLES.values()}
    wanted |= {f"holder_of_{table.name}" for table in TABLES.values() if "slot" in table.columns}
    assert wanted - statements().keys() == set()


def test_no_statement_is_there_for_nobody() -> None:
    used = {
        f"{verb}_{table.name}" for verb in ("get", "put", "drop", "holder_of") for table in TABLES.values()
    }
    used |= QUERIES | {"append_event", "append_audit", "clock", "create_sign", "put_sign"}
    used |= {bodies_of(name) for name in SHOWN}
    assert statements().keys() - used == set()


FILES_HERE = [
    "queries.sql",
    "people.sql",
    "tenancy.sql",
    "requests.sql",
    "sealed.sql",
    "writes.sql",
    "signs.sql",
]


@pytest.mark.parametrize("file", FILES_HERE)
def test_every_statement_has_a_sentence(file: str) -> None:
    for part in (FILES / file).read_text().split("-- name: ")[1:]:
        assert re.match(r"\w+\n-- [A-Z].*[.,:]", part), part


@pytest.mark.parametrize("name", sorted(QUERIES - {SIGNS.name}))
def test_every_question_walks_an_index_in_its_order(tmp_path: Path, name: str) -> None:
    up(tmp_path)
    values = dict.fromkeys(re.findall(r":(\w+)", statements()[name]), "[]")
    with closing(sqlite3.connect(tmp_path / "setpoint.db")) as database:
        lines = [
            row[3]
            for row in database.execute(f"EXPLAIN QUERY PLAN {statements()[name]}", values | {"limit": 1})
        ]
    scans = {line.rpartition(" ")[2] for line in lines if line.startswith("SCAN") and "json_each" not in line}
    assert scans <= READS_ALL.get(name, set())
    assert name in GROUPS or not [line for line in lines if "TEMP B-TREE" in line]


def test_two_statements_of_one_name_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="two statements are called a"):
        parsed("-- name: a\nSELECT 1;\n-- name: a\nSELECT 2;\n")


def test_comments_are_no_part_of_a_statement() -> None:
    assert parsed("-- preface\n\n-- name: a\n-- A sentence.\nSELECT 1\n  -- why\nFROM b;\n") == {
        "a": "SELECT 1\nFROM b;"
    }
