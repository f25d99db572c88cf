"""The language of `filter=`: a small part of CEL, read by hand. Every mistake comes with its place.

    state == "HELD" && (spec.size > 2 || labels.team in ["shop", "blog"]) && !metadata.protected

What is not there is null: it equals null alone, and is neither less nor greater than anything.
"""

import operator
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from msgspec import Struct, field

from setpoint.engine.bounds import FILTER_DEPTH, FILTER_LENGTH
from setpoint.engine.errors import Mistake

AnyJson = Any
Value = Callable[[AnyJson], AnyJson]
WORDS: Final = {"true": True, "false": False, "null": None}
SHORT: Final = {
    "state": ("status", "state"),
    "reason": ("status", "reason"),
    "name": ("metadata", "name"),
    "labels": ("metadata", "labels"),
}
"""What people say most, for what it stands for."""
TOP: Final = ("kind", "metadata", "spec", "status")
COMPARE: Final[dict[str, Callable[[AnyJson, AnyJson], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
TOKEN: Final = re.compile(
    r"""\s*(?:
      (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<number>-?\d+(?:\.\d+)?)
    | (?P<name>[A-Za-z_][\w-]*)
    | (?P<sign>&&|\|\||==|!=|<=|>=|[<>!().,\[\]])
    | (?P<odd>["'].*|\S)
    )""",
    re.VERBOSE,
)


class Token(Struct, frozen=True):
    sort: str
    text: str
    at: int


class Filter(Struct, frozen=True):
    """Whether an object, as it is shown, is wanted."""

    wants: Callable[[AnyJson], bool]


class _Wrong(Exception):
    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at


def read_filter(text: str) -> tuple[Filter | None, tuple[Mistake, ...]]:
    """The filter, or all that is wrong with it."""
    if len(text) > FILTER_LENGTH.most:
        said = f"a filter has at most {FILTER_LENGTH.most} characters, not {len(text)}"
        return None, (_mistake(text[:40], 0, said),)
    tokens = tuple(_tokens(text))
    odd = [_mistake(text, token.at, _odd(token.text)) for token in tokens if token.sort == "odd"]
    reader = _Reader(text, tuple(token for token in tokens if token.sort != "odd"))
    try:
        value = reader.whole()
    except _Wrong as wrong:
        return None, (*odd, *reader.unknown, *(() if odd else (_mistake(text, wrong.at, str(wrong)),)))
    if odd or reader.unknown:
        return None, (*odd, *reader.unknown)
    return Filter(lambda shown: value(shown) is True), ()


def _tokens(text: str) -> Iterator[Token]:
    place = 0
    while found := TOKEN.match(text, place):
        sort = str(found.lastgroup)
        yield Token(sort, found[sort], found.start(sort))
        place = found.end()


class _Reader(Struct):
    """From left to right, the loosest operator first."""

    text: str
    tokens: tuple[Token, ...]
    unknown: list[Mistake] = field(default_factory=list)
    place: int = 0
    depth: int = 0

    def whole(self) -> Value:
        value = self.either()
        if self.place < len(self.tokens):
            raise _Wrong(self.at, f"&& or || was expected before {self.tokens[self.place].text}")
        return value

    @property
    def at(self) -> int:
        return self.tokens[self.place].at if self.place < len(self.tokens) else len(self.text)

    def took(self, *signs: str) -> str:
        """The next sign, if it is one of these; otherwise it stays."""
        if self.place < len(self.tokens) and self.tokens[self.place].text in signs:
            self.place += 1
            return self.tokens[self.place - 1].text
        return ""

    def need(self, sign: str) -> None:
        if not self.took(sign):
            raise _Wrong(self.at, f"{sign} was expected here")

    def either(self) -> Value:
        value = self.both()
        while self.took("||"):
            value = _or(value, self.both())
        return value

    def both(self) -> Value:
        value = self.negated()
        while self.took("&&"):
            value = _and(value, self.negated())
        return value

    def negated(self) -> Value:
        with self.deeper():
            return _not(self.negated()) if self.took("!") else self.compared()

    @contextmanager
    def deeper(self) -> Iterator[None]:
        self.depth += 1
        if self.depth > FILTER_DEPTH.most:
            raise _Wrong(self.at, f"a filter is nested at most {FILTER_DEPTH.most} deep")
        try:
            yield
        finally:
            self.depth -= 1

    def compared(self) -> Value:
        if self.took("("):
            value = self.either()
            self.need(")")
            return value
        left = self.operand()
        if self.took("in"):
            return _within(left, self.operand())
        if sign := self.took(*COMPARE):
            return _comparison(sign, left, self.operand())
        return left

    def operand(self) -> Value:
        if self.took("["):
            with self.deeper():
                return self.choices()
        if self.place >= len(self.tokens) or self.tokens[self.place].sort == "sign":
            raise _Wrong(self.at, 'a field, "text", a number, true, false or null was expected here')
        token = self.tokens[self.place]
        self.place += 1
        if token.sort == "name" and token.text not in WORDS:
            return self.path(token)
        literal = _literal(token)
        return lambda _: literal

    def choices(self) -> Value:
        found: list[Value] = []
        while not self.took("]"):
            if found:
                self.need(",")
            found.append(self.operand())
        return lambda shown: [value(shown) for value in found]

    def path(self, first: Token) -> Value:
        steps = list(SHORT.get(first.text, (first.text,)))
        if steps[0] not in TOP:
            known = ", ".join((*SHORT, *TOP))
            self.unknown.append(
                _mistake(self.text, first.at, f"there is no field {first.text}; known are {known}")
            )
        while sign := self.took(".", "["):
            steps.append(self.step(quoted=sign == "["))
        return _reached(tuple(steps))

    def step(self, *, quoted: bool) -> str:
        wanted = "string" if quoted else "name"
        if self.place >= len(self.tokens) or self.tokens[self.place].sort != wanted:
            raise _Wrong(self.at, '"text" was expected here' if quoted else "a name was expected here")
        token = self.tokens[self.place]
        self.place += 1
        if quoted:
            self.need("]")
        return str(_literal(token)) if quoted else token.text


def _reached(steps: tuple[str, ...]) -> Value:
    def reached(shown: AnyJson) -> AnyJson:
        for step in steps:
            shown = shown.get(step) if isinstance(shown, dict) else None
        return shown

    return reached


def _or(left: Value, right: Value) -> Value:
    return lambda shown: left(shown) is True or right(shown) is True


def _and(left: Value, right: Value) -> Value:
    return lambda shown: left(shown) is True and right(shown) is True


def _not(value: Value) -> Value:
    return lambda shown: value(shown) is not True


def _within(left: Value, right: Value) -> Value:
    def within(shown: AnyJson) -> bool:
        among, wanted = right(shown), left(shown)
        return isinstance(among, list | tuple | dict) and any(_same(wanted, each) for each in among)

    return within


def _comparison(sign: str, left: Value, right: Value) -> Value:
    compare = COMPARE[sign]

    def compared(shown: AnyJson) -> bool:
        one, other = left(shown), right(shown)
        if sign in ("==", "!="):
            return compare(_same(one, other), True)
        return _comparable(one, other) and compare(one, other)

    return compared


def _same(one: AnyJson, other: AnyJson) -> bool:
    """In Python, true equals one; for people it does not."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _comparable(one: AnyJson, other: AnyJson) -> bool:
    numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (one, other))
    return numbers or (isinstance(one, str) and isinstance(other, str))


def _literal(token: Token) -> AnyJson:
    match token.sort:
        case "string":
            return re.sub(r"\\(.)", r"\1", token.text[1:-1])
        case "number":
            return float(token.text) if "." in token.text else int(token.text)
        case _:
            return WORDS[token.text]


def _odd(text: str) -> str:
    meant = {"=": "== was probably meant", "&": "&& was probably meant", "|": "|| was probably meant"}
    if text[0] in "\"'":
        return "the text that begins here does not end"
    return meant.get(text, f"{text} means nothing here")


def _mistake(text: str, at: int, message: str) -> Mistake:
    """With a caret under the place, for whoever reads it in a terminal."""
    return Mistake(
        pointer="",
        code="bad_filter",
        message=f"filter, character {at + 1}: {message}",
        hint=f"{text}\n{' ' * at}^",
    )
