"""`sql`: rows of a real database by their key, all of them or an error; nothing stays open."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from setpoint.engine.errors import Rejected
from setpoint.engine.plan import ABSENT
from setpoint.loop.keyed import Keyed
from setpoint.loop.observers import sql

Connect = Callable[[], sqlite3.Connection]


@pytest.fixture
def connect(tmp_path: Path) -> Connect:
    """Opens a shelf with two books."""

    def opened() -> sqlite3.Connection:
        return sqlite3.connect(tmp_path / "shelf.db")

    connection = opened()
    connection.execute("create table shelf (name text, number integer, pages integer)")
    connection.executemany("insert into shelf values (?, ?, ?)", [("emma", 1, 474), ("ulysses", 2, 730)])
    connection.commit()
    connection.close()
    return opened


def test_rows_come_by_their_key_with_the_other_columns(connect: Connect) -> None:
    class Shelf(Keyed):
        observe = sql(connect, "select name, pages from shelf", key="name")

    assert Shelf().observe() == {"emma": {"pages": 474}, "ulysses": {"pages": 730}}


def test_it_is_called_in_a_method_with_parameters_and_numbers_are_keys(connect: Connect) -> None:
    found = sql(connect, "select number, pages from shelf where pages > ?", key="number", parameters=[500])()
    assert found == {"2": {"pages": 730}}


def test_one_row_is_looked_at_directly(connect: Connect) -> None:
    class Shelf(Keyed):
        observe = sql(connect, "select name, pages from shelf", key="name")
        look = observe.one("select name, pages from shelf where name = ?")
        wrong = observe.one("select 'emma' as name, 1 as pages where ? is not null")
        several = observe.one("select name, pages from shelf where ? is not null")

    assert Shelf().look("emma") == {"pages": 474}
    assert Shelf().look("walden") is ABSENT
    with pytest.raises(Rejected, match="gives name 'emma', asked about 'ulysses'"):
        Shelf().wrong("ulysses")
    with pytest.raises(Rejected, match="gives 2 rows for 'emma'"):
        Shelf().several("emma")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("select 'emma' as name, pages from shelf", "gives name 'emma' twice"),
        ("select null as name, pages from shelf", "a row whose name is None: not a key"),
        ("select '' as name", "a row whose name is '': not a key"),
        ("select 1.5 as name", r"a row whose name is 1\.5: not a key"),
        ("select pages from shelf", "no column name; it gives pages"),
        ("select name, pages, number as pages from shelf", "two columns of one name"),
        ("update shelf set pages = 1", "not a question"),
    ],
)
def test_rows_that_cannot_stand_for_items_raise(connect: Connect, query: str, words: str) -> None:
    with pytest.raises(Rejected, match=words):
        sql(connect, query, key="name")()


def test_a_question_that_fails_raises_what_the_driver_says(connect: Connect) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        sql(connect, "select name from shelves", key="name")()


@pytest.mark.parametrize("query", ["select name, pages from shelf", "select name from nowhere"])
def test_what_was_opened_is_closed_and_nothing_is_kept(connect: Connect, query: str) -> None:
    opened: list[sqlite3.Connection] = []

    def remembered() -> sqlite3.Connection:
        opened.append(connect())
        return opened[-1]

    observe = sql(remembered, query, key="name")
    for _ in range(2):
        try:
            observe()
        except sqlite3.OperationalError:
            assert "nowhere" in query
    assert len(opened) == 2
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("select 1")
