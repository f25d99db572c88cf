"""The orders that lists have, and the tokens by which a page goes on in one of them."""

import base64
import binascii
import math
from typing import Final

import msgspec
from msgspec import Struct

from setpoint.engine.entity import Declared
from setpoint.engine.errors import Mistake
from setpoint.engine.store import (
    BY_CHANGED,
    BY_CHANGED_DOWN,
    BY_CREATED,
    BY_CREATED_DOWN,
    BY_NAME,
    BY_NAME_DOWN,
)

LAST: Final = "\U0010ffff"
"""Comes after any text there is."""
WALKS: Final = {
    ("created", False): BY_CREATED,
    ("created", True): BY_CREATED_DOWN,
    ("name", False): BY_NAME,
    ("name", True): BY_NAME_DOWN,
    ("changed", False): BY_CHANGED,
    ("changed", True): BY_CHANGED_DOWN,
}
ORDERS: Final = tuple(dict.fromkeys(by for by, _ in WALKS))
Mark = tuple[str | float, str]
"""Where a page ended: what it is sorted by, and the ref."""


class Order(Struct, frozen=True):
    by: str = "created"
    down: bool = False

    @property
    def plain(self) -> bool:
        """Refs rise in the order in which they are made."""
        return self.by == "created" and not self.down

    @property
    def start(self) -> Mark:
        """Before the first one."""
        if not self.down:
            return (0.0 if self.by == "changed" else "", "")
        return (math.inf if self.by == "changed" else LAST, LAST)

    def mark(self, row: Declared) -> Mark:
        match self.by:
            case "name":
                return (row.name, row.ref)
            case "changed":
                return (row.changed_at, row.ref)
            case _:
                return ("", row.ref)


def read_order(text: str) -> tuple[Order, tuple[Mistake, ...]]:
    by, _, way = text.strip().partition(" ")
    down = way.strip() == "desc" or by.startswith("-")
    by = by.removeprefix("-")
    if by not in ORDERS or way.strip() not in ("", "asc", "desc"):
        message = f"order_by is one of {', '.join(ORDERS)}, each also with desc after it, not {text[:64]!r}"
        return Order(), (Mistake(pointer="", code="bad_parameter", message=message),)
    return Order(by, down), ()


def token_of(order: Order, mark: Mark) -> str:
    raw = msgspec.json.encode([order.by, order.down, *mark])
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def read_mark(token: str, order: Order) -> tuple[Mark | None, tuple[Mistake, ...]]:
    """Where the page before ended; a token goes on in its own order only."""
    if not token:
        return None, ()
    try:
        raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        by, down, value, ref = msgspec.json.decode(raw, type=tuple[str, bool, str | float, str])
    except (binascii.Error, msgspec.MsgspecError, ValueError):
        by, down, value, ref = "", False, "", ""
    if (by, down) != (order.by, order.down) or isinstance(value, float) != (by == "changed"):
        message = "page_token is not one of this list in this order; begin again without it"
        return None, (Mistake(pointer="", code="bad_parameter", message=message),)
    return (value, ref), ()
