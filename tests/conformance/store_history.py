"""What every store promises of events, audit, heads, listeners and signs of life."""

import asyncio

import pytest
from msgspec.structs import replace

from conformance.store_rows import audit, event, puts, refs, sign, wake, zone
from setpoint.engine.audit import broken_at
from setpoint.engine.entity import Declared
from setpoint.engine.errors import Conflict
from setpoint.engine.rows import Audit, Head, Switch, Wake
from setpoint.engine.store import (
    AUDIT_PAGE,
    EVENTS_AFTER,
    EVENTS_OF,
    HEADS_PAGE,
    SIGNS,
    WOKEN,
    Change,
    Drop,
    Expect,
    Put,
    Store,
)


async def chain(store: Store, organization: str = "acme") -> list[Audit]:
    return await store.read(AUDIT_PAGE, organization=organization, after=0, limit=999)


async def revisions(store: Store, organization: str) -> list[int]:
    """Every number the organization gave out, of events and of audit lines."""
    events = await store.read(EVENTS_AFTER, organization=organization, after=0, limit=999)
    return sorted(
        [line.revision for line in events] + [line.revision for line in await chain(store, organization)]
    )


async def test_events_are_numbered_before_audit_in_their_own_order(store: Store) -> None:
    await store.commit(Change(events=(event("a"), event("b")), audit=(audit("c"), audit("d"))))
    events = await store.read(EVENTS_AFTER, organization="acme", after=0, limit=9)
    assert [(line.type, line.revision) for line in events] == [("a", 1), ("b", 2)]
    assert [(line.action, line.revision) for line in await chain(store)] == [("c", 3), ("d", 4)]


async def test_the_head_stands_at_the_last_number_and_the_last_hash(store: Store) -> None:
    await store.commit(Change(events=(event(),), audit=(audit(),)))
    await store.commit(Change(events=(event(),)))
    last = (await chain(store))[-1]
    assert await store.get(Head, "acme") == Head(organization="acme", revision=3, hash=last.hash)


async def test_each_organization_counts_for_itself(store: Store) -> None:
    both = (event("a"), event("b", "other"), event("c"))
    await store.commit(Change(events=both, audit=(audit("d", "other"),)))
    assert await revisions(store, "acme") == [1, 2]
    assert await revisions(store, "other") == [1, 2]
    assert await store.get(Head, "none") is None


async def test_revisions_have_no_gaps_whatever_fails_in_between(store: Store) -> None:
    await store.commit(puts(zone("1")))
    stale = (Expect(Declared, "zone/1", "generation", 7),)
    changes = [
        Change(
            expects=stale if number % 3 == 0 else (),
            events=(event(organization="other" if number % 2 else "acme"),),
            audit=(audit(),),
        )
        for number in range(60)
    ]
    outcomes = await asyncio.gather(*map(store.commit, changes), return_exceptions=True)
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 20
    assert await revisions(store, "acme") == list(range(1, 61))
    assert await revisions(store, "other") == list(range(1, 21))
    assert broken_at(await chain(store)) is None


async def test_a_refused_change_moves_no_head(store: Store) -> None:
    await store.commit(puts(zone("1", name="shop")))
    with pytest.raises(Conflict):
        await store.commit(Change(writes=(Put(zone("2", name="shop")),), events=(event(),), audit=(audit(),)))
    assert await store.get(Head, "acme") is None
    assert await revisions(store, "acme") == []


async def test_events_of_a_ref_come_newest_first(store: Store) -> None:
    for kind in "abc":
        await store.commit(Change(events=(event(kind), event("x", ref="zone/2"))))
    assert [line.type for line in await store.read(EVENTS_OF, ref="zone/1", limit=2)] == ["c", "b"]


async def test_a_watch_that_resumes_misses_nothing_and_repeats_nothing(store: Store) -> None:
    seen: list[str] = []

    async def watch() -> None:
        after = 0
        while len(seen) < 60:
            for line in await store.read(EVENTS_AFTER, organization="acme", after=after, limit=7):
                seen.append(line.type)
                after = line.revision
            await asyncio.sleep(0)

    async def write(name: str) -> None:
        for number in range(20):
            await store.commit(Change(events=(event(f"{name}{number:02}"),), audit=(audit(),)))

    await asyncio.gather(watch(), write("a"), write("b"), write("c"))
    assert sorted(seen) == [f"{name}{number:02}" for name in "abc" for number in range(20)]


async def test_the_audit_chain_verifies_across_commits_and_pages(store: Store) -> None:
    for number in range(10):
        await store.commit(Change(events=(event(),), audit=(audit(str(number)), audit("more"))))
    whole = await chain(store)
    assert broken_at(whole) is None
    later = await store.read(AUDIT_PAGE, organization="acme", after=whole[4].revision, limit=3)
    assert later == whole[5:8]
    assert broken_at(later, previous=whole[4].hash) is None


@pytest.mark.parametrize("place", [0, 4, 8])
async def test_an_edited_dropped_or_swapped_audit_line_is_noticed(store: Store, place: int) -> None:
    for number in range(10):
        await store.commit(Change(audit=(audit(str(number)),)))
    whole = await chain(store)
    edited = [*whole[:place], replace(whole[place], actor="eve"), *whole[place + 1 :]]
    dropped = [*whole[:place], *whole[place + 1 :]]
    swapped = [*whole[:place], whole[place + 1], whole[place], *whole[place + 2 :]]
    assert broken_at(edited) == whole[place].revision
    assert broken_at(dropped) == whole[place + 1].revision
    assert broken_at(swapped) == whole[place + 1].revision


