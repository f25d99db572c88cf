"""How much an organization may have declared: counted anew before anybody is refused."""

import pytest
from msgspec.structs import replace

from setpoint.api.problem import Refused
from setpoint.api.quota import BELIEVED_SECONDS, Quota
from setpoint.engine.entity import Declared, Ref, Scope
from setpoint.engine.store import Change, Drop, Put
from setpoint.settings import Settings
from setpoint.storage.memory import MemoryStore


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def row(name: str, words: str = "", organization: str = "acme", generation: int = 0) -> Declared:
    return Declared(
        ref=Ref(f"note/{organization}-{name}"),
        kind="note",
        scope=Scope(organization),
        name=name,
        spec={"words": words},
        generation=generation,
    )


async def kept(store: MemoryStore, *rows: Declared) -> None:
    await store.commit(Change(writes=tuple(Put(replace(each, generation=1)) for each in rows)))


async def test_an_estimate_refuses_nobody_and_a_count_does() -> None:
    store = MemoryStore()
    quota = Quota(store, Settings(organization_objects=3), Clock())
    for _ in range(10):  # Asked and not written: a rehearsal, or a lost race.
        await quota.check([row("a"), row("b"), row("c")])
    await kept(store, row("a"), row("b"), row("c"))
    with pytest.raises(Refused, match="acme would have 4 objects; at most 3 fit"):
        await quota.check([row("d")])
    await quota.check([row("d", organization="other"), row("a", generation=1)])
    await store.commit(Change(writes=(Drop(Declared, row("a").ref),)))
    await quota.check([row("d")])


async def test_whoever_has_too_much_already_may_make_it_smaller() -> None:
    store, large = MemoryStore(), "x" * 10_000
    await kept(store, row("a", large), row("b", large))
    quota = Quota(store, Settings(organization_objects=1, organization_bytes=5_000), Clock())
    await quota.check([row("a", large[:-1], generation=1)])
    await quota.check([replace(row("a", large, generation=1), deleting="asked")])
    with pytest.raises(Refused, match="bytes of declarations; at most 5000 fit"):
        await quota.check([row("a", f"{large}more", generation=1)])
    with pytest.raises(Refused, match="3 objects; at most 1 fit"):
        await quota.check([row("c")])


async def test_what_others_declared_is_seen_after_a_while() -> None:
    store, clock = MemoryStore(), Clock()
    quota = Quota(store, Settings(organization_objects=2), clock)
    await quota.check([row("a")])
    await kept(store, row("a"), row("b"))  # By another replica.
    clock.now += BELIEVED_SECONDS + 1
    with pytest.raises(Refused):
        await quota.check([row("c")])


async def test_none_is_no_limit() -> None:
    store = MemoryStore()
    await kept(store, *(row(f"n{number}") for number in range(50)))
    await Quota(store, Settings(organization_objects=0, organization_bytes=0), Clock()).check([row("more")])
