"""Order inside a domain: at no moment is something there without what it needs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setpoint.engine.errors import Rejected, Transient
from setpoint.engine.guards import judge
from setpoint.engine.ledger import Protection, item_key
from setpoint.engine.plan import Action, Verb, arranged

from .graphs import ITEMS, Graph, closed, graphs
from .plant import SHOP, Plant
from .situations import act, case


def action(verb: Verb, item: str) -> Action:
    after = None if verb in (Verb.DELETE, Verb.PARK) else 1
    return Action(verb=verb, item=item, before=None if verb is Verb.CREATE else 1, after=after)


def order_of(needs: Graph, *actions: Action) -> str:
    return "".join(each.item for each in arranged(actions, needs))


CREATES = [action(Verb.CREATE, item) for item in "abc"]
DELETES = [action(Verb.DELETE, item) for item in "abc"]


@pytest.mark.parametrize(
    ("needs", "built", "removed"),
    [
        ({}, "abc", "abc"),
        ({"a": ("c",)}, "cab", "abc"),
        ({"a": ("b",), "b": ("c",)}, "cba", "abc"),
        ({"c": ("a",)}, "abc", "cab"),
        ({"a": ("x",)}, "abc", "abc"),
        ({"a": ("b", "c")}, "cba", "abc"),
    ],
)
def test_what_others_need_is_made_first_and_goes_last(needs: Graph, built: str, removed: str) -> None:
    assert order_of(needs, *CREATES) == built
    assert order_of(needs, *DELETES) == removed


@pytest.mark.parametrize(
    "needs", [{"a": ("a",)}, {"a": ("b",), "b": ("a",)}, {"a": ("b",), "b": ("c",), "c": ("a",)}]
)
def test_a_circle_is_walked_once(needs: Graph) -> None:
    assert sorted(order_of(needs, *CREATES)) == ["a", "b", "c"]


def test_a_long_chain_is_no_trouble() -> None:
    needs = {f"{n:05d}": (f"{n + 1:05d}",) for n in range(20_000)}
    chain = [action(Verb.CREATE, f"{n:05d}") for n in range(20_000)]
    assert arranged(chain, needs) == tuple(reversed(chain))


def test_what_comes_back_is_there_before_what_needs_it() -> None:
    plan = (action(Verb.CREATE, "a"), action(Verb.UNPARK, "b"))
    assert [each.item for each in judge(case(plan, needs={"a": ("b",)}, wave=1)).allowed] == ["b", "a"]
    assert [each.item for each in judge(case(plan, needs={"b": ("a",)}, wave=1)).allowed] == ["a", "b"]


@pytest.mark.parametrize("verb", [Verb.CREATE, Verb.UNPARK])
def test_what_needs_something_that_is_withheld_is_withheld_with_it(verb: Verb) -> None:
    plan = (action(Verb.CREATE, "a"), action(Verb.CREATE, "b"), action(verb, "c"), action(Verb.CREATE, "d"))
    asleep = act("c", verb, state="unknown")
    verdict = judge(case(plan, needs={"a": ("b",), "b": ("c",)}, recent=(asleep,), wave=9))
    assert [each.item for each in verdict.allowed] == ["d"]


def test_what_others_need_is_made_although_they_are_withheld() -> None:
    plan = (action(Verb.CREATE, "a"), action(Verb.CREATE, "b"))
    asleep = act("a", Verb.CREATE, state="unknown")
    assert [each.item for each in judge(case(plan, needs={"a": ("b",)}, recent=(asleep,))).allowed] == ["b"]


def test_what_needs_something_protected_may_go() -> None:
    judged = case(tuple(DELETES[:2]), needs={"a": ("b",)}, protected=frozenset("b"), actual=30, desired=28)
    assert [each.item for each in judge(judged).allowed] == ["a"]


def test_what_is_needed_by_something_protected_stays() -> None:
    plan = tuple(DELETES)
    judged = case(plan, needs={"a": ("b",), "b": ("c",)}, protected=frozenset("b"), actual=30, desired=27)
    assert [each.item for each in judge(judged).allowed] == ["a"]


@pytest.mark.parametrize("verb", [Verb.DELETE, Verb.PARK])
def test_what_something_that_stays_needs_is_not_taken_away_and_says_so(verb: Verb) -> None:
    plan = (action(verb, "b"), action(verb, "c"))
    verdict = judge(case(plan, needs={"a": ("b",)}))
    assert [each.item for each in verdict.allowed] == ["c"]
    assert verdict.holds[0].message == "still needed by what stays: b"


def test_what_is_replaced_is_still_there_for_whoever_needs_it() -> None:
    plan = (action(Verb.REPLACE, "b"),)
    assert judge(case(plan, needs={"a": ("b",)})).allowed == plan


def test_what_is_made_and_what_is_needed_may_both_wait() -> None:
    plan = (action(Verb.CREATE, "x"), action(Verb.DELETE, "b"))
    hold = judge(case(plan, needs={"a": ("b",)}, waits_for="zone z")).holds[0]
    assert (hold.message, hold.items) == ("waiting for zone z; still needed by what stays: b", ("b", "x"))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Graph, set[str], set[str], dict[str, list[Exception]], set[str]]:
    needs = draw(graphs())
    some = st.sets(st.sampled_from(ITEMS))
    found, wanted = closed(draw(some), needs), draw(some)
    wanted = closed(wanted, needs) - (found if draw(st.booleans()) else set()) | wanted
    errors = st.lists(
        st.sampled_from([Rejected("no"), Transient("late", landed=True), Transient("lost")]), max_size=3
    )
    return needs, found, wanted, draw(st.dictionaries(st.sampled_from(ITEMS), errors)), draw(some)


@settings(max_examples=40)
@given(worlds(), st.sampled_from(["shelf", "stack"]))
async def test_whatever_fails_or_is_withheld_nothing_is_there_without_what_it_needs(
    world: tuple[Graph, set[str], set[str], dict[str, list[Exception]], set[str]], kind: str
) -> None:
    needs, found, wanted, errors, protected = world
    plant = await Plant().start()
    ref = (await plant.declare(kind, "novels", scope=SHOP, books=dict.fromkeys(sorted(wanted), 1))).ref
    plant.loop.found, plant.loop.answers = dict.fromkeys(found, 1), errors
    await plant.proven(ref)
    plant.loop.say = {"needs": needs}
    await plant.put(*(guarded(ref, item) for item in protected & found))

    async def whole() -> None:
        there = plant.loop.found.keys()
        assert {item for item in there for need in needs.get(item, ()) if need not in there} == set()

    plant.loop.while_acting = whole
    for _ in range(10):
        await plant.run(ref)
        await whole()
        plant.runtime.pass_by(40.0)


def guarded(ref: str, item: str) -> Protection:
    return Protection(key=item_key(ref, item), domain=ref, item=item, by="ann", reason="dear", since=0.0)


@settings(max_examples=20)
@given(graphs(), st.sets(st.sampled_from(ITEMS)))
async def test_where_nothing_is_in_the_way_everything_is_built_in_the_end(
    needs: Graph, wanted: set[str]
) -> None:
    plant = await Plant().start()
    wanted = closed(wanted, needs)
    ref = await plant.shelf(dict.fromkeys(sorted(wanted), 1), found={})
    plant.loop.say = {"needs": needs}
    await plant.calm(ref)
    assert plant.loop.found.keys() == wanted


async def test_side_by_side_what_needs_another_waits_for_it(plant: Plant) -> None:
    row = await plant.declare("stack", "pile", books=dict.fromkeys("abcd", 1))
    plant.loop.say = {"needs": {"b": ("a",), "d": ("c",)}}
    await plant.calm(row.ref)
    assert [each.item for each in plant.loop.acts] == ["a", "b", "c", "d"]
