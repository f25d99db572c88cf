"""What somebody writes to guard a loop: desired, observe, put, delete; and every mistake in it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from msgspec import Struct, ValidationError, convert

from setpoint.engine.errors import Mistake, Rejected
from setpoint.engine.limits import Limits

AnyValue = Any


class Keyed:
    """A set of keyed things somewhere, held at what is desired. One loop judges all of them together.

    Write `desired`, `observe`, `delete`, and `put` or both of `create` and `update`. Methods may be `async
    def` or plain `def`; a plain one runs in a thread of its own. Values may be dicts, dataclasses, msgspec
    Structs, attrs classes, pydantic models or anything JSON can say.

    Limits are class attributes under the names of `setpoint.engine.limits.Limits`: `deletes_share = 0.05`.
    """

    every: ClassVar[str | float] = "60s"
    """How often to look: seconds, or text such as `30s`, `5m`, `2h`, `1d`."""
    deadline: ClassVar[str | float] = "15s"
    """How long one call may take. Where a loop does not set it, `observe` and `desired` may take a minute."""
    observe_deadline: ClassVar[str | float | None] = None
    """How long one call of `observe`, `desired` or `changes` may take; None: the `deadline` that was set."""
    settles_in: ClassVar[str | float] = 0.0
    """How long after its deadline a call may still land, or its effect stay unseen."""
    at_once: ClassVar[int] = 1
    """How many creates and updates may be under way side by side."""
    weight: ClassVar[int] = 1
    """How much goes when one item goes, compared with the items of other loops."""

    notify: ClassVar[str | Sequence[str] | None] = None
    """Who is told when it becomes HELD, DEGRADED or FAILED, and when it is READY again: a command, the URL of
    a webhook, or any Apprise URL; several in a list."""

    # What must be written:
    #   desired() -> mapping key -> value
    #   observe() -> mapping key -> value, or an iterable of pairs; all of it, or raise
    #   put(key, value), or create(key, value) and update(key, value)
    #   delete(key): it may be gone already
    # What may be written:
    #   look(key) -> value | ABSENT | UNKNOWN      directly; default: observe again
    #   mine(key, value) -> bool                   what of the observation is ours; default: all
    #   group(key, value) -> str                   a group that is wholly gone holds the plan
    #   needs(key, value) -> keys                  what must be there first and go last
    #   park(key, value), unpark(key, value)       two-phase delete
    #   changes() -> mapping key -> value | ABSENT, or None   what differs since the last call, instead of
    #                                              observing everything; None: observe everything

    @classmethod
    def name(cls) -> str:
        """What this loop is called in commands and on pages."""
        return cls.__name__

    def desired(self) -> Mapping[str, AnyValue] | Any:
        """What should be."""
        raise NotImplementedError

    def observe(self) -> Mapping[str, AnyValue] | Any:
        """What is: all of it, or raise."""
        raise NotImplementedError

    def delete(self, key: str) -> Any:
        """Take this one away; it may be gone already."""
        raise NotImplementedError


class Terms(Struct, frozen=True):
    """What a loop says about itself besides its methods, checked."""

    name: str
    every: float
    deadline: float
    observe_deadline: float
    settles_in: float
    at_once: int
    weight: int
    limits: Limits

    @property
    def kind(self) -> str:
        """What the engine calls this sort of thing."""
        return self.name.lower()


PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    "desired": (),
    "observe": (),
    "put": ("key", "value"),
    "create": ("key", "value"),
    "update": ("key", "value"),
    "delete": ("key",),
    "look": ("key",),
    "mine": ("key", "value"),
    "group": ("key", "value"),
    "needs": ("key", "value"),
    "park": ("key", "value"),
    "unpark": ("key", "value"),
    "changes": (),
}
"""Every method that a loop may have, and what it is called with."""
SORTING: Final = ("mine", "group", "needs")
"""Short questions about one item, asked of all of them in a row."""
LIMITS: Final = frozenset(Limits.__struct_fields__)
OBSERVE_SECONDS: Final = 60.0
"""How long `observe` and `desired` may take each, where neither `deadline` nor `observe_deadline` is set."""
OPTIONS: Final = ("every", "deadline", "observe_deadline", "settles_in", "at_once", "weight", "notify")
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,62}")
_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION: Final = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ms|s|m|h|d)?\s*")
_NEAR: Final = 0.84  # As close as `delete_share` is to `deletes_share`; `port` is close to nothing.


def seconds(value: object) -> float:
    """A length of time in seconds, from a number or from text such as `30s`; or ValueError."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    found = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"{value!r} is not a length of time; write seconds, or text such as 30s, 5m, 2h, 1d")
    return float(found[1]) * _UNITS[found[2] or "s"]


def checked(loop: Keyed) -> Terms:
    """What it says about itself, or one Rejected that lists every mistake in it."""
    found = _Reading(loop)
    mistakes = tuple(found.mistakes())
    if mistakes:
        many = f"{len(mistakes)} mistakes" if len(mistakes) > 1 else "a mistake"
        raise Rejected(f"loop {type(loop).__name__} has {many}: {'; '.join(mistakes)}", _listed(mistakes))
    return found.terms()


def defines(loop: Keyed, method: str) -> bool:
    """Whether its author wrote this method."""
    own = getattr(loop, "__dict__", {})
    return method in own or getattr(type(loop), method, None) is not getattr(Keyed, method, None)


