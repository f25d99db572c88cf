"""The SQL of this folder, by name."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from setpoint.storage.statements import named, with_bodies, with_walks

_FILES = ("queries.sql", "people.sql", "tenancy.sql", "requests.sql", "sealed.sql", "writes.sql", "signs.sql")


@cache
def statements() -> Mapping[str, str]:
    """Every statement, read once."""
    return with_bodies(with_walks(named(Path(__file__).parent, _FILES)))
