"""2. A listing proves that it is complete: every page once, and as many things as were announced."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.engine.errors import Transient
from setpoint.providers.hetzner import listing
from setpoint.providers.hetzner.listing import PAGE_SIZE, listed


class Pages:
    """A vendor's answers, page by page, as a test has bent them."""

    def __init__(self, things: int) -> None:
        whole = [{"id": n} for n in range(things)]
        self.pages = [whole[at : at + PAGE_SIZE] for at in range(0, max(1, things), PAGE_SIZE)]
        self.total = things

    def __len__(self) -> int:
        return len(self.pages)

    async def call(self, method: str, path: str, params: dict[str, str]) -> Any:
        number = int(params["page"])
        following = number + 1 if number < len(self.pages) else None
        paging = {"page": number, "next_page": following, "total_entries": self.total}
        return {"things": self.pages[number - 1], "meta": {"pagination": paging}}


async def found(pages: Pages) -> int:
    return len(await listed(pages, "/things", "things"))  # type: ignore[arg-type]


def drop(pages: Pages, place: int) -> None:
    del pages.pages[place]


def repeat(pages: Pages, place: int) -> None:
    pages.pages.insert(place, pages.pages[place])


def mirror(pages: Pages, place: int) -> None:
    """One page comes twice, and another not at all: the number of things is right."""
    pages.pages[place] = pages.pages[place - 1]


def shorten(pages: Pages, place: int) -> None:
    pages.pages[place] = pages.pages[place][:-1]


BENT = st.sampled_from([drop, repeat, mirror, shorten])


@given(st.integers(0, 500))
async def test_a_whole_listing_is_believed(things: int) -> None:
    assert await found(Pages(things)) == things


@given(things=st.integers(2 * PAGE_SIZE, 400), place=st.integers(0, 7), bend=BENT)
async def test_dropping_or_repeating_any_page_is_noticed(things: int, place: int, bend: Any) -> None:
    pages = Pages(things - things % PAGE_SIZE)
    bend(pages, place % len(pages))
    with pytest.raises(Transient, match="listing of things incomplete"):
        await found(pages)


async def test_removed_without_counting_a_page_that_came_twice_goes_unnoticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages = Pages(200)
    mirror(pages, 2)
    monkeypatch.setattr(listing, "_identity", id)
    pages.pages[2] = [dict(thing) for thing in pages.pages[2]]
    assert await found(pages) == 200
