"""Every command that the console shows is one that the command line takes."""

import importlib
import re
from pathlib import Path

import pytest

from setpoint.cli.flags import Parser, parser_for
from setpoint.cli.remote import VERBS

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