async def test_the_head_tells_that_the_end_of_the_chain_was_cut_off(store: Store) -> None:
    for number in range(3):
        await store.commit(Change(audit=(audit(str(number)),)))
    whole = await chain(store)
    head = await store.get(Head, "acme")
    assert head is not None
    assert head.hash == whole[-1].hash != whole[-2].hash


async def test_every_chain_has_a_head_whoever_it_is_of(store: Store) -> None:
    for name in ("b", "", "c", "a"):
        await store.commit(Change(audit=(audit("1", name),)))
    first = await store.read(HEADS_PAGE, after="", limit=2)
    assert [head.organization for head in first] == ["a", "b"]
    assert first[0] == await store.get(Head, "a")
    assert [head.organization for head in await store.read(HEADS_PAGE, after="b", limit=2)] == ["c"]


async def test_an_untouched_chain_verifies_whatever_its_details_were_made_of(store: Store) -> None:
    detail = {"z": (1, 2), "a": zone("1"), "number": 1e22, "nested": {"y": 1, "b": None}}
    await store.commit(Change(audit=(replace(audit(detail=detail), at=5), audit())))
    assert broken_at(await chain(store)) is None


async def test_numbers_and_hashes_that_a_caller_sends_are_replaced(store: Store) -> None:
    forged = replace(audit(), revision=99, previous="x", hash="y")
    await store.commit(Change(events=(replace(event(), revision=77),), audit=(forged,)))
    assert await revisions(store, "acme") == [1, 2]
    assert broken_at(await chain(store)) is None


async def test_listeners_hear_which_organizations_moved_and_that_somebody_was_woken(store: Store) -> None:
    heard: list[frozenset[str]] = []
    store.listen(heard.append)
    await store.commit(Change(events=(event(), event("x", "other"))))
    await store.commit(Change(audit=(audit(),), writes=(Put(wake("w1")),)))
    await store.commit(puts(wake("w2")))
    assert heard == [frozenset({"acme", "other"}), frozenset({"acme", WOKEN}), frozenset({WOKEN})]


async def test_listeners_hear_nothing_of_what_moved_nobody(store: Store) -> None:
    heard: list[frozenset[str]] = []
    store.listen(heard.append)
    await store.commit(Change(expects=(Expect(Switch, "all"),)))
    await store.commit(Change(writes=(Drop(Wake, "w1"),)))
    with pytest.raises(Conflict):
        await store.commit(Change(expects=(Expect(Declared, "zone/1", "name", "a"),), events=(event(),)))
    assert heard == []


async def test_listeners_hear_the_hint_of_signs_and_nothing_of_those_without(store: Store) -> None:
    heard: list[frozenset[str]] = []
    store.listen(heard.append)
    await store.sign((sign("a", 1.0),))
    await store.sign((sign("a", 2.0),), hint="looked/objects")
    assert heard == [frozenset({"looked/objects"})]


async def test_a_listener_that_stopped_hears_no_more_and_may_stop_twice(store: Store) -> None:
    heard: list[frozenset[str]] = []
    stop = store.listen(heard.append)
    other = store.listen(heard.append)
    await store.commit(puts(wake("w1")))
    stop()
    stop()
    await store.commit(puts(wake("w2")))
    other()
    await store.commit(puts(wake("w3")))
    assert len(heard) == 3


async def test_a_listener_that_raises_breaks_neither_the_commit_nor_the_others(store: Store) -> None:
    heard: list[frozenset[str]] = []

    def fail(_: frozenset[str]) -> None:
        raise ValueError("deaf")

    store.listen(fail)
    store.listen(heard.append)
    await store.commit(puts(wake("w1")))
    await store.commit(puts(wake("w2")))
    assert len(heard) == 2


async def test_whatever_a_listener_hears_of_can_be_read(store: Store) -> None:
    found: list[asyncio.Task[Head | None]] = []
    store.listen(lambda _: found.append(asyncio.ensure_future(store.get(Head, "acme"))))
    await store.commit(Change(events=(event(),)))
    assert await found[0] == Head(organization="acme", revision=1)


async def test_the_newest_sign_of_life_wins_in_any_order(store: Store) -> None:
    await store.sign([sign("1", 5.0, load=1), sign("2", 1.0)])
    await store.sign([sign("1", 3.0, load=2), sign("2", 2.0)])
    await store.sign([sign("1", 5.0, load=3)])
    found = await store.read(SIGNS, refs=refs("host/2", "host/1", "host/3"))
    assert found == [sign("1", 5.0, load=1), sign("2", 2.0)]


async def test_two_signs_of_one_ref_in_one_batch_leave_the_newer(store: Store) -> None:
    await store.sign([sign("1", 9.0), sign("1", 4.0)])
    await store.sign([])
    assert await store.read(SIGNS, refs=refs("host/1")) == [sign("1", 9.0)]


async def test_signs_move_no_head_and_wake_no_listener(store: Store) -> None:
    heard: list[frozenset[str]] = []
    store.listen(heard.append)
    await store.sign([sign("1", 1.0)])
    assert heard == []
