"""The engine on a store in memory, with the library as its world: what a test needs in one value."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from setpoint.drive.ownership import Ownership
from setpoint.engine.company import Company
from setpoint.engine.declare import Declarer
from setpoint.engine.draft import Author, Declaration
from setpoint.engine.entity import AnyEntity, Declared, Ref, Scope, Status
from setpoint.engine.gather import Standards
from setpoint.engine.intent import Intent
from setpoint.engine.journal import Journal, Mandate
from setpoint.engine.ledger import Ledger
from setpoint.engine.levers import read_levers
from setpoint.engine.limits import Limits
from setpoint.engine.outcome import Door
from setpoint.engine.reconcile import Reconciler
from setpoint.engine.rows import Act, Approval, Audit, Event, Installation, Mode, PlanRow, Switch, Wake
from setpoint.engine.store import AnyRow, Change, Drop, Put, Store
from setpoint.engine.tables import TABLES
from setpoint.storage.form import decoded
from setpoint.storage.memory import MemoryStore

from .fake_runtime import FakeMeter, FakeRuntime
from .library import EVERY, LibraryLoop, kinds_of

ACME = Scope("acme")
SHOP = Scope("acme", "shop")
ANN = Author(actor="ann", organization="acme")


class Plant:
    """Everything of the engine, wired; `start` once, then declare and run passes.

    A second plant on the same store, with the first one's loop and runtime, is another process beside it or
    after it.
    """

    def __init__(
        self,
        store: Store | None = None,
        beside: "Plant | None" = None,
        folder: Path | None = None,
        *,
        instead: bool = False,
    ) -> None:
        self.store: Any = store or (beside.store if beside else MemoryStore())
        self.folder = folder or (beside.folder if beside else None)
        self.runtime = beside.runtime if beside else FakeRuntime()
        self.loop = beside.loop if beside else LibraryLoop()
        self.meter = FakeMeter()
        self.kinds = kinds_of(self.loop)
        self.declarer = Declarer(self.store, self.kinds, self.runtime)
        self.intent = Intent(self.store, self.kinds)
        self.limits = Limits()
        self.code = "first"
        self.standards = Standards(
            limits=lambda declared: self.limits, code=lambda kind: self.code, every=lambda kind: EVERY
        )
        own = beside.ownership if beside and not instead else None
        self.ownership = own or Ownership(
            self.store, "scheduler", self.runtime.new_id(), self.runtime.now, alone=True
        )
        self.journal = Journal(self.store, self.kinds, self.runtime, self.meter, self.ownership)
        self.reconciler = Reconciler(
            store=self.store,
            kinds=self.kinds,
            loops=dict.fromkeys(self.kinds, self.loop),
            journal=self.journal,
            door=Door(self.store, self.kinds, self.runtime, self.meter, self.ownership),
            runtime=self.runtime,
            meter=self.meter,
            standards=self.standards,
            company=Company(),
            tenure=self.ownership,
        )

    async def start(self) -> "Plant":
        """An installation with one organization and one project."""
        await self.put(Installation(id="here"))
        await self.ownership.keep()
        await self.declare("organization", "acme", scope=Scope())
        await self.declare("project", "shop", scope=ACME)
        return self

    async def taken_over(self) -> "Plant":
        """Another process on the same store, which owns everything from now on."""
        other = Plant(beside=self, instead=True)
        await other.ownership.keep()
        return other

    async def declare(
        self, kind: str, name: str, scope: Scope = SHOP, author: Author = ANN, **spec: Any
    ) -> Declared:
        declaration = Declaration(kind=kind, scope=scope, name=name, spec=spec)
        return (await self.declarer.declare((declaration,), author))[0]

    async def shelf(self, wanted: Mapping[str, Any], found: Mapping[str, Any] | None = None) -> Ref:
        """A shelf that is declared to hold `wanted`, while `found` is there; well known if they agree."""
        row = await self.declare("shelf", "novels", books=dict(wanted))
        self.loop.found = dict(wanted if found is None else found)
        if found is None:
            await self.proven(row.ref)
        return row.ref

    async def proven(self, ref: Ref) -> Ref:
        """Two looks at what is there, five seconds apart, at which nothing was to be done: proven ground."""
        said, self.loop.say = self.loop.say, {"actions": ()}
        for wait in (self.limits.probation_gap, 0.0):
            await self.run(ref)
            self.runtime.pass_by(wait)
        self.loop.say = said
        return ref

    async def calm(self, ref: Ref) -> None:
        """Passes until nothing more is to be done at once."""
        for _ in range(100):
            if await self.run(ref) != 0.0:
                return
        raise AssertionError(f"{ref} never comes to rest")

    async def run(self, ref: Ref) -> float | None:
        return await self.reconciler.run_pass(ref)

    async def entity(self, ref: Ref) -> AnyEntity:
        found = await self.intent.entity(ref)
        assert found is not None
        return found

    async def mandate(self, ref: Ref, *agreed: Approval) -> Mandate:
        """What a pass that judges now may act on."""
        entity = await self.entity(ref)
        return Mandate(entity, await read_levers(self.store, self.kinds, entity.declared), agreed)

    async def status(self, ref: Ref) -> Status:
        return (await self.entity(ref)).status

    async def put(self, *rows: AnyRow) -> None:
        await self.store.commit(Change(writes=tuple(Put(row) for row in rows)))

    async def drop(self, *rows: AnyRow) -> None:
        drops = (Drop(type(row), getattr(row, TABLES[type(row)].key)) for row in rows)
        await self.store.commit(Change(writes=tuple(drops)))

    async def switch(self, mode: Mode, key: str = "all", version: int = 1) -> None:
        await self.put(Switch(key=key, mode=mode, by="ann", reason="storm", since=0.0, version=version))

    async def ledger(self, ref: Ref) -> Ledger:
        return await self.store.get(Ledger, ref) or Ledger(ref=ref)

    def acts(self) -> list[Act]:
        return self.rows(Act)

    def plans(self) -> list[PlanRow]:
        return self.rows(PlanRow)

    def wakes(self) -> dict[Ref, str]:
        """Who was woken, and why."""
        return {wake.ref: wake.reason for wake in self.rows(Wake)}

    def rows(self, row: type[Any]) -> list[Any]:
        if self.folder is None:
            return self.store.shelves[row].all()
        return self._stored(row, TABLES[row].name, TABLES[row].key)

    def events(self) -> list[Event]:
        return self.store.events.get("acme", []) if self.folder is None else self._stored(Event, "event")

    def audit(self) -> list[Audit]:
        return self.store.audit.get("acme", []) if self.folder is None else self._stored(Audit, "audit")

    def _stored(self, row: type[Any], table: str, order: str = "revision") -> list[Any]:
        assert self.folder is not None
        with closing(sqlite3.connect(self.folder / "setpoint.db")) as database:
            found = database.execute(f"SELECT body FROM {table} ORDER BY {order}").fetchall()  # noqa: S608
        return [decoded(row, body) for (body,) in found]

    def contents(self) -> dict[str, Any]:
        """All that the store holds, to see whether anything was written."""
        tables = {table.name: self.rows(row) for row, table in TABLES.items()}
        return tables | {"events": list(self.events()), "audit": list(self.audit())}
