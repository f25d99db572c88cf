"""Who should look when something happens to an entity: the edge triggers of every kind, as wakes."""

from collections.abc import Callable, Iterable
from contextlib import suppress

from setpoint.engine.entity import Declared, Ref, kind_of
from setpoint.engine.errors import Transient
from setpoint.engine.kind import Kinds, Relation
from setpoint.engine.rows import Lane, Wake
from setpoint.engine.store import DECLARED_CHILDREN, DECLARED_REFERRING, Query, Store


async def stirred(
    store: Store, kinds: Kinds, declared: Declared, events: Iterable[str], new_id: Callable[[], str]
) -> tuple[Wake, ...]:
    """A wake for each entity whose kind listens to one of these events of this relative."""
    told = frozenset(events)
    found: dict[Ref, str] = {}
    hearing = {(on.of, kind.name) for kind in kinds.values() for on in kind.on if on.event in told}
    if ("self", declared.kind) in hearing:
        found[declared.ref] = declared.ref
    if declared.parent is not None and ("child", kind_of(declared.parent)) in hearing:
        found[declared.parent] = declared.ref
    relations: tuple[tuple[Relation, Query[Declared], str], ...] = (
        ("parent", DECLARED_CHILDREN, "parent"),
        ("reference", DECLARED_REFERRING, "ref"),
    )
    for relation, query, value in relations:
        listeners = [name for of, name in hearing if of == relation]
        if listeners:
            relatives: Iterable[Declared] = ()
            with suppress(Transient):  # One cannot be read: they look on their intervals all the same.
                relatives = await store.read(query, **{value: declared.ref})
            found |= {other.ref: declared.ref for other in relatives if other.kind in listeners}
    reason = f"{', '.join(sorted(told))} of {declared.kind} {declared.name}"
    return tuple(
        Wake(id=new_id(), ref=ref, reason=reason, lane=Lane.EVENT, tenant=declared.tenant) for ref in found
    )
