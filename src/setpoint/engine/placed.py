"""Fields that say where a thing is, or what may be taken over: until when they move, and who may set them."""

from collections.abc import Callable, Mapping, Sequence

from setpoint.engine.draft import Written, unprotect_command
from setpoint.engine.entity import Declared, Ref
from setpoint.engine.errors import Mistake
from setpoint.engine.kind import Kinds
from setpoint.engine.rows import ActState
from setpoint.engine.store import ACTS_PAGE, TASKS_OF, Store

AT_ONCE = (
    200  # Acts, the latest first: those that failed may be many, and the one that made it lies behind them.
)


async def moved_fields(
    store: Store,
    kinds: Kinds,
    rows: Sequence[Declared],
    before: Mapping[Ref, Declared],
    judged: Mapping[Ref, str],
) -> list[Mistake]:
    """Each field that would move a thing that was made: nothing would look after it where it is now."""
    wrong: list[Mistake] = []
    for row in rows:
        known = before.get(row.ref)
        if known is None or row.ref not in judged or not row.spec:
            continue
        fields = [name for name, spell in kinds[row.kind].fixed.items() if _differs(row, known, name, spell)]
        if fields and await was_made(store, row.ref):
            wrong += [_stays(row, known, name, judged[row.ref]) for name in fields]
    return wrong


def renamed(
    kinds: Kinds, rows: Sequence[Declared], before: Mapping[Ref, Declared], judged: Mapping[Ref, str]
) -> list[Mistake]:
    """Each field that would name another thing than the one that is protected, which would be deleted."""
    wrong: list[Mistake] = []
    for row in rows:
        known = before.get(row.ref)
        if known is None or not (known.protected and row.protected) or row.ref not in judged or not row.spec:
            continue
        fields = [
            name for name, spell in kinds[row.kind].identity.items() if _differs(row, known, name, spell)
        ]
        wrong += [_guarded(row, known, name, judged[row.ref]) for name in fields]
    return wrong


async def was_made(store: Store, ref: Ref) -> bool:
    """Whether anything may be there that it made: by an act that did not fail for certain, or by a task."""
    after = ""
    while acts := await store.read(ACTS_PAGE, domain=ref, after=after, limit=AT_ONCE):
        if any(act.state is not ActState.FAILED for act in acts):
            return True
        after = acts[-1].id
    return bool(await store.read(TASKS_OF, target=ref))


def unentitled(
    kinds: Kinds,
    rows: Sequence[Declared],
    before: Mapping[Ref, Declared],
    judged: Mapping[Ref, str],
    may: Callable[[Written, Declared], bool],
) -> list[Mistake]:
    """Each field that is set by somebody who may not: it was not set before, and needs a right of its own."""
    return [
        Mistake(
            pointer=f"{judged[row.ref]}/spec/{name}",
            code="forbidden",
            message=f"setting {name} on {row.kind} {row.name} needs the right to execute; "
            f"see who has it: setpoint who-can execute {row.kind}",
        )
        for row in rows
        if row.ref in judged and row.spec
        for name in kinds[row.kind].by_right
        if row.spec.get(name)
        and not _stood(kinds, row, before.get(row.ref), name)
        and not may("execute", row)
    ]


def _stood(kinds: Kinds, row: Declared, known: Declared | None, name: str) -> bool:
    """Whether it was set before, and for the same place."""
    if known is None or known.deleting or not known.spec.get(name):
        return False
    return not any(_differs(row, known, field, spell) for field, spell in kinds[row.kind].fixed.items())


def _differs(row: Declared, known: Declared, name: str, spell: Callable[[str], str]) -> bool:
    return spell(row.spec[name]) != spell(known.spec[name])


def _guarded(row: Declared, known: Declared, name: str, pointer: str) -> Mistake:
    message = (
        f"{name} stays {known.spec[name]} while {row.kind} {row.name} is protected: with another {name} "
        f"what is there now is deleted; first run {unprotect_command(row)}, or declare a new {row.kind}"
    )
    return Mistake(pointer=f"{pointer}/spec/{name}", code="protected", message=message)


def _stays(row: Declared, known: Declared, name: str, pointer: str) -> Mistake:
    message = (
        f"{name} stays {known.spec[name]}: what {row.kind} {row.name} made there would be left behind; "
        f"declare a new {row.kind} with {name} {row.spec[name]}, and delete this one when it is not needed: "
        f"setpoint delete {row.kind} {row.name}"
    )
    return Mistake(pointer=f"{pointer}/spec/{name}", code="immutable", message=message)
