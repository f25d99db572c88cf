"""Observing a service that lists what it holds as JSON over HTTP: every page of it, or an error."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from urllib.parse import quote

from setpoint.engine.errors import Missing, Rejected, Transient
from setpoint.engine.plan import ABSENT, Absence
from setpoint.loop.observers.fetch import Answer, AnyJson, fetch, shown
from setpoint.loop.observers.paging import LinkHeader, NextLink, Paging, Unpaged, at, pages


@dataclass(frozen=True, slots=True)
class HttpJson:
    """`observe = http_json(url, key="name")`: key -> the other fields of each item that the service lists.

    `items` is the dotted path to the list in the answer. `key` names a field of an item, by a dotted path
    too; empty: the items are an object whose names are the keys. `value` makes the value from a whole item,
    where the service adds fields of its own: `value=lambda item: {"on": item["on"]}`. `next_page` is the path
    of the link to the next page, "Link" for the header of that name, or a NextToken or PageNumber. `total` is
    the path of the number of all items: so many must come.
    """

    url: str
    _: KW_ONLY
    key: str
    items: str = ""
    value: Callable[[AnyJson], AnyJson] | None = None
    headers: Mapping[str, str] | None = None
    timeout: float = 10.0
    next_page: str | Paging | None = None
    total: str = ""

    def __call__(self, loop: object = None) -> dict[str, AnyJson]:
        """All of it, or raise. As a method of a loop it may be handed that loop, and does not need it."""
        found: dict[str, AnyJson] = {}
        promised: int | None = None
        listing = pages(self.url, self._paging(), self._ask, lambda answer: len(self._listed(answer)))
        for number, answer in enumerate(listing, start=1):
            promised = self._promised(answer, promised)
            for key, value in self._pairs(answer):
                if key in found:
                    raise _twice(answer, key, number)
                found[key] = value
        if promised is not None and promised != len(found):
            raise Transient(f"{shown(self.url)} says it holds {promised} items but listed {len(found)}")
        return found

    def one(self, url: str, item: str = "") -> "HttpItem":
        """`look = observe.one("https://…/flags/{key}")`: one item; `item` is its path in the answer."""
        return HttpItem(url, self, item)

    def valued(self, item: AnyJson) -> AnyJson:
        """What of an item is its value."""
        if self.value is not None:
            return self.value(item)
        if not self.key or not isinstance(item, dict):
            return item
        return {name: held for name, held in item.items() if name != self.key}

    def _ask(self, url: str) -> Answer:
        try:
            return fetch(url, self.headers, self.timeout)
        except Missing as error:
            raise Rejected(f"{error}: a listing that is not there is not an empty one") from error

    def _paging(self) -> Paging:
        match self.next_page:
            case None:
                # Where the names are keys, one of them may well be called `next`.
                return Unpaged(in_body=bool(self.key or self.items))
            case "Link":
                return LinkHeader()
            case str(path):
                return NextLink(path)
            case paging:
                return paging

    def _listed(self, answer: Answer) -> list[AnyJson] | dict[str, AnyJson]:
        listed = at(answer.body, self.items)
        expected = list if self.key else dict
        if isinstance(listed, expected):
            return listed
        where = f"{self.items} in the answer of " if self.items else "the answer of "
        wanted = "a list" if self.key else "an object (key is empty)"
        raise Rejected(f"{where}{shown(answer.url)} should be {wanted}; it is {_sort(listed)}")

    def _pairs(self, answer: Answer) -> Iterator[tuple[str, AnyJson]]:
        listed = self._listed(answer)
        if isinstance(listed, dict):
            yield from ((name, self.valued(item)) for name, item in listed.items())
            return
        for item in listed:
            key = at(item, self.key)
            if isinstance(key, bool) or not isinstance(key, str | int) or key == "":
                raise Rejected(f"an item of {shown(answer.url)} has {self.key} = {key!r}: not a key")
            yield str(key), self.valued(item)

    def _promised(self, answer: Answer, before: int | None) -> int | None:
        if not self.total:
            return None
        total = at(answer.body, self.total)
        if not isinstance(total, int) or isinstance(total, bool):
            raise Rejected(f"{self.total} of {shown(answer.url)} should be a number; it is {_sort(total)}")
        if before not in (None, total):
            raise Transient(f"{shown(answer.url)} changed while it was read: {before} items, then {total}")
        return total


@dataclass(frozen=True, slots=True)
class HttpItem:
    """One item, directly: its value, or ABSENT where the service answers 404."""

    url: str
    listing: HttpJson
    item: str = ""

    def __call__(self, key: str) -> AnyJson | Absence:
        url = self.url.replace("{key}", quote(key, safe=""))
        try:
            answer = fetch(url, self.listing.headers, self.listing.timeout)
        except Missing:
            return ABSENT
        found = at(answer.body, self.item)
        if not isinstance(found, dict) and self.listing.key:
            raise Rejected(f"{shown(url)} should answer with one item; it is {_sort(found)}")
        said = at(found, self.listing.key) if self.listing.key else key
        if str(said) != key:
            raise Rejected(f"{shown(url)} answers with {self.listing.key} = {said!r}, asked about {key!r}")
        return self.listing.valued(found)


def _twice(answer: Answer, key: str, page: int) -> Exception:
    if page == 1:
        return Rejected(f"{shown(answer.url)} lists {key!r} twice")
    # Somebody wrote while we read: pages moved, and what came twice pushed something else out.
    return Transient(
        f"{shown(answer.url)} lists {key!r}, which was on an earlier page: pages moved meanwhile"
    )


def _sort(value: AnyJson) -> str:
    names = {dict: "an object", list: "a list", str: "text", type(None): "missing or null"}
    return names.get(type(value), repr(value))
