"""The command line for loop files: from words to a verb's exit code; every way to fail is worded here."""

import asyncio
import importlib
import json
import os
import traceback
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Protocol, TextIO, cast

from setpoint.cli.exits import MEANINGS, Exit, Stop
from setpoint.cli.screen import Screen
from setpoint.cli.suggest import did_you_mean
from setpoint.cli.text import clean
from setpoint.engine.errors import FAILURES, Denied, Rejected
from setpoint.loop import calls, hands, questions
from setpoint.loop.calls import trace
from setpoint.loop.commands.session import Place, Session
from setpoint.loop.commands.words import Form, Said, help_text, said_in, too_many
from setpoint.loop.file import LoopFile, load, sifted
from setpoint.loop.keyed import Keyed

VERBS: Final[Mapping[str, tuple[str, str]]] = {
    "plan": ("plan", "Show what would change, and what would be held; change nothing."),
    "run": ("run", "Look again and again; act with --enforce."),
    "why": ("why", "Say why a loop or a key is as it is, and what to do next."),
    "approve": ("decide", "Let a held plan go ahead, exactly as shown."),
    "reject": ("decide", "Give a held plan up."),
    "pause": ("pause", "Stop acting, on one loop or on all; alone: what is paused now."),
    "resume": ("pause", "Act again on what was paused."),
    "protect": ("protect", "Never delete this key, whatever is declared."),
    "release": ("protect", "Let go of a key that is contested, slow or protected."),
    "replay": ("replay", "Judge recorded passes again: is the decision the same?"),
    "rehearse": ("rehearse", "Show what another limit would have held."),
    "audit": ("audit", "Read the evidence, the newest first; `audit verify` checks that none was changed."),
}
ENDING: Final = ".py"
VALUED: Final = frozenset(
    ("--reason", "--loop", "--mode", "--watch", "--only", "--notify", "-o", "--output", "-f", "--filename")
)
"""Flags with a value: a word after one of these is no file to run, however it ends."""


_CALLING: Final = (calls.__file__, questions.__file__, hands.__file__)


@dataclass(frozen=True, slots=True)
class Streams:
    """The three streams of the process."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO


class Verb(Protocol):
    """What a module of `verbs` offers."""

    FORMS: Mapping[str, Form]

    def mistakes(self, verb: str, said: Said, names: Sequence[str]) -> list[str]: ...
    def run(self, verb: str, session: Session, said: Said) -> Coroutine[Any, Any, int]: ...


def file_in(argv: Sequence[str]) -> str:
    """The loop file that these words are about; empty when they are about none."""
    before = ""
    for word in argv:
        if word.endswith(ENDING) and before not in VALUED and not word.startswith("-"):
            return word
        before = word
    return ""


def main(argv: Sequence[str], environment: Mapping[str, str], streams: Streams) -> int:
    """`setpoint VERB FILE …`."""
    screen = _screen(argv, environment, streams)
    if argv and argv[0] == "new":
        from setpoint.loop.commands import new  # noqa: PLC0415 - only what was called is loaded

        return _guarded(screen, lambda: new.run(argv[1:], screen, Path()))
    named = file_in(argv)
    at = argv.index(named) if named else len(argv)
    rest = [*argv[:at], *argv[at + 1 :]]
    place = Place(Path(named or "FILE.py"))

    def loaded() -> LoopFile:
        if not named:
            raise Rejected("say which loop file: its name ends in .py")
        return load(place.file)

    return _guarded(screen, lambda: _run(rest, screen, place, loaded))


def run_itself(
    argv: Sequence[str],
    environment: Mapping[str, str],
    streams: Streams,
    served: tuple[Path, tuple[Keyed, ...]],
) -> int:
    """`python FILE VERB …`."""
    screen = _screen(argv, environment, streams)
    file, loops = served
    place = Place(file, runs_itself=True)
    return _guarded(screen, lambda: _run(list(argv), screen, place, lambda: _checked(file, loops)))


def overview(place: Place) -> str:
    """What a loop file's own `--help` prints."""
    return "\n".join(
        [
            f"usage: {place.command('VERB')} …        every verb has a --help with examples",
            "",
            *(f"  {verb:<10}{about}" for verb, (_, about) in VERBS.items()),
            "",
            f"  start with: {place.command('plan')}",
            "",
            "Exit codes:",
            *(f"  {code.value:<10}{words}" for code, words in MEANINGS.items() if code != Exit.UNREACHABLE),
        ]
    )


