"""A real browser before it: when rows can be used, how fast they follow a key, and how much is sent."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, Page, Response

AnyJson = Any
INVENTORY: Final = "/inventory?scope=acme"
ROWS: Final = "[role=rowgroup] [role=row]"
SLOWER: Final = 4
"""Times that a common laptop is slower than a fast machine."""
WATCH: Final = """
addEventListener("keydown", () => { window.pressedAt = performance.now() }, true);
window.until = (wanted) => new Promise((done) => {
  const look = () => {
    const rows = [...document.querySelectorAll("ROWS")];
    if (rows.length > 0 && wanted(rows)) done(performance.now());
    else requestAnimationFrame(look);
  };
  look();
});
window.usable = window.until(() => true);
new PerformanceObserver((list) => { window.largest = list.getEntries().at(-1).startTime })
  .observe({ type: "largest-contentful-paint", buffered: true });
""".replace("ROWS", ROWS)


@dataclass(frozen=True, slots=True)
class Seen:
    """Seconds, bytes, and what was asked for without a size."""

    usable: tuple[float, ...]
    keys: tuple[float, ...]
    painted: tuple[float, ...]
    largest: int
    unsized: tuple[str, ...]
    drawn: int


def seen(browser: Browser, url: str, state: AnyJson, rounds: int) -> Seen:
    """All of it, each opening in a browser that has nothing in its cache."""
    responses: list[Response] = []
    usable, painted = [], []
    for _ in range(rounds):
        context = _context(browser, state)
        page = _opened(context, url, responses)
        usable.append(page.evaluate("() => window.usable") / 1000)
        context.close()
        painted.append(_painted(browser, url, state))
    context = _context(browser, state)
    page = _opened(context, url, responses)
    page.evaluate("() => window.usable")
    keys = tuple(_pressed(page))
    drawn = page.locator(ROWS).count()
    asked = [each for each in responses if "/v1/" in each.url]
    largest = max(int(each.headers.get("content-length", 0)) for each in asked)
    unsized = tuple(each.url for each in asked if "/inventory" in each.url and "page_size" not in each.url)
    context.close()
    return Seen(tuple(usable), keys, tuple(painted), largest, unsized, drawn)


def _context(browser: Browser, state: AnyJson) -> BrowserContext:
    context = browser.new_context(storage_state=state, viewport={"width": 1280, "height": 800})
    context.add_init_script(WATCH)
    return context


def _opened(context: BrowserContext, url: str, responses: list[Response]) -> Page:
    page = context.new_page()
    page.on("response", lambda each: responses.append(each))  # noqa: PLW0108 - it marks what it is given
    page.goto(url + INVENTORY)
    return page


def _pressed(page: Page) -> Iterator[float]:
    """Seconds from a key to rows that all have in their names what was typed."""
    field = page.get_by_label("find by name")
    for base in ("l-0", "l-00"):
        for key in "1234567890":
            field.fill(base)
            wanted = f"rows => rows.every(row => row.textContent.includes('{base}'))"
            page.evaluate(f"() => window.until({wanted})")
            page.wait_for_timeout(300)
            wanted = f"rows => rows.every(row => row.textContent.includes('{base}{key}'))"
            page.evaluate(f"() => {{ window.there = window.until({wanted}) }}")
            field.press(key)
            yield page.evaluate("() => window.there.then((at) => at - window.pressedAt)") / 1000


def _painted(browser: Browser, url: str, state: AnyJson) -> float:
    """Seconds to the largest paint of the first page, on a slower processor."""
    context = _context(browser, state)
    page = context.new_page()
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.goto(url + INVENTORY)
    page.evaluate("() => window.usable")
    page.wait_for_timeout(500)
    found: float = page.evaluate("() => window.largest") / 1000
    context.close()
    return found