def _observe_seconds(loop: Keyed) -> float:
    """Its own setting, else the deadline that its author set, else long enough for a long listing."""
    if loop.observe_deadline is not None:
        return seconds(loop.observe_deadline)
    written = [getattr(loop, "__dict__", {}), *(vars(cls) for cls in type(loop).__mro__ if cls is not Keyed)]
    return seconds(loop.deadline) if any("deadline" in each for each in written) else OBSERVE_SECONDS


def _listed(mistakes: Iterable[str]) -> tuple[Mistake, ...]:
    return tuple(Mistake(pointer="", code="loop", message=each) for each in mistakes)


class _Reading:
    """One loop, read for its terms and its mistakes."""

    def __init__(self, loop: Keyed) -> None:
        self.loop, self.cls = loop, type(loop)
        self.limits = {name: getattr(loop, name) for name in sorted(LIMITS) if hasattr(loop, name)}

    def terms(self) -> Terms:
        loop = self.loop
        return Terms(
            name=loop.name(),
            every=seconds(loop.every),
            deadline=seconds(loop.deadline),
            observe_deadline=_observe_seconds(loop),
            settles_in=seconds(loop.settles_in),
            at_once=loop.at_once,
            weight=loop.weight,
            limits=convert(self.limits, Limits),
        )

    def mistakes(self) -> Iterator[str]:
        yield from self._name()
        yield from self._missing()
        yield from self._methods()
        yield from self._options()
        yield from self._limits()
        yield from self._misspelt()

    def _name(self) -> Iterator[str]:
        name: object = self.loop.name()
        if not isinstance(name, str) or not _WORD.fullmatch(name):
            yield f"its name {name!r} is not a word; use letters, digits, - and _, beginning with a letter"

    def _missing(self) -> Iterator[str]:
        for method in ("desired", "observe", "delete"):
            if not defines(self.loop, method):
                yield f"{method}({', '.join(PARAMETERS[method])}) is missing" + self._instead(method)
        if not defines(self.loop, "put"):
            lacks = [each for each in ("create", "update") if not defines(self.loop, each)]
            if len(lacks) == len(("create", "update")):
                yield "put(key, value) is missing, or create and update instead of it" + self._instead("put")
            elif lacks:
                yield f"{lacks[0]}(key, value) is missing: write both of create and update, or put"
        for one, other in (("park", "unpark"), ("unpark", "park")):
            if defines(self.loop, one) and not defines(self.loop, other):
                yield f"{one} without {other}: what is parked must be able to come back, and the reverse"

    def _methods(self) -> Iterator[str]:
        for method, parameters in PARAMETERS.items():
            written = getattr(self.loop, method, None)
            if not defines(self.loop, method):
                continue
            if not callable(written):
                yield f"{method} is {written!r}, not a method"
            elif not _takes(written, parameters):
                yield f"{method} must take ({', '.join(('self', *parameters))})"
            elif method in SORTING and _is_async(written):
                yield f"{method} is async; it is asked of every item in hand, so make it a plain def"

    def _options(self) -> Iterator[str]:
        leasts = (("every", 0.05), ("deadline", 0.05), ("observe_deadline", 0.05), ("settles_in", 0.0))
        for option, least in leasts:
            value = getattr(self.loop, option)
            if option == "observe_deadline" and value is None:
                continue
            try:
                if not seconds(value) >= least:
                    yield f"{option} is {value!r}, which is too short"
            except ValueError as error:
                yield f"{option}: {error}"
        for option in ("at_once", "weight"):
            value = getattr(self.loop, option)
            if type(value) is not int or value < 1:
                yield f"{option} is {value!r}, not a whole number of at least 1"

        notify: object = self.loop.notify
        several = notify if isinstance(notify, list | tuple) else (notify,)
        if notify is not None and not all(isinstance(each, str) and each.strip() for each in several):
            yield f"notify is {notify!r}, not a command or URL, or a list of them"

    def _limits(self) -> Iterator[str]:
        for name, value in self.limits.items():
            try:
                convert({name: value}, Limits)
            except ValidationError as error:
                yield f"limit {name} is {value!r}: {str(error).partition(' - at')[0]}"

    def _misspelt(self) -> Iterator[str]:
        """Numbers under a name that is nearly one of ours: a limit that is not set is worse than none."""
        for name, value in self._own():
            if name in LIMITS or name in OPTIONS or not isinstance(value, int | float | str):
                continue
            near = _closest(name, (*LIMITS, *OPTIONS))
            if near:
                yield f"{name} is not known here; did you mean {near}?"

    def _instead(self, method: str) -> str:
        near = _closest(method, [name for name, value in self._own() if callable(value)])
        return f"; is {near} meant to be it?" if near and near not in PARAMETERS else ""

    def _own(self) -> Iterator[tuple[str, object]]:
        """What its author wrote into the class and those it is made from."""
        for above in (each for each in self.cls.__mro__ if each not in (Keyed, object)):
            yield from ((name, value) for name, value in vars(above).items() if not name.startswith("_"))


def _takes(method: Callable[..., object], parameters: tuple[str, ...]) -> bool:
    import inspect  # noqa: PLC0415 - slow to load, and needed only here

    try:
        inspect.signature(method).bind(*parameters)
    except TypeError:
        return False
    except ValueError:
        return True  # Written in C: it has no signature to read.
    return True


def _is_async(method: Callable[..., object]) -> bool:
    import inspect  # noqa: PLC0415

    return inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method)


def _closest(word: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - needed only after a mistake

    near = get_close_matches(word, [each for each in known if each != word], 1, _NEAR)
    return near[0] if near else ""
