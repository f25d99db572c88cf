"""Lists the comparisons there are, or runs the one that is named, or all of them into one table."""

import sys
from collections.abc import Sequence
from typing import Final

from bench.api.command import API
from bench.command import Command, Measured, parser, say, tell
from bench.console.command import CONSOLE
from bench.contest import RULES
from bench.converge.command import CONVERGE
from bench.cycle.command import CYCLE
from bench.diff.command import DIFF
from bench.idle.command import IDLE
from bench.queue.command import QUEUE
from bench.scaleout.command import SCALEOUT
from bench.start.command import START
from bench.store.command import STORE

COMMANDS: Final[dict[str, Command]] = {
    "diff": DIFF,
    "queue": QUEUE,
    "idle": IDLE,
    "store": STORE,
    "cycle": CYCLE,
    "start": START,
    "scaleout": SCALEOUT,
    "converge": CONVERGE,
    "api": API,
    "console": CONSOLE,
}
ALL: Final = "all of these, at the sizes of the goals, in one table"
USAGE: Final = 2


def main(arguments: Sequence[str]) -> int:
    name, rest = (arguments[0], arguments[1:]) if arguments else ("", ())
    if name in COMMANDS:
        wanted = COMMANDS[name].parse(rest)
        return tell(name, COMMANDS[name].measure(wanted), wanted)
    if name == "all":
        return everything(rest)
    listing = "\n".join(f"  {each:<10}{command.about}" for each, command in COMMANDS.items())
    known = name in ("", "-h", "--help")
    said = "" if known else f"bench: there is no comparison called {name}\n\n"
    out = sys.stdout if known else sys.stderr
    usage = f"usage: python -m bench NAME [--help] [--json F]\n\n{listing}\n  {'all':<10}{ALL}"
    out.write(f"{said}{usage}\n\n{RULES}\n")
    return 0 if known else USAGE


def everything(arguments: Sequence[str]) -> int:
    wanted = parser("all", ALL).parse_args(arguments)
    found = []
    for name, command in COMMANDS.items():
        say(f"== {name}")
        found.append(command.measure(command.parse(["--rounds", str(wanted.rounds)])))
    rows = tuple(row for each in found for row in each.rows)
    notes = tuple(note for each in found for note in each.notes)
    return tell("all", Measured(rows, notes), wanted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
