"""What we rely on in a server: checked at every start, and refused in one sentence with the cure for each."""

from collections.abc import Mapping
from typing import Final

from setpoint.engine.errors import Rejected
from setpoint.storage.postgres.connection import Session

_OLDEST: Final = 13
_ASKED: Final = """
SELECT name, setting FROM pg_settings WHERE name IN (
    'fsync', 'full_page_writes', 'synchronous_commit',
    'server_version_num', 'server_encoding', 'transaction_read_only'
)
"""


async def check(session: Session, *, allow_unsafe: bool) -> None:
    """Rejected, unless what is acknowledged here stays."""
    found = dict(await session.fetch(_ASKED))
    problems = (*unusable(found), *(() if allow_unsafe else unsafe(found)))
    if problems:
        raise Rejected(f"this PostgreSQL cannot be used: {'; '.join(problems)}")


def unusable(found: Mapping[str, str]) -> tuple[str, ...]:
    """Why nothing would work."""
    version = int(found["server_version_num"]) // 10_000
    encoding, read_only = found["server_encoding"], found["transaction_read_only"]
    problems = (
        (version < _OLDEST, f"it has version {version} (upgrade it to {_OLDEST} or later)"),
        (encoding != "UTF8", f"its encoding is {encoding} (create the database with ENCODING 'UTF8')"),
        (read_only == "on", "it is read-only (connect to the primary; unset default_transaction_read_only)"),
    )
    return tuple(problem for is_there, problem in problems if is_there)


def unsafe(found: Mapping[str, str]) -> tuple[str, ...]:
    """Why a power cut could take what was acknowledged."""
    return tuple(
        f"{name} is off (set {name} = on)"
        for name in ("fsync", "full_page_writes", "synchronous_commit")
        if found[name] == "off"
    )
