"""From words on a command line to a verb's exit code; every way to fail is worded here."""

import argparse
import importlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, TextIO, cast

from setpoint.cli.confirm import confirmed
from setpoint.cli.exits import Exit, Stop
from setpoint.cli.flags import VALUED, Parser, chosen_by, parser_for
from setpoint.cli.paused import tell_paused
from setpoint.cli.remote import LOCAL_VERBS, VERBS
from setpoint.cli.screen import PLAIN, Screen, silence
from setpoint.cli.session import Session
from setpoint.cli.suggest import did_you_mean
from setpoint.cli.text import clean
from setpoint.client.errors import Mistake, Problem, Refused, Unreachable

REFUSALS: Final = (401, 403)
INVALID: Final = (400, 422)
LISTS: Final = frozenset({"get", "loops", "tasks", "operations", "plan"})
"""Verbs that show how things stand, and so say when nothing may move."""
SUFFIXES: Final = (".yaml", ".yml", ".json")
MACHINE: Final = ("json", "jsonl")


@dataclass(frozen=True, slots=True)
class Streams:
    """The three streams of the process."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO


class Verb(Protocol):
    """What a module of `verbs` offers."""

    EXAMPLES: Mapping[str, str]

    def flags(self, parser: Parser, verb: str) -> None: ...
    def run(self, session: Session, args: argparse.Namespace) -> int: ...


def run(argv: list[str], streams: Streams, environment: Mapping[str, str]) -> int:
    """One verb, from words to exit code."""
    screen = Screen(streams.stdin, streams.stdout, streams.stderr, environment, _format_in(argv))
    try:
        code = _dispatched(_verb_first(argv), screen)
        streams.stdout.flush()
    except BrokenPipeError:
        # `… | head` closed the pipe: that is no failure.
        silence(streams.stdout)
        return Exit.DONE
    except KeyboardInterrupt:
        screen.say("interrupted; what was declared goes on without this terminal")
        return Exit.INTERRUPTED
    return code


def _dispatched(argv: list[str], screen: Screen) -> int:
    try:
        verb, parser, module = _parser(argv)
        if {"-h", "--help"} & set(argv):
            screen.data(parser.format_help().rstrip())
            return Exit.DONE
        args = _parsed(parser, argv)
        args.verb = verb
        return _run(module, args, screen)
    except Stop as stop:
        for line in stop.lines if screen.format not in MACHINE else ():
            screen.say(line)
        _complain(screen, str(stop), stop.next_steps, _as_problem(stop))
        return stop.exit_code
    except Unreachable as error:
        words = f"the API at {error.url} cannot be reached: {error.reason}"
        _complain(screen, words, ("setpoint up", "or say where it is: --url URL"), _unreachable(words))
        return Exit.UNREACHABLE
    except Refused as error:
        problem = error.problem
        _complain(screen, problem.detail, _next_steps(problem), problem.body)
        return refusal_code(problem)


def _parsed(parser: Parser, argv: list[str]) -> argparse.Namespace:
    """The arguments; a file where none can stand was meant for `-f`."""
    try:
        return parser.parse_intermixed_args(argv[1:])
    except Stop as stop:
        files = [word for word in argv[1:] if word.endswith(SUFFIXES) or "/" in word]
        takes = any("-f" in action.option_strings for action in parser._actions)
        if not files or not takes or {"-f", "--file"} & set(argv):
            raise
        rest = [word for word in argv[1:] if word not in files]
        command = shlex.join(["setpoint", argv[0], *(each for file in files for each in ("-f", file)), *rest])
        raise Stop(f"files are named with -f, not as {files[0]!r} alone", Exit.USAGE, (command,)) from stop


def _run(module: Verb, args: argparse.Namespace, screen: Screen) -> int:
    try:
        return _once(module, args, screen)
    except Refused as error:
        if error.problem.code != "step_up" or not confirmed(args, screen):
            raise
        return _once(module, args, screen)


def _once(module: Verb, args: argparse.Namespace, screen: Screen) -> int:
    chosen = chosen_by(args, screen.environment)
    session = Session(chosen.endpoint, screen, chosen.scope)
    try:
        code = module.run(session, args)
        if args.verb in LISTS and screen.format in PLAIN:
            tell_paused(session)
        return code
    finally:
        session.close()


def _parser(argv: list[str]) -> tuple[str, Parser, Verb]:
    verb = argv[0] if argv else ""
    if verb not in VERBS:
        near = did_you_mean(verb, (*VERBS, *LOCAL_VERBS))
        raise Stop(f"there is no verb {verb!r}", Exit.USAGE, (*near, "setpoint --help"))
    name, about = VERBS[verb]
    module = cast(Verb, importlib.import_module(f"setpoint.cli.verbs.{name}"))
    parser = parser_for(verb, about, module.EXAMPLES[verb])
    module.flags(parser, verb)
    return verb, parser, module


def refusal_code(problem: Problem) -> Exit:
    """Which exit code a refusal stands for."""
    if problem.status in REFUSALS:
        return Exit.REFUSED
    return Exit.USAGE if problem.status in INVALID else Exit.FAILED


def _verb_first(argv: list[str]) -> list[str]:
    """`--url X get hosts` means `get hosts --url X`."""
    at = 0
    while at < len(argv) and argv[at].startswith("-"):
        at += 2 if argv[at] in VALUED else 1
    return [*argv[at : at + 1], *argv[:at], *argv[at + 1 :]] if at < len(argv) else argv


def _format_in(argv: list[str]) -> str:
    """The format asked for, known even when the rest of the line is wrong."""
    said = "table"
    for word, following in zip(argv, [*argv[1:], ""], strict=True):
        if word in ("-o", "--output"):
            said = following
        elif word.startswith("--output="):
            said = word.partition("=")[2]
        elif word.startswith("-o") and not word.startswith("--"):
            said = word[2:].removeprefix("=")
    return said


def _complain(screen: Screen, what: str, steps: tuple[str, ...], body: Mapping[str, Any]) -> None:
    if screen.format in MACHINE:
        screen.say(json.dumps(dict(body), ensure_ascii=False))
        return
    screen.say(f"{screen.paint('error:', 'error')} {clean(what)}")
    for step in steps:
        screen.say(f"  next: {clean(step)}" if step.startswith("setpoint") else f"  {clean(step)}")


def _next_steps(problem: Problem) -> tuple[str, ...]:
    if problem.code == "unauthenticated":
        return (
            "setpoint login URL",
            "or set SETPOINT_TOKEN or SETPOINT_TOKEN_FILE, or run where .setpoint/admin.token is",
        )
    told = tuple(line for mistake in problem.mistakes for line in _told(mistake))
    return (*told, problem.hint) if problem.hint else told


def _told(mistake: Mistake) -> list[str]:
    """One line, unless its hint is a drawing."""
    said = f"{mistake.pointer}: {mistake.message}" if mistake.pointer else mistake.message
    if "\n" in mistake.hint:
        return [said, *mistake.hint.split("\n")]
    return [f"{said}; {mistake.hint}" if mistake.hint else said]


def _as_problem(stop: Stop) -> dict[str, Any]:
    code = stop.exit_code.name.lower()
    return {"code": code, "detail": str(stop), "next": list(stop.next_steps), **stop.body}


def _unreachable(words: str) -> dict[str, Any]:
    return {"code": "unreachable", "detail": words, "next": ["setpoint up"], "retryable": True}
