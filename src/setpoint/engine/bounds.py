"""How much one request and one object may hold: every bound as one table.

Limits of the guards, which ask a person, are in `limits.py`. These refuse, with the number that was found and
the bound. What was stored before there was a bound still opens; it is held to it when it is written again.
"""

from collections.abc import Iterator, Mapping
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
FILTER_LENGTH: Final = Bound("filter_length", 1_000, "characters of a filter")
FILTER_DEPTH: Final = Bound("filter_depth", 20, "levels of nesting in a filter")
BOUNDS: Final = (
    *(LABELS, LABEL_KEY, LABEL_VALUE, OBJECT_BYTES, ROLE_NAMES, MEMBER_RULES, RULE_WORDS),
    *(BODY_ITEMS, BODY_DEPTH, MISTAKES, FILTER_LENGTH, FILTER_DEPTH),
)


def label_mistakes(labels: Mapping[str, AnyJson]) -> Iterator[Said]:
    """One that is too long is named by its key; that there are too many is said once."""
    if len(labels) > LABELS.most:
        yield "", f"{len(labels)} labels; an object has at most {LABELS.most}"
        return
    for key, value in labels.items():
        for bound, text, what in ((LABEL_KEY, key, "key"), (LABEL_VALUE, value, "value")):
            size = len(text.encode(errors="replace")) if isinstance(text, str) else 0
            if size > bound.most:
                at = key[:64].replace("~", "~0").replace("/", "~1")
                yield f"/{at}", f"the {what} of this label has {size} bytes; at most {bound.most} fit"


def size_mistakes(spec: AnyJson, labels: AnyJson) -> Iterator[Said]:
    size = len(json.encode(spec)) + len(json.encode(labels))
    if size > OBJECT_BYTES.most:
        cure = "declare several smaller ones"
        yield "", f"{size} bytes as JSON; an object has at most {OBJECT_BYTES.most}: {cure}"
