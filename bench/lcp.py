"""How long until the console shows what it was opened for: its largest paint, on a processor slowed fourfold.

Run: python -m bench.lcp [--times N]; it needs Chromium and a built console (make console).
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser

from bench.tests_path import reachable

reachable()

from console.browser import Served, chromium, serving  # noqa: E402 - reachable only now

SLOWER: Final = 4
BAR_MS: Final = 1_500
PAGES: Final = ("/now?scope=acme", "/inventory?scope=acme", "/loops?scope=acme")
PAINTED: Final = """() => new Promise((done) => {
  let last = 0;
  new PerformanceObserver((list) => { for (const each of list.getEntries()) last = each.startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });
  setTimeout(() => done(last), 3000);
})"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.lcp", description=__doc__)
    parser.add_argument("--times", type=int, default=5)
    times = parser.parse_args().times
    with (
        chromium() as browser,
        tempfile.TemporaryDirectory() as folder,
        serving(browser, Path(folder)) as served,
    ):
        slowest = max(_told(browser, served, path, times) for path in PAGES)
    return 0 if slowest <= BAR_MS else 1


def _told(browser: Browser, served: Served, path: str, times: int) -> float:
    taken = sorted(painted(browser, served, path) for _ in range(times))
    middle = statistics.median(taken)
    sys.stdout.write(f"{path:24} {middle:6.0f} ms in the middle of {times}, {taken[-1]:.0f} ms at most\n")
    return middle


def painted(browser: Browser, served: Served, path: str) -> float:
    """In a browser that has nothing of it yet."""
    context = browser.new_context(storage_state=served.state, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.goto(served.url + path)
    found = float(page.evaluate(PAINTED))
    context.close()
    return found


if __name__ == "__main__":
    sys.exit(main())
