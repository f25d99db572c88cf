"""What every store promises of a commit: all or nothing, expectations, slots, no wake lost."""

from typing import Any

import msgspec
import pytest

from conformance.store_rows import (
    act,
    audit,
    names,
    one_of_each,
    protection,
    puts,
    status,
    switch,
    wake,
    zone,
)
from setpoint.engine.entity import Declared, Ref, State, Status
from setpoint.engine.errors import Conflict
from setpoint.engine.ledger import Protection
from setpoint.engine.rows import Act, ActState, Head, Switch, Wake
from setpoint.engine.store import DECLARED_ALL, WAKES_AFTER, Change, Drop, Expect, Put, Store
from setpoint.engine.tables import TABLES


@pytest.mark.parametrize("row", one_of_each(), ids=lambda row: type(row).__name__)
async def test_a_row_comes_back_as_it_was_put(store: Store, row: Any) -> None:
    await store.commit(puts(row))
    key = getattr(row, TABLES[type(row)].key)
    assert await store.get(type(row), key) == row
    await store.commit(Change(writes=(Drop(type(row), key),)))
    assert await store.get(type(row), key) is None


async def test_a_row_that_is_not_there_is_none(store: Store) -> None:
    assert await store.get(Declared, "zone/none") is None


async def test_an_empty_change_is_committed(store: Store) -> None:
    await store.commit(Change())


async def test_a_put_replaces_the_row_with_its_key(store: Store) -> None:
    await store.commit(puts(zone("1", generation=1)))
    await store.commit(puts(zone("1", generation=2)))
    found = await store.read(DECLARED_ALL, after="", limit=10)
    assert [row.generation for row in found] == [2]


async def test_dropping_what_is_not_there_is_no_error(store: Store) -> None:
    await store.commit(Change(writes=(Drop(Wake, "none"),)))


async def test_writes_are_made_in_their_order(store: Store) -> None:
    await store.commit(Change(writes=(Put(wake("w1")), Drop(Wake, "w1"), Put(wake("w2")), Put(status("1")))))
    assert await names(store, WAKES_AFTER, after="", limit=9) == ["w2"]


async def test_free_form_values_come_back_as_json_in_every_store(store: Store) -> None:
    await store.commit(puts(zone("1", spec={"ports": (1, 2)}, created_at=5)))
    found = await store.get(Declared, "zone/1")
    assert found is not None
    assert (found.spec, type(found.created_at)) == ({"ports": [1, 2]}, float)


async def test_text_of_any_script_and_quotes_survives(store: Store) -> None:
    name = "Zürich's “ζώνη” \\ \x00 \N{SNOWMAN}; DROP TABLE declared"
    await store.commit(puts(zone("1", name=name)))
    found = await store.get(Declared, "zone/1")
    assert found is not None
    assert found.name == name


async def test_a_row_expected_to_be_absent_and_is_lets_the_change_through(store: Store) -> None:
    await store.commit(Change(expects=(Expect(Declared, "zone/1"),), writes=(Put(zone("1")),)))
    assert await store.get(Declared, "zone/1") == zone("1")


async def test_a_row_expected_to_be_absent_that_is_there_is_a_conflict(store: Store) -> None:
    await store.commit(puts(zone("1")))
    with pytest.raises(Conflict, match="declared zone/1 was expected to be absent, and is there"):
        await store.commit(
            Change(expects=(Expect(Declared, "zone/1"),), writes=(Put(zone("1")), Put(zone("2"))))
        )
    assert await store.get(Declared, "zone/2") is None


@pytest.mark.parametrize("writes", [(), (Drop(Declared, "zone/1"),), (Put(zone("2")),)])
async def test_absence_without_a_put_is_a_mistake_where_no_store_could_hold_to_it(
    store: Store, writes: tuple[Put | Drop, ...]
) -> None:
    with pytest.raises(
        ValueError, match="declared zone/1 is expected to be absent by a change that does not put"
    ):
        await store.commit(Change(expects=(Expect(Declared, "zone/1"),), writes=writes))


@pytest.mark.parametrize(("row", "there"), [(Switch, switch("all")), (Protection, protection("www"))])
async def test_a_change_may_rest_on_a_switch_or_a_protection_that_is_not_there(
    store: Store, row: Any, there: Any
) -> None:
    absent = Change(expects=(Expect(row, there.key),), writes=(Put(wake("w1")),))
    await store.commit(absent)
    await store.commit(puts(there))
    with pytest.raises(Conflict, match="was expected to be absent, and is there"):
        await store.commit(absent)
    await store.commit(Change(writes=(Drop(row, there.key),)))
    await store.commit(absent)


