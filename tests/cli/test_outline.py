"""Plans as text: causes instead of lines, deletes apart, summary first and last, never more than 30 lines."""

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.cli.changes import Change, Field, change_of, fields_of, grouped, natural
from setpoint.cli.outline import lines, outline_of
from setpoint.cli.prose import described_plan
from setpoint.cli.screen import Screen

AnyJson = Any


def screen(columns: str = "") -> Screen:
    return Screen(io.StringIO(), io.StringIO(), io.StringIO(), {"COLUMNS": columns})


def resize(number: int, size: str = "cx32") -> dict[str, AnyJson]:
    before, after = {"size": "cx22", "image": "x"}, {"size": size, "image": "x"}
    return {"verb": "update", "item": f"host/web-{number} server", "before": before, "after": after}


def text(plan: dict[str, AnyJson], columns: str = "", *, full: bool = False) -> list[str]:
    return lines(outline_of("Plan for acme", plan), screen(columns), full=full)


@pytest.mark.parametrize(
    ("state", "agreed", "said"),
    [
        ("held", 0, ""),
        ("approved", 10, ""),
        ("approved", 8, "8 of 10 items, 2 left out; the rest is asked about when that is done"),
        ("done", 1, "1 of 10 items, 9 left out"),
    ],
)
def test_a_plan_that_was_approved_in_part_says_how_much_of_it(state: str, agreed: int, said: str) -> None:
    plan = {"id": "p7", "kind": "dns_zone", "state": state, "asked_count": 10, "agreed_count": agreed}
    found = [line.split(None, 1)[1] for line in described_plan(plan, screen(), 0.0) if "approved " in line]
    assert found == ([said] if said else [])


def test_equal_changes_of_many_things_are_one_line() -> None:
    assert text({"actions": [resize(number) for number in range(1, 13)]}) == [
        "Plan for acme: 12 to change",
        "Changes",
        "  ~ 12 \N{MULTIPLICATION SIGN} host size cx22 → cx32  (web-1 … web-12)",
        "Plan for acme: 12 to change",
    ]


def test_deletes_come_first_and_guards_say_their_sentence() -> None:
    actions = [
        {"verb": "create", "item": "dns_zone/shop www/A", "after": {"values": ["192.0.2.1"], "ttl": 60}},
        {"verb": "delete", "item": "dns_zone/shop old/A", "before": {"values": ["192.0.2.9"]}},
        {"verb": "delete", "item": "dns_zone/shop older/A", "before": {}},
        {"verb": "replace", "item": "host/web-1 server", "before": {"image": "a"}, "after": {"image": "b"}},
    ]
    holds = [{"guard": "delete_budget", "message": "2 deletes of 3", "withholds": "deletes", "items": []}]
    assert text({"actions": actions, "holds": holds}) == [
        "Plan for acme: 1 to create, 3 to delete; held by delete_budget",
        "Deletes",
        "  - 2 \N{MULTIPLICATION SIGN} dns_zone shop  (old/A, older/A)",
        "  ± host web-1 server image a → b",
        "Changes",
        "  + dns_zone shop www/A values=192.0.2.1 ttl=60",
        "Held",
        "  ! delete_budget: 2 deletes of 3",
        "Plan for acme: 1 to create, 3 to delete; held by delete_budget",
    ]


def test_in_step_is_one_line() -> None:
    assert text({"actions": []}) == ["Plan for acme: in step, nothing to change"]


def test_a_held_plans_items_belong_to_its_object() -> None:
    plan = {"kind": "dns_zone", "name": "shop", "actions": [{"verb": "delete", "item": "a/A", "before": {}}]}
    assert "  - dns_zone shop a/A" in text(plan)


def test_what_the_server_could_not_work_out_is_said() -> None:
    plan = {"actions": [resize(1)], "note": "host/web-1: 1 to update; host/web-2: provider is not there"}
    assert "  ? host/web-2: provider is not there" in text(plan)


def test_full_lists_every_single_change() -> None:
    actions = [resize(number, f"size-{number}") for number in range(1000)]
    assert len(text({"actions": actions}, full=True)) == 1003


@pytest.mark.parametrize("columns", ["80", "120"])
def test_a_thousand_changes_of_every_sort_fit_into_thirty_lines(columns: str) -> None:
    updates = [resize(number, f"size-{number}") for number in range(400)]
    creates = [
        {"verb": "create", "item": f"kind-{n % 40}/thing-{n} x", "after": {"n": n}} for n in range(300)
    ]
    deletes = [{"verb": "delete", "item": f"kind-{n % 50}/old-{n} y/{n}", "before": {}} for n in range(300)]
    holds = [{"guard": f"guard-{n % 7}", "message": f"sentence {n}"} for n in range(100)]
    note = "; ".join(f"zone/z-{n}: cannot be read" for n in range(100))
    declared = [Change("update", f"kind-{n}", "x", fields=(Field("a", "1", str(n)),)) for n in range(50)]
    plan = {"actions": [*updates, *creates, *deletes], "holds": holds, "note": note}
    found = lines(outline_of("Plan", plan, declared), screen(columns))
    assert len(found) <= 30
    assert found[:2] == found[-2:]
    assert max(map(len, found)) <= int(columns)


def test_grouping_grows_coarser_only_as_far_as_it_must() -> None:
    changes = [change_of(resize(number, f"size-{number}"), "", "") for number in range(30)]
    assert [group.line for group in grouped(changes, 5)] == [
        "~ 30 \N{MULTIPLICATION SIGN} host size  (web-0 … web-29)"
    ]


verbs = st.sampled_from(["create", "update", "replace", "delete", "park"])
names = st.text("abc", min_size=1, max_size=2)
changes_ = st.builds(
    Change,
    verb=verbs,
    kind=names,
    name=names,
    item=st.sampled_from(["", "server", "a/A", "b/A"]),
    fields=st.lists(st.builds(Field, path=names, before=names, after=names), max_size=2).map(tuple),
)


@given(st.lists(changes_, max_size=60), st.integers(1, 10))
def test_every_change_is_in_exactly_one_group(changes: list[Change], most: int) -> None:
    groups = grouped(changes, most)
    assert sorted(map(repr, changes)) == sorted(repr(one) for group in groups for one in group.changes)
    assert all(len({change.destructive for change in group.changes}) == 1 for group in groups)


def test_a_changed_secret_is_said_to_have_changed_and_no_more() -> None:
    fields = fields_of("update", {"token": "old-hush", "a": 1}, {"token": "new-hush", "a": 1})
    assert [str(field) for field in fields] == ["token (hidden) (changed)"]
    assert "hush" not in repr(fields_of("create", None, {"api_token": "hush", "deep": {"password": "hush"}}))


def test_names_are_ordered_as_people_count() -> None:
    assert sorted(["web-10", "web-9", "web-1"], key=natural) == ["web-1", "web-9", "web-10"]
