"""`bench console`: the bar C2, ten thousand objects in a real browser."""

import argparse
import statistics
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Final

from bench.command import Command, Measured, parser, say, whole
from bench.contest import ROOT
from bench.measure import Figure, Goal, row_of
from bench.tests_path import reachable

ABOUT: Final = "the console with ten thousand objects: rows, keys, bytes and paint in a real browser"
SIZE: Final = 10_000
KILOBYTE: Final = 1_000
MOST_DRAWN: Final = 100
NOTE: Final = (
    "Console: seconds on the wall in a real Chromium, each opening with an empty cache, against `setpoint "
    "up` on this machine. Usable is from the beginning of the navigation to rows on screen. A key is counted "
    "from its press to rows that all match. The largest paint is on a processor four times slower."
)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    made = parser("console", ABOUT)
    made.add_argument("--n", type=whole(1_000), default=SIZE, help=f"how many objects; {SIZE:,}")
    return made.parse_args(arguments)


def absent() -> str:
    """What is missing for a browser to be opened, or nothing."""
    if missing := [each for each in ("playwright", "pytest") if find_spec(each) is None]:
        return f"{missing[0]} is not here; it is where the tests are: .venv/bin/python -m bench console"
    if which("chromium") is None:
        return "chromium is not here; install the Debian package chromium"
    built = ROOT / "src" / "setpoint" / "console" / "index.html"
    return "" if built.exists() else "the console is not built; build it with make console"


def measure(wanted: argparse.Namespace) -> Measured:
    if doubt := absent():
        return Measured((row_of(Figure("C2 list usable", 0.0, "s", Goal("<=", 1.0), doubt=doubt)),), (NOTE,))
    reachable()
    from bench.console.opened import seen  # noqa: PLC0415 - whoever has no browser needs none of it
    from console.browser import chromium, sign_in_by_link  # noqa: PLC0415 - as above
    from console.many import many  # noqa: PLC0415 - as above

    say(f"filling {wanted.n:,} objects")
    with (
        tempfile.TemporaryDirectory() as folder,
        many(Path(folder), wanted.n) as served,
        chromium() as browser,
    ):
        context = browser.new_context()
        sign_in_by_link(context.new_page(), served["link"])
        state = context.storage_state()
        context.close()
        say("opening the browser")
        found = seen(browser, served["url"], state, wanted.rounds)
    figures = (
        Figure("C2 list usable, median", statistics.median(found.usable), "s", Goal("<=", 1.0)),
        Figure("C2 list usable, worst", max(found.usable), "s", Goal("<=", 1.0)),
        Figure("C2 key to rows, median of 20", statistics.median(found.keys), "s", Goal("<=", 0.3)),
        Figure("C2 key to rows, worst of 20", max(found.keys), "s", Goal("<=", 0.3)),
        Figure("C2 largest answer", found.largest / KILOBYTE, "KB", Goal("<=", 200)),
        Figure("C2 lists asked for without a size", len(found.unsized), "", Goal("<=", 0)),
        Figure("C2 rows that are drawn", found.drawn, "", Goal("<=", MOST_DRAWN)),
        Figure("largest paint, CPU slowed 4 times", statistics.median(found.painted), "s", Goal("<=", 1.5)),
    )
    return Measured(tuple(map(row_of, figures)), (NOTE,))


CONSOLE: Final = Command(ABOUT, parse, measure)
