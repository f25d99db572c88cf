"""Who needs whom, for hypothesis: graphs without a circle, whatever the names."""

from hypothesis import strategies as st

ITEMS = "abcdefgh"
Graph = dict[str, tuple[str, ...]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    names = draw(st.permutations(ITEMS))
    chosen = {
        name: tuple(draw(st.sets(st.sampled_from(names[:place]), max_size=3))) if place else ()
        for place, name in enumerate(names)
    }
    return {name: needs for name, needs in chosen.items() if needs}


def closed(items: set[str], needs: Graph) -> set[str]:
    """These items and all that they need."""
    while more := {need for item in items for need in needs.get(item, ())} - items:
        items |= more
    return items
