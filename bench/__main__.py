"""Lists the comparisons there are, or runs the one that is named."""

import sys
from collections.abc import Callable, Sequence
from typing import Final

from bench.contest import RULES
from bench.diff import command as diff

COMMANDS: Final[dict[str, tuple[str, Callable[[Sequence[str]], int]]]] = {"diff": (diff.ABOUT, diff.main)}
USAGE: Final = 2


def main(arguments: Sequence[str]) -> int:
    if arguments and arguments[0] in COMMANDS:
        return COMMANDS[arguments[0]][1](arguments[1:])
    listing = "\n".join(f"  {name:<8}{about}" for name, (about, _) in COMMANDS.items())
    known = not arguments or arguments[0] in ("-h", "--help")
    said = "" if known else f"bench: there is no comparison called {arguments[0]}\n\n"
    out = sys.stdout if known else sys.stderr
    out.write(f"{said}usage: python -m bench NAME [--n N] [--json F]\n\n{listing}\n\n{RULES}\n")
    return 0 if known else USAGE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
