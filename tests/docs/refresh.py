"""Plays pages and writes into them what their commands show now, where it differs. Read it, then keep it.

`PYTHONPATH=tests .venv/bin/python -m docs.refresh docs/how-to/stop-everything.md`
"""

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from docs.manual import FENCE, Page
from docs.player import PROMPT, Command, differences, play
from docs.shell import Shown
from setpoint.cli.text import folded

PERSON = re.compile(r"\b\w+(?=, owner of )")
SOMEBODY = "ana"
WIDTH = 100


def refresh(page: Page) -> None:
    """One page, in place."""
    shown: list[Shown | None] = []

    def keep(command: Command, ran: Shown) -> None:
        shown.append(ran if differences(command, ran) else None)

    with tempfile.TemporaryDirectory() as folder:
        play(page, Path(folder), keep)
    answers = iter(shown)
    pieces, last = [], 0
    for block in FENCE.finditer(page.text):
        if block[1] == "console":
            pieces += [page.text[last : block.start(2)], "\n".join([*_renewed(block[2], answers), ""])]
            last = block.end(2)
    page.path.write_text("".join([*pieces, page.text[last:]]))


def _renewed(text: str, answers: Iterator[Shown | None]) -> Iterator[str]:
    """The block, with what was seen after each command where that is something else than the page said."""
    keeping = True
    for line in text.splitlines():
        if line.startswith(PROMPT):
            answer = None if line.endswith("&") else next(answers)
            keeping = answer is None
            yield line
            yield from _lines(answer) if answer else ()
        elif keeping:
            yield line


def _lines(answer: Shown) -> Iterator[str]:
    for line in PERSON.sub(SOMEBODY, answer.text).splitlines():
        yield from folded(line, WIDTH, len(line) - len(line.lstrip()) + 4)
    if answer.code:
        yield f"# exit {answer.code}"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        refresh(Page(Path(name).absolute()))
