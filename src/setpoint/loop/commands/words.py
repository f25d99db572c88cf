"""From words on a command line to values: every mistake is found before anything is done, and told."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.suggest import closest
from setpoint.cli.text import folded

FORMATS: Final = ("table", "json")
SHOWN: Final = 8
MISSING: Final = "\0"
"""What a flag holds that was given without its value: no word on a command line can be this."""


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag; `value` is what to call its value in the help, empty for one that is just said or not."""

    name: str
    help: str
    value: str = ""
    short: str = ""
    default: str = ""
    bare: str = ""
    """What it holds when it is said without its value, where that is allowed; else a value is a must."""
    many: bool = False
    """Whether it may be said several times."""

    @property
    def key(self) -> str:
        return self.name.removeprefix("--").replace("-", "_")


@dataclass(frozen=True, slots=True)
class Form:
    """How a verb is written, and what it is for. `{}` in the examples stands for the verb and its file."""

    about: str
    words: str
    flags: tuple[Flag, ...] = ()
    examples: str = ""
    most: int | None = 1
    """How many words it takes besides the file; None: any number."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was said: the words that are no flags, and the flags by name."""

    words: tuple[str, ...]
    values: Mapping[str, str]
    yes: frozenset[str]
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def has(self, flag: str) -> bool:
        return flag in self.yes

    def value(self, flag: str) -> str:
        """Its value; empty where it was not said."""
        return self.values.get(flag, "")

    def all(self, flag: str) -> tuple[str, ...]:
        """Every value of a flag that may be said several times."""
        return self.lists.get(flag, ())


OUTPUT: Final = Flag("--output", "table or json; json is one document on stdout", "FORMAT", "-o", "table")
DEBUG: Final = Flag("--debug", "print the whole traceback of every error that the loop's own code raises")
LOOP: Final = Flag("--loop", "the loop it is about, where the file has several", "LOOP")
REASON: Final = Flag("--reason", "why; kept in the audit", "WHY")
YES: Final = Flag("--yes", "do not ask", short="-y")
FULL: Final = Flag("--full", "everything, uncut")


COMMON: Final = (OUTPUT, DEBUG)
"""What every verb has."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Stop(message, Exit.USAGE)


def said_in(argv: Sequence[str], form: Form) -> tuple[Said, list[str]]:
    """What was said, and everything that is wrong with it."""
    parser = _parser(form)
    found, unknown = parser.parse_known_intermixed_args(_without_doubt(argv, form))
    values = vars(found)
    words = tuple(values.pop("words"))
    flags = (*form.flags, *COMMON)
    lists = {key: tuple(each) for key, each in values.items() if isinstance(each, list)}
    said = {key: lists.get(key, (each,)) for key, each in values.items()}
    wrong = [f"{flag.name} needs a value: {flag.value}" for flag in flags if MISSING in said[flag.key]]
    wrong += [_no_such_flag(word, flags) for word in unknown if word.startswith("-")]
    texts = {key: text for key, text in values.items() if isinstance(text, str) and text != MISSING}
    if texts.get("output", "table") not in FORMATS:
        wrong.append(f"-o is one of {', '.join(FORMATS)}, not {texts['output']!r}")
    return Said(words, texts, frozenset(key for key, flag in values.items() if flag is True), lists), wrong


def too_many(words: Sequence[str], form: Form) -> list[str]:
    """Words that nobody asked for."""
    if form.most is None or len(words) <= form.most:
        return []
    extra = ", ".join(repr(word) for word in words[form.most :])
    return [f"{extra} is too much: after the file come {form.words or 'flags only'}"]


def help_text(form: Form, prefix: str, columns: int | None = None) -> str:
    """What `--help` prints; `prefix` is the verb with its file, as it is written here."""
    usage = " ".join(word for word in (prefix, form.words, "[flags]") if word)
    rows = [(_spelled(flag), flag.help) for flag in (*form.flags, *COMMON)]
    rows.append(("-h, --help", "this text"))
    wide = max(len(left) for left, _ in rows)
    about = [line for text in form.about.splitlines() for line in folded(text, columns)]
    flags = [line for left, right in rows for line in folded(f"  {left:<{wide}}  {right}", columns, wide + 4)]
    shown = form.examples.replace("{}", prefix).splitlines()
    examples = [line.rstrip() for text in shown for line in folded(f"  {text}", columns, 2)]
    return "\n".join([f"usage: {usage}", "", *about, "", "flags:", *flags, "", "examples:", *examples])


def suggested(word: str, known: Sequence[str]) -> str:
    """`; did you mean beta?`, or which ones there are."""
    near = closest(word, known)
    if near:
        return f"; did you mean {near}?"
    return f"; there are {', '.join(known[:SHOWN])}" + (" …" if len(known) > SHOWN else "") if known else ""


def _without_doubt(argv: Sequence[str], form: Form) -> list[str]:
    """A number after `--page` is its value, any other word is not."""
    bare = {flag.name: flag.bare for flag in form.flags if flag.bare}
    following = [*argv[1:], ""]
    return [
        f"{word}={bare[word]}" if word in bare and not after.isdigit() else word
        for word, after in zip(argv, following, strict=False)
    ]


def _parser(form: Form) -> _Parser:
    parser = _Parser(add_help=False, allow_abbrev=False, usage="")
    parser.add_argument("words", nargs="*")
    for flag in (*form.flags, *COMMON):
        names = [name for name in (flag.name, flag.short) if name]
        if flag.many:
            parser.add_argument(*names, nargs="?", const=MISSING, action="append", dest=flag.key)
        elif flag.value:
            parser.add_argument(
                *names, nargs="?", const=flag.bare or MISSING, default=flag.default, dest=flag.key
            )
        else:
            parser.add_argument(*names, action="store_true", dest=flag.key)
    return parser


def _no_such_flag(word: str, flags: Sequence[Flag]) -> str:
    name = word.partition("=")[0]
    return f"there is no flag {name}{suggested(name, [flag.name for flag in flags])}"


def _spelled(flag: Flag) -> str:
    names = f"{flag.short}, {flag.name}" if flag.short else flag.name
    return f"{names} {flag.value}".rstrip()
