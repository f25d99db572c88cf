"""The store on PostgreSQL: one writer that groups commits, a pool for reads, one connection for notices."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import asdict

from setpoint import system
from setpoint.engine.entity import Declared, canonical, hash_of
from setpoint.engine.errors import Denied, Transient
from setpoint.engine.rows import Shard, Sign
from setpoint.engine.store import Change, Identity, Lease, Leased, Query, Scalar, Stored
from setpoint.engine.tables import TABLES
from setpoint.storage.form import decoded
from setpoint.storage.listeners import Heard, Listeners, Messenger
from setpoint.storage.patience import Patience
from setpoint.storage.postgres import migrate, safety, statements
from setpoint.storage.postgres.connection import COMMAND_SECONDS, CONNECT_SECONDS, Address, Pen, Pool, Session
from setpoint.storage.postgres.failure import DISCONNECTED, ERRORS, failure, told_of
from setpoint.storage.postgres.notices import Notices
from setpoint.storage.postgres.prepared import prepared
from setpoint.storage.postgres.spelling import END, Value, read_back, text
from setpoint.storage.postgres.tenancy import Tenants, is_walled
from setpoint.storage.postgres.writer import Request, Writer
from setpoint.storage.quarantine import more_of, one, pass_over, sorted_out
from setpoint.storage.statements import bodies_of

RowT = TypeVar("RowT")

_NO_ANSWER: Final = "the store did not answer"


async def open_postgres(
    url: str,
    *,
    role: Pen | None = None,
    allow_unsafe: bool = False,
    command_seconds: float = COMMAND_SECONDS,
    hints: str = "",
) -> "PostgresStore":
    """The store in this database, created or brought up to date; the database holds us to the role's pen."""
    if await migrate.pending(url):
        await migrate.up(url)
    address = Address(url, role, command_seconds)
    async with address.session() as session:
        await safety.check(session, allow_unsafe=allow_unsafe)
        name = await session.fetchval("SELECT current_database()")
    with told_of("the database cannot be used"):
        return PostgresStore(address, await address.pool(), _messengers(address, hints, name))


def _messengers(address: Address, hints: str, name: str) -> Callable[[Heard], Messenger]:
    """Hints by the database's own notices, or through Redis where it is deployed."""
    patience = Patience(system.new_random())
    if not hints:
        return lambda heard: Notices(address, patience, heard)
    try:
        from setpoint.storage.redis import RedisNotices  # noqa: PLC0415 - not everybody has redis
    except ImportError as error:
        raise Denied(f"{error}; install it with: pip install 'setpoint[redis]'") from error
    return lambda heard: RedisNotices(hints, f"setpoint:{name}", system.new_id(), patience, heard)


