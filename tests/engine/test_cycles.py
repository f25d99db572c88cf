"""Cycles among references: found, each with its way, in time linear in the references."""

from hypothesis import given
from hypothesis import strategies as some

from setpoint.engine.draft import cycles
from setpoint.engine.entity import Ref

Edges = dict[Ref, tuple[Ref, ...]]
PLACES = [Ref(f"n/{number}") for number in range(8)]


@some.composite
def graphs(draw: some.DrawFn) -> Edges:
    return {place: tuple(draw(some.lists(some.sampled_from(PLACES), max_size=3))) for place in PLACES}


def on_a_cycle(start: Ref, edges: Edges) -> bool:
    seen, ahead = set[Ref](), list(edges[start])
    while ahead:
        here = ahead.pop()
        if here not in seen:
            seen.add(here)
            ahead += edges[here]
    return start in seen


@given(graphs())
def test_what_is_found_is_a_cycle_and_without_one_nothing_is_found(edges: Edges) -> None:
    found = list(cycles(edges))
    assert bool(found) == any(on_a_cycle(place, edges) for place in PLACES)
    for way in found:
        for here, following in zip(way, (*way[1:], way[0]), strict=True):
            assert following in edges[here]
    places = [place for way in found for place in way]
    assert len(places) == len(set(places))
    left = {
        place: tuple(p for p in edges[place] if p not in places) for place in PLACES if place not in places
    }
    assert not list(cycles(left))


class Counted(dict[Ref, tuple[Ref, ...]]):
    """Edges that count how often they are looked up."""

    looked = 0

    def __getitem__(self, key: Ref) -> tuple[Ref, ...]:
        self.looked += 1
        return super().__getitem__(key)


def test_each_place_is_left_once_however_many_depend_on_it() -> None:
    many = [Ref(f"n/{number}") for number in range(5_000)]
    edges = Counted({ref: tuple(many[max(0, at - 20) : at]) for at, ref in enumerate(many)})
    assert not list(cycles(edges))
    edges[many[0]] = (many[-1],)
    (way,) = cycles(edges)
    assert len(way) > 1
    assert edges.looked <= len(many)