async def test_a_column_that_holds_its_value_lets_the_change_through(store: Store) -> None:
    await store.commit(puts(zone("1", generation=4)))
    expect = Expect(Declared, "zone/1", "generation", 4)
    await store.commit(Change(expects=(expect,), writes=(Put(zone("1", generation=5)),)))
    await store.commit(Change(expects=(Expect(Declared, "zone/1", "generation", 5),)))


async def test_a_column_with_another_value_is_a_conflict_that_names_both(store: Store) -> None:
    await store.commit(puts(zone("1", generation=4)))
    with pytest.raises(Conflict, match="declared zone/1 was expected with generation 3, and has 4"):
        await store.commit(Change(expects=(Expect(Declared, "zone/1", "generation", 3),)))


async def test_a_column_of_a_missing_row_is_a_conflict(store: Store) -> None:
    with pytest.raises(Conflict, match="switch all was expected with version 1, and is absent"):
        await store.commit(Change(expects=(Expect(Switch, "all", "version", 1),)))


async def test_a_column_can_be_expected_to_be_null_a_truth_or_an_enum(store: Store) -> None:
    await store.commit(puts(zone("1"), status("1", state=State.HELD), act("a1", ActState.DONE)))
    await store.commit(
        Change(
            expects=(
                Expect(Declared, "zone/1", "parent", None),
                Expect(Declared, "zone/1", "protected", False),
                Expect(Status, "zone/1", "state", State.HELD),
                Expect(Status, "zone/1", "state", "HELD"),
                Expect(Act, "a1", "slot", None),
            )
        )
    )
    with pytest.raises(Conflict, match="was expected with parent 'zone/0', and has None"):
        await store.commit(Change(expects=(Expect(Declared, "zone/1", "parent", "zone/0"),)))


async def test_every_expectation_must_hold(store: Store) -> None:
    await store.commit(puts(switch("all", 1), switch("kind:zone", 2)))
    expects = (Expect(Switch, "all", "version", 1), Expect(Switch, "kind:zone", "version", 1))
    with pytest.raises(Conflict, match="kind:zone"):
        await store.commit(Change(expects=expects, writes=(Put(wake("w1")),)))
    assert await store.get(Wake, "w1") is None


async def test_expectations_are_of_the_store_before_the_change(store: Store) -> None:
    await store.commit(Change(expects=(Expect(Wake, "w1"),), writes=(Put(wake("w1")), Drop(Wake, "w1"))))
    with pytest.raises(Conflict):
        await store.commit(Change(expects=(Expect(Wake, "w1", "ref", "zone/1"),), writes=(Put(wake("w1")),)))


async def test_an_expectation_of_an_unknown_column_is_a_mistake_not_a_conflict(store: Store) -> None:
    with pytest.raises(AttributeError):
        await store.commit(Change(expects=(Expect(Wake, "w1", "colour", "red"),)))


async def test_a_row_that_cannot_be_spelled_fails_alone_and_leaves_nothing(store: Store) -> None:
    with pytest.raises(TypeError):
        await store.commit(puts(wake("w1"), zone("1", spec={"what": object()})))
    await store.commit(puts(wake("w2")))
    assert await names(store, WAKES_AFTER, after="", limit=9) == ["w2"]


async def test_an_audit_line_that_cannot_be_spelled_takes_its_whole_change_with_it(store: Store) -> None:
    with pytest.raises(TypeError):
        await store.commit(Change(writes=(Put(wake("w1")),), audit=(audit(detail={"what": object()}),)))
    assert await store.get(Wake, "w1") is None
    assert await store.get(Head, "acme") is None


async def test_a_value_of_the_wrong_type_fails_alone_before_anything_is_written(store: Store) -> None:
    with pytest.raises(msgspec.ValidationError):
        await store.commit(puts(wake("w1"), zone("1", generation="two")))
    assert await store.get(Wake, "w1") is None


async def test_a_parent_named_twice_in_refs_is_one_row(store: Store) -> None:
    twice = (Ref("host/1"), Ref("host/1"))
    await store.commit(puts(zone("1", refs=twice)))
    found = await store.get(Declared, "zone/1")
    assert found is not None
    assert found.refs == twice