class PostgresStore:
    """Used on the event loop it was made on."""

    def __init__(self, address: Address, pool: Pool, messenger: Callable[[Heard], Messenger]) -> None:
        self._loop = asyncio.get_running_loop()
        self._pool = pool
        self._listeners = Listeners()
        self._closed = False
        self._tenants = Tenants() if address.pen == "api" else None
        self._notices = messenger(self._listeners.tell)
        self._writer = Writer(address, Patience(system.new_random()), self._tell)

    async def commit(self, change: Change) -> None:
        """Durable when this returns. A cancelled caller stops waiting; the change is made all the same."""
        self._check_open()
        answer: asyncio.Future[None] = self._loop.create_future()
        self._writer.submit(Request(prepared(change), answer))
        await answer

    async def get(self, row: type[RowT], key: str) -> RowT | None:
        found = await self._fetch(statements.of(TABLES[row]).get, [text(key)])
        return one(row, key, found[0][0]) if found else None

    async def read(self, query: Query[RowT], **values: Scalar) -> list[RowT]:
        question = statements.questions()[query.name]
        wanted, asked = int(values.get("limit") or 0), values
        while True:
            places = question.places({"end": END, **asked, **_lists(asked)})
            found = [each[0] for each in await self._fetch(question.sql, places)]
            good, bad = sorted_out(query.row, found)
            if not bad:
                return good
            pass_over(query, values, [await self._key_of(query.row, body) for body in bad])
            limit = more_of(asked, len(found), len(good), wanted)
            if not limit:
                return good[:wanted] if wanted else good
            asked = {**values, "limit": limit}

    async def _key_of(self, row: type[Any], body: bytes) -> str:
        """The key beside a body that does not tell it."""
        if row not in TABLES:
            return hash_of(str(body))[:8]
        table = TABLES[row]
        sql = f"SELECT {table.key} FROM {table.name} WHERE body = $1"  # noqa: S608 - names of our own table
        found = await self._fetch(sql, [body])
        return read_back(found[0][0]) if found else "?"

    async def bodies(self, query: Query[Declared], **values: Scalar) -> Sequence[Stored]:
        question = statements.questions()[bodies_of(query.name)]
        found = await self._fetch(question.sql, question.places({"end": END, **values}))
        return [(declared, status) for declared, status in found]

    async def lease(self, asked: Lease) -> Leased:
        """Shards given back, kept and taken in one statement. Never asked twice: it may have been done."""
        question = statements.questions()["lease"]
        values = {**asdict(asked), "replica": f"{asked.service}/{asked.owner}"}
        with told_of(_NO_ANSWER, landed=True):
            async with self._lent() as session:
                mine, replicas, clock = await session.fetchrow(question.sql, *question.places(values))
        return Leased(tuple(decoded(Shard, body) for body in mine), replicas, clock)

    async def identity(self) -> Identity:
        """By the cluster's number and the database's in it; a server that takes over begins a timeline."""
        [found] = await self._fetch(statements.questions()["identity"].sql, ())
        if found[1] is None:
            raise Transient("the database is a standby: another server is, or will be, the primary")
        return Identity(found[0], found[1])

    async def sign(self, signs: Sequence[Sign], hint: str = "") -> None:
        newest: dict[str, Sign] = {}
        for sign in signs:
            if sign.ref not in newest or newest[sign.ref].at < sign.at:
                newest[sign.ref] = sign
        rows = [(text(ref), sign.at, canonical(sign)) for ref, sign in sorted(newest.items())]
        with told_of("the signs were not kept"):
            async with self._lent() as session:
                await session.executemany(statements.appends()["put_sign"], rows)
        if hint:
            self._tell(frozenset({hint}))

    def listen(self, heard: Heard) -> Callable[[], None]:
        return self._listeners.add(heard)

    async def close(self) -> None:
        """Finish what was asked, then let go of every connection. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        await self._writer.close()
        await self._notices.close()
        await self._pool.close()

    def _check_open(self) -> None:
        if self._closed:
            raise Transient("the store is closed")

    def _tell(self, moved: frozenset[str]) -> None:
        self._listeners.tell(moved)
        self._notices.tell(moved)

    @asynccontextmanager
    async def _lent(self) -> AsyncIterator[Session]:
        self._check_open()
        async with self._pool.acquire(timeout=2 * CONNECT_SECONDS) as session:
            yield session

    async def _fetch(self, sql: str, places: Sequence[Value]) -> list[Any]:
        """Rows; asked once more where a connection turns out to be dead, which says nothing of the server."""
        try:
            return await self._asked(sql, places)
        except DISCONNECTED:
            await self._pool.expire_connections()  # The others may be as dead.
        except ERRORS as error:
            raise failure(error, _NO_ANSWER) from error
        with told_of(_NO_ANSWER):
            return await self._asked(sql, places)

    async def _asked(self, sql: str, places: Sequence[Value]) -> list[Any]:
        async with self._lent() as session:
            if self._tenants is not None and is_walled(sql):
                await self._tenants.settle(session)
            return await session.fetch(sql, *places)


def _lists(values: Mapping[str, Scalar]) -> dict[str, Value]:
    """Many come as a JSON list, which PostgreSQL could take apart too, but not with every character in it."""
    named = values.keys() & {"refs", "slots", "keys", "ids"}
    return {name: msgspec.json.decode(str(values[name]), type=list[str]) for name in named}
