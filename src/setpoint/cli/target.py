"""One object and perhaps one item of it, from the words of a command line."""

from collections.abc import Sequence
from dataclasses import dataclass

from setpoint.cli.exits import Stop
from setpoint.cli.session import Session
from setpoint.client.resource import Kind, Object


@dataclass(frozen=True, slots=True)
class Target:
    """What is meant: an object, or one item inside it, such as a record of a zone."""

    kind: Kind
    found: Object
    item: str = ""

    @property
    def title(self) -> str:
        return f"{self.item} of {self.found.title}" if self.item else self.found.title


def target_of(session: Session, words: Sequence[str], verb: str) -> Target:
    """`dns_zone example-org`, `dns_zone/example-org`, each with an item after it or without."""
    named, items = parted(words)
    kind, name = session.catalogue.one(named, verb)
    if len(items) > 1:
        step = f"setpoint {verb} {kind.name} {name} {items[0]}"
        raise Stop(f"{verb} is about one item, not {len(items)}", next_steps=(step,))
    return Target(kind, session.object(kind, name), items[0] if items else "")


def parted(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The words that name the object, and the rest: an item may hold slashes too, as `www/A`."""
    count = 1 if words and "/" in words[0] else 2
    return words[:count], words[count:]
