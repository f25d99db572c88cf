"""Plays a page from top to bottom in a fresh folder, as its reader would, and says where it is not true.

`console`: a line that begins with `$ ` is typed into one shell for the whole page. The lines after it are
what it shows, standard output and error together; how lines are broken does not matter. `…` stands for
anything within a line, a line of nothing but `…` for any lines. What differs from run to run (see VARIES) may
be written as it was seen. `# exit 3` says how a command ends that does not end well. A command that ends in
`&` goes on in the background, and the lines after it are waited for. 7410 to 7419 stand for free ports.

`python`: a block whose first line is a comment with a file's name is written to that file; any other is run.
`yaml`: the same; and every document in it must be one that the API would accept.
"""

import re
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import jsonschema_rs
import yaml

from docs.manual import Block, Page
from docs.shell import ENOUGH, Shell, Shown, opened
from setpoint.api.schemas import Schemas
from setpoint.api.validate import Drafting, validator
from setpoint.kinds import by_name

PROMPT = "$ "
EXIT = re.compile(r"# exit (\d+)")
FILE = re.compile(r"# ([\w./-]+\.(?:py|yaml))\b")
PORT = re.compile(r"\b741\d\b")
VARIES = (
    (re.compile(r"\b(\d{4}-\d\d-\d\d )?\d\d:\d\d(:\d\d)? UTC\b"), "CLOCK"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\+\d\d:\d\d)?"), "TIME"),
    (re.compile(r"\b[0-9a-hjkmnp-tv-z]{20}\b"), "ID"),
    (re.compile(r"\b[0-9a-f]{12,64}\b"), "HASH"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
    (re.compile(r"\b\w+, owner of "), "PERSON, owner of "),
    (re.compile(r"\b\d+(\.\d+)? ?(ms|s|min)(?= ago\b|:| {2}|$)", re.MULTILINE), "DURATION"),
    (re.compile(r"\bin \d+(\.\d+)?s\b"), "in DURATION"),
)
"""What differs from run to run: moments, ids, hashes, ports, people, durations."""


@dataclass(frozen=True)
class Command:
    """One line that is typed, what is expected to be seen, and the exit code."""

    typed: str
    shown: list[str] = field(default_factory=list)
    code: int = 0


Judge = Callable[[Command, Shown], None]


def commands_of(block: Block) -> list[Command]:
    found: list[Command] = []
    for line in block.text.splitlines():
        if line.startswith(PROMPT):
            found.append(Command(line.removeprefix(PROMPT)))
        elif code := EXIT.fullmatch(line.strip()):
            found[-1] = Command(found[-1].typed, found[-1].shown, int(code[1]))
        elif found:
            found[-1].shown.append(line)
    return found


def as_written(command: Command, ran: Shown) -> None:
    """What a command shows must be what the page says."""
    wrong = differences(command, ran)
    assert not wrong, wrong


def play(page: Page, folder: Path, judge: Judge = as_written) -> None:
    """Raises AssertionError at the first block that is not true, with its line."""
    ports = {name: str(_free_port()) for name in set(PORT.findall(page.text))}
    home = folder / "home"
    place = folder / "place"
    for each in (home, place):
        each.mkdir()
    with opened(place, _environment(home), folder / "log") as shell:
        for block in page.blocks:
            text = PORT.sub(lambda found: ports[found[0]], block.text)
            try:
                _play_block(Block(block.word, text, block.line), shell, judge)
            except AssertionError as error:
                raise AssertionError(f"{page.name}:{block.line}: {error}") from error


def _play_block(block: Block, shell: Shell, judge: Judge) -> None:
    if block.word == "console":
        for command in commands_of(block):
            _play_command(command, shell, judge)
        return
    if block.word not in ("python", "yaml"):
        return
    if block.word == "yaml":
        check_declarations(block.text)
    named = FILE.match(block.text)
    if named:
        (shell.folder / named[1]).write_text(block.text)
    elif block.word == "python":
        (shell.folder / ".block.py").write_text(block.text)
        ran = shell.run("python .block.py; code=$?; rm .block.py; (exit $code)")
        assert ran.code == 0, f"the block ends with {ran.code}:\n{ran.text}"


def _play_command(command: Command, shell: Shell, judge: Judge) -> None:
    if command.typed.endswith("&"):
        _wait_for(command, shell.start(command.typed))
    else:
        judge(command, shell.run(command.typed))


def _wait_for(command: Command, log: Path) -> None:
    until = time.monotonic() + ENOUGH
    while command.shown and not matches(command.shown, log.read_text().splitlines(), whole=False):
        wanted = "\n".join(command.shown)
        assert time.monotonic() < until, f"`{command.typed}` never says\n{wanted}\nbut\n{log.read_text()}"
        time.sleep(0.05)


def differences(command: Command, ran: Shown) -> str:
    """What is not as the page says; empty when all is."""
    seen = ran.text.splitlines()
    if ran.code == command.code and matches(command.shown, seen):
        return ""
    told = "\n".join(["expected:", *command.shown, f"# exit {command.code}", "", "seen:", *seen])
    return f"`{command.typed}` is not as the page says\n{told}\n# exit {ran.code}"


def matches(expected: list[str], seen: list[str], *, whole: bool = True) -> bool:
    """Whether this was seen; not `whole`: perhaps among other lines."""
    pattern = r"\s*".join(r"(?s:.*?)" if line.strip() == "…" else _pattern(line) for line in expected)
    text = _steady("\n".join(seen))
    found = re.fullmatch(rf"\s*{pattern}\s*", text) if whole else re.search(pattern, text)
    return found is not None


def check_declarations(text: str) -> None:
    """Every document must be one that the API would accept, as far as it stands alone."""
    kinds = by_name()
    drafting = Drafting(kinds, {name: validator(kind.spec) for name, kind in kinds.items()})
    short = jsonschema_rs.validator_for(Schemas(drafting.kinds, drafting.validators).file())
    for body in yaml.safe_load_all(text):
        if isinstance(body, dict) and "kind" not in body:
            assert not list(short.iter_errors(body)), "it is neither a declaration nor a short form of some"
            continue
        metadata = body.get("metadata", {}) if isinstance(body, dict) else {}
        above = {} if body.get("kind") == "organization" else {"organization": "acme"}
        given = {key: value for key, value in above.items() if key not in metadata}
        _, mistakes = drafting.declaration(body, given, "")
        assert not mistakes, "; ".join(f"{each.pointer} {each.message}" for each in mistakes)


def _pattern(line: str) -> str:
    """Its words with anything white between them, and within the line whatever `…` stands for."""
    parts = (re.escape(word).replace("…", r"[^\n]*?") for word in _steady(line).split())
    return r"\s+".join(parts)


def _steady(text: str) -> str:
    for pattern, word in VARIES:
        text = pattern.sub(word, text)
    return text


def _environment(home: Path) -> dict[str, str]:
    """What a reader has who installed us: nothing of ours is set, and plain pytest."""
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "NO_COLOR": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
