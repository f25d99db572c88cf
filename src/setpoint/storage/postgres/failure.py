"""PostgreSQL's errors in our words: what happens next."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import asyncpg  # type: ignore[import-untyped]

from setpoint.engine.errors import Conflict, Denied, Rejected, Transient
from setpoint.storage.quarantine import Unreadable

ERRORS: Final = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)
"""Whatever can go wrong between us and the database."""

DISCONNECTED: Final = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.InternalClientError,  # How asyncpg takes a good-bye of the server between two questions.
    ConnectionError,
)
"""A connection that is gone."""

_GIVEN_UP: Final = (asyncpg.TransactionRollbackError,)  # For the sake of another transaction.
_TAKEN: Final = (asyncpg.UniqueViolationError,)
_DAMAGED: Final = (asyncpg.DataCorruptedError, asyncpg.IndexCorruptedError)
_REFUSED: Final = (asyncpg.InsufficientPrivilegeError, asyncpg.InvalidAuthorizationSpecificationError)
_WRONG: Final = (
    asyncpg.ClientConfigurationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.InvalidParameterValueError,
)
_PASSING: Final = (
    *DISCONNECTED,
    *_GIVEN_UP,
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.PostgresSystemError,
    asyncpg.LockNotAvailableError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    Transient,
)


def failure(error: BaseException, what: str, *, landed: bool = False) -> BaseException:
    """A new error that says what happens next; a mistake in what we asked stays what it is."""
    said = f"{what}: {str(error) or type(error).__name__}"
    told = error
    if isinstance(error, _TAKEN):
        told = Conflict(f"{what}, another process was faster: {error}")
    elif isinstance(error, _DAMAGED):
        told = Rejected(f"{said}; the database is damaged, restore a backup")
    elif isinstance(error, _REFUSED):
        told = Denied(said)
    elif isinstance(error, _WRONG):
        told = Rejected(said)
    elif isinstance(error, _PASSING):
        told = Transient(said, landed=landed)
    return told


@contextmanager
def told_of(what: str, *, landed: bool = False) -> Iterator[None]:
    """An error of the database is told in one sentence."""
    try:
        yield
    except ERRORS as error:
        raise failure(error, what, landed=landed) from error


def is_passing(error: BaseException) -> bool:
    """Whether the connection or the server is at fault; otherwise it is what was asked."""
    return isinstance(error, _PASSING) and not isinstance(error, (*_WRONG, Unreadable))


def is_given_up(error: BaseException) -> bool:
    """Whether PostgreSQL gave up this transaction for the sake of another: the next try may go through."""
    return isinstance(error, _GIVEN_UP)


def is_taken(error: BaseException) -> bool:
    """Whether another process took a key, a slot or a number between our look and our write."""
    return isinstance(error, _TAKEN)
