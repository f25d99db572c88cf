"""The kinds the server has, found by whatever people call them."""

from collections.abc import Sequence
from dataclasses import dataclass

from setpoint.cli.exits import Stop
from setpoint.cli.suggest import did_you_mean
from setpoint.client.resource import Kind

ELSEWHERE = {
    "plan": "setpoint plan",
    "task": "setpoint tasks",
    "event": "setpoint events",
    "loop": "setpoint loops",
    "switch": "setpoint pause",
    "kind": "setpoint kinds",
    "pass": "setpoint passes",
    "guard": "setpoint explain guards",
    "limit": "setpoint explain limits",
}


@dataclass(frozen=True, slots=True)
class Selected:
    """A kind, and which of them; no names means all."""

    kind: Kind
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every kind there is."""

    kinds: tuple[Kind, ...]

    def find(self, word: str) -> Kind:
        """By name, plural, or the last word of either where only one kind has it: `zones` for dns_zones."""
        wanted = word.strip().lower().replace("-", "_")
        exact = [kind for kind in self.kinds if wanted in (kind.name, kind.plural)]
        short = [kind for kind in self.kinds if wanted in (_last(kind.name), _last(kind.plural))]
        if exact or len(short) == 1:
            return (exact or short)[0]
        raise _unknown(word, [word for kind in self.kinds for word in (kind.name, kind.plural)])

    def select(self, words: Sequence[str]) -> tuple[Selected, ...]:
        """`hosts`, `host web-1 web-2`, `host/web-1 zone/shop`, `hosts,zones`, `all`."""
        if not words:
            raise Stop("say which kind", next_steps=("setpoint kinds",))
        if any("/" in word for word in words):
            return tuple(self._slashed(word) for word in words)
        if words[0] == "all":
            return tuple(Selected(kind) for kind in self.kinds)
        kinds = [self.find(word) for word in words[0].split(",") if word]
        if len(kinds) > 1 and len(words) > 1:
            raise Stop("names go with one kind", next_steps=(f"setpoint get {kinds[0].name} {words[1]}",))
        return tuple(Selected(kind, tuple(words[1:])) for kind in kinds)

    def one(self, words: Sequence[str], verb: str) -> tuple[Kind, str]:
        """Exactly one object: `host web-1` or `host/web-1`."""
        chosen = self.select(words)
        if len(chosen) != 1 or len(chosen[0].names) != 1:
            raise Stop(f"{verb} needs a kind and a name", next_steps=(f"setpoint {verb} {_like(chosen)}",))
        return chosen[0].kind, chosen[0].names[0]

    def _slashed(self, word: str) -> Selected:
        kind, slash, name = word.partition("/")
        if not slash or not name:
            raise Stop(f"{word!r} is not KIND/NAME", next_steps=("for example: host/web-1",))
        return Selected(self.find(kind), (name,))


def _last(name: str) -> str:
    return name.rsplit("_", 1)[-1]


def _like(chosen: Sequence[Selected]) -> str:
    return f"{chosen[0].kind.name} NAME" if chosen else "KIND NAME"


def _unknown(word: str, known: Sequence[str]) -> Stop:
    singular = word.lower().removesuffix("s")
    elsewhere = ELSEWHERE.get(singular) or ELSEWHERE.get(singular.removesuffix("e"))
    if elsewhere:
        return Stop(f"{word} are not declared, so they are not a kind", next_steps=(elsewhere,))
    return Stop(f"there is no kind {word!r}", next_steps=(*did_you_mean(word, known), "setpoint kinds"))
