"""Faults: which requests go wrong, and how. Nothing goes wrong unless it is put here.

A fault names the requests it is for and is drawn request by request, by count or by seeded chance, so the
same seed and the same requests go wrong in the same way every time."""

import re
from collections import Counter
from random import Random
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta

FaultKind = Literal[
    "error",  # answers `status` before anything is done; 429 asks to be left alone for `seconds`
    "timeout_before",  # hangs for `seconds`, drops the connection, has done nothing
    "timeout_after",  # does it, hangs for `seconds`, drops the connection without a reply
    "missing_page",  # a list leaves out the items of page `page`; its totals stay honest
    "early_end",  # a list ends at page `page`: no next page; its total stays honest
    "repeated_page",  # a list shows the items of page `page` again where the next page should be
    "lag",  # objects younger than `seconds` are not in lists; with `direct`, not to be had by id either
    "slow",  # adds `seconds` before anything is done
    "failing_action",  # the action that a request starts ends as an error; a server is then left as it was
]
BEFORE: frozenset[FaultKind] = frozenset(("error", "timeout_before", "slow"))
AFTER: frozenset[FaultKind] = frozenset(("timeout_after",))
PAGES: frozenset[FaultKind] = frozenset(("missing_page", "early_end", "repeated_page"))
LAG: frozenset[FaultKind] = frozenset(("lag",))
ACTIONS: frozenset[FaultKind] = frozenset(("failing_action",))
FAULT_KINDS: frozenset[str] = frozenset(get_args(FaultKind))


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One way to go wrong. In `path`, below `/v1`, `*` is one segment and `**` any number of them."""

    kind: FaultKind
    method: str = "*"
    path: str = "**"
    times: Annotated[int, Meta(ge=1)] | None = None
    probability: Annotated[float, Meta(ge=0.0, le=1.0)] = 1.0
    seed: int = 0
    status: Annotated[int, Meta(ge=400, le=599)] = 503
    seconds: Annotated[float, Meta(ge=0.0)] = 1.0
    page: Annotated[int, Meta(ge=1)] = 1
    direct: bool = False


class Call(msgspec.Struct, frozen=True):
    """What a fault can tell requests apart by."""

    method: str
    path: str
    page: int = 1
    direct: bool = False


class Standing(msgspec.Struct, frozen=True):
    """A fault in force: its id, and how often it has struck."""

    id: int
    fault: Fault
    struck: int


class Faults:
    """All faults in force; also the tokens that are revoked."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._next_id = 1
        self._standing: dict[int, Standing] = {}
        self._chances: dict[int, Random] = {}
        self._struck: Counter[str] = Counter()
        self._revoked: set[str] = set()

    def add(self, fault: Fault) -> int:
        """Puts a fault in force until it is used up or removed; returns its id."""
        id_given = self._next_id
        self._next_id += 1
        self._standing[id_given] = Standing(id_given, fault, 0)
        # Chance must be reproducible, and not the same for two faults that share a seed.
        self._chances[id_given] = Random(f"{self._seed}/{fault.seed}/{id_given}")  # noqa: S311
        return id_given

    def remove(self, fault_id: int) -> None:
        self._standing.pop(fault_id, None)
        self._chances.pop(fault_id, None)

    def clear(self) -> None:
        """Ends every fault and restores every token."""
        self._standing.clear()
        self._chances.clear()
        self._revoked.clear()

    def revoke(self, token: str) -> None:
        self._revoked.add(token)

    def restore(self, token: str) -> None:
        self._revoked.discard(token)

    def is_revoked(self, token: str) -> bool:
        return token in self._revoked

    @property
    def standing(self) -> tuple[Standing, ...]:
        return tuple(self._standing.values())

    @property
    def struck(self) -> dict[str, int]:
        """How often each kind of fault has struck, those that are over included."""
        return dict(self._struck)

    def draw(self, call: Call, kinds: frozenset[FaultKind]) -> tuple[Fault, ...]:
        """The faults of these kinds that strike this request; each draw counts."""
        striking = [one for one in self.standing if one.fault.kind in kinds and applies(one.fault, call)]
        return tuple(one.fault for one in striking if self._strikes(one))

    def count(self, kind: str) -> None:
        """Counts a fault that is not drawn, such as a refused token."""
        self._struck[kind] += 1

    def _strikes(self, one: Standing) -> bool:
        # The chance is drawn even when it is certain: a changed probability moves no other draw.
        if self._chances[one.id].random() >= one.fault.probability:
            return False
        self.count(one.fault.kind)
        self._standing[one.id] = Standing(one.id, one.fault, one.struck + 1)
        if one.fault.times is not None and one.struck + 1 >= one.fault.times:
            self.remove(one.id)
        return True


def applies(fault: Fault, call: Call) -> bool:
    """Whether a fault is for this request at all."""
    if fault.method.upper() not in ("*", call.method):
        return False
    if not _pattern(fault.path).fullmatch(call.path):
        return False
    if fault.kind in PAGES:
        return call.page == struck_page(fault)
    return fault.kind not in LAG or fault.direct or not call.direct


def struck_page(fault: Fault) -> int:
    """The page whose request shows the fault: a repeated page is seen in place of the one after it."""
    return fault.page + 1 if fault.kind == "repeated_page" else fault.page


def _pattern(path: str) -> re.Pattern[str]:
    below = path.removeprefix("/v1")
    pieces = (_PIECES.get(piece, re.escape(piece)) for piece in re.split(r"(\*\*|\*)", below))
    return re.compile("".join(pieces))


_PIECES = {"**": ".*", "*": "[^/]*"}
