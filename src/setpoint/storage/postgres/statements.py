"""The SQL of this folder, by name: values by name become numbered places, and one text serves every table."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct

from setpoint.engine.tables import Table
from setpoint.storage.postgres.spelling import Value, spelled
from setpoint.storage.statements import named, with_bodies, with_walks

_FOLDER = Path(__file__).parent
_NAME = re.compile(r"(?<!:):([a-z_]+)")


class Statement(Struct, frozen=True):
    """A statement with numbered places, and the names of the values that go there."""

    sql: str
    names: tuple[str, ...]

    def places(self, values: Mapping[str, Value]) -> list[Value]:
        """The values in the order of their places, as PostgreSQL takes them."""
        return [spelled(values[name]) for name in self.names]


class TableStatements(Struct, frozen=True):
    """What a commit does to one table."""

    get: str
    hold_still: str
    hold_to_write: str
    holders: str
    drop: str
    vacate: str
    put: str
    claim: str


def numbered(sql: str) -> Statement:
    """`:name` is a place, `::type` a cast."""
    names = tuple(dict.fromkeys(_NAME.findall(sql)))
    return Statement(_NAME.sub(lambda found: f"${names.index(found[1]) + 1}", sql), names)


@cache
def questions() -> Mapping[str, Statement]:
    """What is asked by name."""
    files = ("queries.sql", "people.sql", "tenancy.sql", "requests.sql", "sealed.sql", "lease.sql")
    return {name: numbered(sql) for name, sql in with_bodies(with_walks(named(_FOLDER, files))).items()}


@cache
def appends() -> Mapping[str, str]:
    """What surrounds a commit, and what it adds."""
    return named(_FOLDER, ("appends.sql",))


@cache
def of(table: Table) -> TableStatements:
    """The statements of one table."""
    columns = (table.key, *table.columns, "body")
    words = {
        "table": table.name,
        "key": table.key,
        "columns": ", ".join(columns),
        "places": ", ".join(f"${place}" for place in range(1, len(columns) + 1)),
        "changes": ", ".join(f"{column} = excluded.{column}" for column in columns[1:]),
    }
    return TableStatements(**{name: sql.format(**words) for name, sql in _writes().items()})


@cache
def _writes() -> Mapping[str, str]:
    return named(_FOLDER, ("writes.sql",))
