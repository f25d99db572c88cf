"""What a start does before the first pass: the state folder, a new epoch, one declaration for each loop."""

from collections.abc import Iterable
from pathlib import Path

from setpoint.engine.entity import Declared, Ref, Scope, ref_of
from setpoint.engine.errors import Denied
from setpoint.engine.rows import Lane, Wake, evidence, told
from setpoint.engine.runtime import Runtime
from setpoint.engine.store import Change, Expect, Put, Store
from setpoint.loop.keyed import Terms


async def enrol(store: Store, runtime: Runtime, loops: Iterable[Terms]) -> None:
    """Every loop is declared once, for good: what it wants is its own business at every pass.

    Of a loop that left its file nothing is taken back: it is not run any more, and that is all.
    """
    for terms in loops:
        row = first(terms, runtime.now())
        if await store.get(Declared, row.ref) is not None:
            continue
        wake = Wake(
            id=runtime.new_id(), ref=row.ref, reason="declared", lane=Lane.INTERACTIVE, tenant=row.tenant
        )
        await store.commit(
            Change(
                expects=(Expect(Declared, row.ref),),
                writes=(Put(row), Put(wake)),
                events=(told(row, "entity.config_changed", f"declared by {row.changed_by}", row.created_at),),
                audit=(evidence(row, row.changed_by, "intent.declared", row.created_at, name=row.name),),
            )
        )


def prepare(folder: Path) -> None:
    """The state folder, for its owner alone and out of version control."""
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        ignore = folder.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n")
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise Denied(f"{folder} cannot be used: {error.strerror}") from error


def first(terms: Terms, now: float) -> Declared:
    """A loop's declaration: it says no more than that there is one."""
    return Declared(
        ref=ref_of_loop(terms),
        kind=terms.kind,
        scope=Scope(),
        name=terms.name,
        spec={},
        created_at=now,
        changed_at=now,
        changed_by="the loop file",
    )


def ref_of_loop(terms: Terms) -> Ref:
    """A loop is known by its name for good, also before it ever ran."""
    return ref_of(terms.kind, terms.kind)
