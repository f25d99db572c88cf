"""Lists as the API gives them: filtered, sorted, cut into pages; and, when told to, wrong."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import msgspec
from starlette.datastructures import QueryParams

from setpoint.sim.hetzner.faults import Fault
from setpoint.sim.hetzner.labels import Labels
from setpoint.sim.hetzner.refusal import Mistake, invalid_input
from setpoint.sim.hetzner.selector import Selector, parse, selects

MOST_PER_PAGE = 50
T = TypeVar("T")


@dataclass(frozen=True)
class Listing(Generic[T]):
    """What can be asked of a list of one resource."""

    key: str
    show: Callable[[T], object]
    sortable: Mapping[str, Callable[[T], Any]] = field(default_factory=dict)
    filters: Mapping[str, Callable[[T], str]] = field(default_factory=dict)
    labels: Callable[[T], Labels] | None = None
    created: Callable[[T], float] | None = None


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What a request asks of a list."""

    page: int
    per_page: int
    sort: tuple[tuple[str, bool], ...] = ()  # field, descending
    wanted: Mapping[str, frozenset[str]] = {}
    selector: Selector = ()


class Pagination(msgspec.Struct, frozen=True, kw_only=True):
    page: int
    per_page: int
    previous_page: int | None
    next_page: int | None
    last_page: int | None
    total_entries: int | None


def asked(params: QueryParams, listing: Listing[T], page_size: int) -> Asked:
    """Reads the question; refuses it with every mistake that is in it."""
    mistakes: list[Mistake] = []
    result = Asked(
        page=_positive(params, "page", 1, mistakes),
        per_page=min(MOST_PER_PAGE, _positive(params, "per_page", page_size, mistakes)),
        sort=_orders(params, listing.sortable, mistakes),
        wanted={name: frozenset(params.getlist(name)) for name in listing.filters if name in params},
        selector=_selector(params.get("label_selector", ""), mistakes),
    )
    if mistakes:
        raise invalid_input(mistakes)
    return result


def chosen(items: Sequence[T], question: Asked, listing: Listing[T]) -> list[T]:
    """The items that were asked for, in the order that was asked for."""
    found = list(items)
    if question.wanted or question.selector:
        found = [item for item in items if _wanted(item, question, listing)]
    # Sorting is stable: the last key first gives the first key the last word.
    for name, descending in reversed(question.sort):
        found.sort(key=listing.sortable[name], reverse=descending)
    return found


def cut(items: Sequence[T], question: Asked) -> tuple[Sequence[T], Pagination]:
    """One page of the items, and where it stands among the others."""
    last = max(1, math.ceil(len(items) / question.per_page))
    start = (question.page - 1) * question.per_page
    return items[start : start + question.per_page], Pagination(
        page=question.page,
        per_page=question.per_page,
        previous_page=question.page - 1 if question.page > 1 else None,
        next_page=question.page + 1 if question.page < last else None,
        last_page=last,
        total_entries=len(items),
    )


def shown(items: Sequence[T], question: Asked, fault: Fault | None) -> tuple[Sequence[T], Pagination]:
    """The page as a fault shows it, if there is one: the numbers that a careful reader checks stay honest."""
    page, pagination = cut(items, question)
    match fault.kind if fault is not None else None:
        case "missing_page":
            return (), pagination
        case "early_end":
            return page, msgspec.structs.replace(pagination, next_page=None)
        case "repeated_page":
            again, _ = cut(items, msgspec.structs.replace(question, page=question.page - 1))
            return again, pagination
        case _:
            return page, pagination


def _wanted(item: T, question: Asked, listing: Listing[T]) -> bool:
    if any(listing.filters[name](item) not in values for name, values in question.wanted.items()):
        return False
    return listing.labels is None or selects(question.selector, listing.labels(item))


def _positive(params: QueryParams, name: str, default: int, mistakes: list[Mistake]) -> int:
    text = params.get(name)
    if text is None:
        return default
    if not text.isdecimal() or int(text) < 1:
        mistakes.append((name, f"must be a number from 1, it is {text!r}"))
        return default
    return int(text)


def _orders(
    params: QueryParams, sortable: Mapping[str, object], mistakes: list[Mistake]
) -> tuple[tuple[str, bool], ...]:
    # A list that cannot be sorted does not know the parameter, and the API ignores what it does not know.
    return tuple(_order(text, sortable, mistakes) for text in params.getlist("sort")) if sortable else ()


def _order(text: str, sortable: Mapping[str, object], mistakes: list[Mistake]) -> tuple[str, bool]:
    name, _, direction = text.partition(":")
    if name not in sortable or direction not in ("", "asc", "desc"):
        mistakes.append(("sort", f"{text!r} is not one of {', '.join(sortable)} with :asc or :desc"))
    return name, direction == "desc"


def _selector(text: str, mistakes: list[Mistake]) -> Selector:
    try:
        return parse(text)
    except ValueError as error:
        mistakes.append(("label_selector", str(error)))
        return ()
