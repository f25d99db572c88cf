"""Every command that is shown to somebody is one that the command line takes, as it stands."""

import ast
import importlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from setpoint.cli.exits import Stop
from setpoint.cli.flags import Parser, parser_for
from setpoint.cli.remote import LOCAL_VERBS, VERBS
from setpoint.halts import parser_of

SOURCES = Path(__file__).parent.parent.parent / "console" / "src"
SHOWN = re.compile(r'["`]setpoint ([a-z-]+)((?:[^"`]|\$\{[^}]*\})*)')


def shown() -> list[tuple[str, str, str]]:
    """File, verb, and what follows it."""
    files = [path for path in sorted(SOURCES.rglob("*.ts*")) if ".test." not in path.name]
    return [(path.name, *found) for path in files for found in SHOWN.findall(path.read_text())]


def parser(verb: str) -> Parser:
    module, about = VERBS[verb]
    made = parser_for(verb, about, "")
    importlib.import_module(f"setpoint.cli.verbs.{module}").flags(made, verb)
    return made


def test_the_console_shows_commands() -> None:
    assert len(shown()) > 30


@pytest.mark.parametrize("verb", sorted({verb for _, verb, _ in shown()}))
def test_a_shown_verb_is_there_with_all_its_flags(verb: str) -> None:
    known = parser(verb).format_help()
    for file, _, rest in (each for each in shown() if each[1] == verb):
        for flag in re.findall(r"(?<!\S)--[a-z-]+", rest):
            assert flag in known, f"{file}: setpoint {verb} has no {flag}"
        assert verb != "apply" or "-f " in rest, f"{file}: setpoint apply wants its files after -f"


OURS = Path(__file__).parent.parent.parent / "src" / "setpoint"
NAMED = {
    *("setpoint approve", "setpoint release", "setpoint who-can", "setpoint can-i says what you may"),
    *("setpoint token", "setpoint key --project X --workspace X"),
}
"""Commands that tables name, and beginnings of others: none of them is shown to be pasted."""
BEFORE = re.compile(r"(?:^|next: |: |   · {3})(?=setpoint )")
BEGINS = re.compile(r"""["']setpoint |next: setpoint |: setpoint |   · {3}setpoint """)


def written() -> Iterator[tuple[str, str]]:
    """File, and a text in it that begins with one of our commands; what is filled in later is `X`."""
    for path in sorted(OURS.rglob("*.py")):
        if "loop" in path.relative_to(OURS).parts:
            continue  # Loop files have commands of their own.
        source = path.read_text()
        if not BEGINS.search(source):
            continue  # Reading all of them as syntax takes seconds, in every process that collects tests.
        tree = ast.parse(source)
        inside = {
            id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
        }
        for node in ast.walk(tree):
            text = _text(node) if id(node) not in inside else ""
            for part in BEFORE.split(text)[1:] if text else ():
                yield path.name, part


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" not in node.value:
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = (str(each.value) if isinstance(each, ast.Constant) else "X" for each in node.values)
        return "".join(parts)
    return ""


def commands() -> list[tuple[str, str]]:
    """Those that end where the text ends, or where what follows is set apart."""
    found = []
    for file, text in written():
        command = re.split(r" {2,}|, | && | \(|; |\.$", text)[0].strip()
        verb = command.split(" ")[1] if " " in command else ""
        if verb in VERBS and command not in NAMED:
            found.append((file, command))
    return sorted(set(found))


def test_our_own_words_hold_commands() -> None:
    assert len(commands()) > 60


@pytest.mark.parametrize(("file", "command"), commands())
def test_a_command_in_our_own_words_can_be_pasted(file: str, command: str) -> None:
    verb, *words = shlex.split(command.replace("'X'", "X"))[1:]
    if {"-h", "--help"} & set(words):
        return
    taken(file, verb, words)


def taken(file: str, verb: str, words: list[str]) -> None:
    """Fails where the command line does not take it; what works without any service has its own parser."""
    if verb in ("pause", "resume") and "--data" in words:
        parser_of(verb).parse_args(words)
        return
    try:
        parser(verb).parse_intermixed_args(words)
    except (Stop, KeyError) as error:
        pytest.fail(f"{file}: {verb} {shlex.join(words)}: {error}")


ROOT = OURS.parent.parent
IN_PAGES = re.compile(r"^(?:\$ )?(?:[A-Z_]+=\S+ )*(setpoint (?!is up)[a-z].*)$", re.MULTILINE)


def in_pages() -> list[tuple[str, str]]:
    """Commands in blocks of the manual and of README.md, but for those about loop files."""
    found = []
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        blocks = "\n".join(re.findall(r"^```(?:text|console)\n(.*?)^```$", path.read_text(), re.M | re.S))
        for line in IN_PAGES.findall(blocks):
            command = re.split(r" {2,}| # | && (?=setpoint)| \| | > | &$|; ", line)[0].strip()
            if not re.search(r"\.py\b|…|\\$|\$\(|<<", command):
                found.append((path.name, command))
    return sorted(set(found))


@pytest.mark.parametrize(("file", "command"), in_pages())
def test_a_command_of_the_manual_is_one_of_ours(file: str, command: str) -> None:
    verb, *words = shlex.split(command)[1:]
    if verb in (*LOCAL_VERBS, "new", "run", "help") or {"-h", "--help"} & set(words):
        return
    taken(file, verb, words)
