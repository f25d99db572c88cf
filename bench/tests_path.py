"""The real servers and processes that our tests start, for comparisons that need them too."""

import sys

from bench.contest import ROOT


def reachable() -> None:
    """The modules of `tests/` can be imported from here on."""
    if (tests := str(ROOT / "tests")) not in sys.path:
        sys.path.insert(0, tests)