def _checked(file: Path, loops: Sequence[Keyed]) -> LoopFile:
    """Loops that were handed over, as if they had been found in the file."""
    if not loops:
        raise Rejected("serve() was given no loop; write serve(Flags())")
    return LoopFile(file, *sifted(loops))


def _run(argv: list[str], screen: Screen, place: Place, load: Callable[[], LoopFile]) -> int:
    if not argv or argv[0] in ("-h", "--help", "help"):
        screen.data(overview(place))
        return Exit.DONE if argv else Exit.USAGE
    verb, module, form = _verb(argv[0], place)
    if {"-h", "--help"} & set(argv):
        screen.data(help_text(form, place.command(verb), screen.columns))
        return Exit.DONE
    said, wrong = said_in(argv[1:], form)
    wrong += too_many(said.words, form)
    if said.has("debug"):
        trace.set(partial(_print_traceback, screen))
    try:
        found = load()
    except Rejected as error:
        trace.get()("loading it", error.__cause__ or error)
        raise _all_wrong([*wrong, str(error)], place.command(verb, "--help")) from error
    session = Session(screen, place, found.loops, found.broken)
    wrong += module.mistakes(verb, said, session.names) if found.loops else []
    told = [f"loop {broken.name} cannot run: {broken.why}" for broken in found.broken]
    if wrong or not found.loops:
        raise _all_wrong([*wrong, *told], place.command(verb, "--help"))
    for line in told:
        # One broken loop stops no other.
        screen.say(f"{screen.paint('error:', 'error')} {clean(line)}")
    return asyncio.run(module.run(verb, session, said))


def _print_traceback(screen: Screen, title: str, error: BaseException) -> None:
    """All of it, on stderr; what calls the loop is left out, for it is the same each time."""
    inner = error.__traceback__
    while inner is not None and inner.tb_next is not None and inner.tb_frame.f_code.co_filename in _CALLING:
        inner = inner.tb_next
    screen.say(f"{title} failed:")
    for block in traceback.format_exception(type(error), error, inner):
        for line in block.splitlines():
            screen.say(f"  {clean(line.rstrip())}")


def _verb(word: str, place: Place) -> tuple[str, Verb, Form]:
    if word not in VERBS:
        near = did_you_mean(word, VERBS)
        raise Stop(f"there is no verb {word!r} for loop files", Exit.USAGE, (*near, place.command("--help")))
    module = cast(Verb, importlib.import_module(f"setpoint.loop.commands.verbs.{VERBS[word][0]}"))
    return word, module, module.FORMS[word]


def _all_wrong(wrong: Sequence[str], helping: str) -> Stop:
    if len(wrong) == 1:
        return Stop(wrong[0], Exit.USAGE, (helping,))
    stop = Stop(f"{len(wrong)} things are wrong; nothing was done", Exit.USAGE, (*wrong, helping))
    stop.body = {"mistakes": list(wrong)}
    return stop


def _guarded(screen: Screen, work: Callable[[], int]) -> int:
    """Runs it; whatever goes wrong is one clear error and an exit code."""
    try:
        code = work()
        screen.stdout.flush()
    except Stop as stop:
        _complain(screen, str(stop), stop.next_steps, {"code": stop.exit_code.name.lower(), **stop.body})
        code = stop.exit_code
    except FAILURES as error:
        code = Exit.REFUSED if isinstance(error, Denied) else Exit.FAILED
        _complain(screen, str(error), (), {"code": code.name.lower()})
    except BrokenPipeError:
        # `… | head` has seen enough, and Python must not complain while it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), screen.stdout.fileno())
        code = Exit.DONE
    except KeyboardInterrupt:
        screen.say("interrupted")
        code = Exit.INTERRUPTED
    return int(code)


def _complain(screen: Screen, what: str, steps: Sequence[str], body: Mapping[str, object]) -> None:
    if screen.format == "json":
        screen.say(json.dumps({**body, "detail": what, "next": list(steps)}, ensure_ascii=False))
        return
    screen.say(f"{screen.paint('error:', 'error')} {clean(what)}")
    for step in steps:
        command = step.startswith(("setpoint ", "python "))
        screen.say(f"  next: {clean(step)}" if command else f"  {clean(step)}")


def _screen(argv: Sequence[str], environment: Mapping[str, str], streams: Streams) -> Screen:
    """The format is known even when the rest of the line is wrong."""
    spelled = ("-ojson", "-o=json", "--output=json")
    pairs = pairwise(argv)
    as_json = any(word in spelled for word in argv) or any(
        flag in ("-o", "--output") and value == "json" for flag, value in pairs
    )
    form = "json" if as_json else "table"
    return Screen(streams.stdin, streams.stdout, streams.stderr, environment, form)
