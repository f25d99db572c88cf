"""How much one request and one object may hold: every bound as one table.

Limits of the guards, which ask a person, are in `limits.py`. These refuse, with the number that was found and
the bound. What was stored before there was a bound still opens; it is held to it when it is written again.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct, json

from setpoint.engine.entity import AnyJson

Said = tuple[str, str]
"""Where in an object, as a JSON pointer, and what is wrong there."""


class Bound(Struct, frozen=True):
    """At most so many; of what, as the documentation says it."""

    name: str
    most: int
    about: str


LABELS: Final = Bound("labels", 64, "labels of one object")
LABEL_KEY: Final = Bound("label_key", 128, "bytes in the key of a label")
LABEL_VALUE: Final = Bound("label_value", 256, "bytes in the value of a label")
OBJECT_BYTES: Final = Bound("object_bytes", 65_536, "bytes of one object, its spec and labels as JSON")
ROLE_NAMES: Final = Bound("role_names", 1_000, "names of objects in all rules of one role")
MEMBER_RULES: Final = Bound("member_rules", 500, "rules in all roles of one membership together")
RULE_WORDS: Final = Bound("rule_words", 100, "keys and verbs in one rule of a role")
BODY_ITEMS: Final = Bound("body_items", 10_000, "entries in one list or object of the body of a request")
BODY_DEPTH: Final = Bound("body_depth", 64, "levels of nesting in the body of a request")
MISTAKES: Final = Bound("mistakes", 1_000, "mistakes listed in one answer; its detail counts all")
OWNER: Final = Bound("owner", 255, "bytes in the owner of declarations, which is the name of a file")
REASON: Final = Bound("reason", 2_000, "bytes in the reason for what a person decides")
ABOUT: Final = Bound("about", 500, "bytes in what a token is said to be for")
TEXT: Final = Bound("text", 4_096, "bytes in any other text of a request, and in the name of a field")
FILTER_LENGTH: Final = Bound("filter_length", 1_000, "characters of a filter")
FILTER_DEPTH: Final = Bound("filter_depth", 20, "levels of nesting in a filter")
SECRETS: Final = Bound("secrets", 1_000, "secrets of one organization")
DRY_RUNS: Final = Bound(
    "dry_runs", 100, "dry runs of one organization that wait; and so many answers, of which the oldest go"
)
BOUNDS: Final = (
    *(LABELS, LABEL_KEY, LABEL_VALUE, OBJECT_BYTES, ROLE_NAMES, MEMBER_RULES, RULE_WORDS),
    *(BODY_ITEMS, BODY_DEPTH, MISTAKES, OWNER, REASON, ABOUT, TEXT, FILTER_LENGTH, FILTER_DEPTH),
    *(SECRETS, DRY_RUNS),
)
TEXTS: Final = {"/owner": OWNER, "/reason": REASON, "/about": ABOUT}
"""Texts of a request with a bound of their own: they are copied into rows, events and lines of audit."""
SHORT: Final = 63
"""So many letters fit everywhere, however they are written in bytes."""
ELSEWHERE: Final = re.compile(r"((/items/\d+)?/(spec|metadata/labels)|/facts)\Z")
"""What of a request is held to bounds as an object, or cut to them as what an agent tells of its host."""


def label_mistakes(labels: Mapping[str, AnyJson]) -> Iterator[Said]:
    """One that is too long is named by its key; that there are too many is said once."""
    if len(labels) > LABELS.most:
        yield "", f"{len(labels)} labels; an object has at most {LABELS.most}"
        return
    for key, value in labels.items():
        for bound, text, what in ((LABEL_KEY, key, "key"), (LABEL_VALUE, value, "value")):
            size = _bytes_in(text) if isinstance(text, str) else 0
            if size > bound.most:
                yield f"/{_step(key)}", f"the {what} of this label has {size} bytes; at most {bound.most} fit"


def size_mistakes(spec: AnyJson, labels: AnyJson) -> Iterator[Said]:
    size = len(json.encode(spec)) + len(json.encode(labels))
    if size > OBJECT_BYTES.most:
        cure = "declare several smaller ones"
        yield "", f"{size} bytes as JSON; an object has at most {OBJECT_BYTES.most}: {cure}"


def text_mistakes(body: AnyJson, opaque: Container[str] = (), at: str = "") -> Iterator[Said]:
    """Every text of a request that is too long, outside specs, labels, facts and fields that are `opaque`."""
    if isinstance(body, str):
        bound = TEXTS.get(at, TEXT)
        if (size := _bytes_in(body)) > bound.most:
            yield at, f"{at[1:] or 'the body'} has {size} bytes; at most {bound.most} fit"
        return
    for key, value in _inside(body):
        if isinstance(key, str) and len(key) > SHORT and (size := _bytes_in(key)) > TEXT.most:
            yield f"{at}/{_step(key)}", f"the name of this field has {size} bytes; at most {TEXT.most} fit"
        # Hardly anything is long or holds more: all else is passed without writing down where it is.
        if isinstance(value, dict | list) or (isinstance(value, str) and len(value) > SHORT):
            place = f"{at}/{_step(key) if isinstance(key, str) else key}"
            if key not in opaque and not (key in ("spec", "labels", "facts") and ELSEWHERE.match(place)):
                yield from text_mistakes(value, opaque, place)


def _inside(value: AnyJson) -> Iterable[tuple[str | int, AnyJson]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def _bytes_in(text: str) -> int:
    return len(text.encode(errors="replace"))


def _step(key: str) -> str:
    """A key as one step of a JSON pointer, cut where it is far too long."""
    return key[:64].replace("~", "~0").replace("/", "~1")
