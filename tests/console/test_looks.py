"""Every page: no serious finding of axe-core, and a picture of each, dark, light and narrow."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from .browser import ARTIFACTS, Served, watched
from .pages import PAGES

pytestmark = pytest.mark.real

AXE = Path(__file__).parent.parent.parent / "console" / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")
WAYS = {"dark": 1280, "light": 1280, "narrow": 360}


@pytest.mark.parametrize("way", WAYS)
def test_every_page_is_readable_for_everybody(browser: Browser, served: Served, way: str) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not here; make console fetches it")
    size = {"width": WAYS[way], "height": 800}
    scheme = "light" if way == "light" else "dark"
    # What looks into the page from outside is let past the policy that keeps others out.
    context = browser.new_context(
        storage_state=served.state,
        viewport=size,
        color_scheme=scheme,
        bypass_csp=True,  # type: ignore[arg-type]
    )
    tab = watched(context, served.url)
    folder = ARTIFACTS / "console"
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[str]] = {}
    for path, name in PAGES.items():
        page = tab.open(path)
        page.get_by_role("heading", level=1).first.wait_for()
        tab.rest()
        page.screenshot(path=folder / f"{name}-{way}.png")
        page.add_script_tag(path=AXE)
        said = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
        grave = [each for each in said["violations"] if each["impact"] in GRAVE]
        found |= (
            {name: [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in grave]} if grave else {}
        )
        wide = page.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= WAYS[way], f"{name} is {wide} px wide"
    context.close()
    assert found == {}
    assert tab.complaints == []
