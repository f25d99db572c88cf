"""The way in, and the list of all there is."""

import pytest

from .browser import Served, Watched

pytestmark = pytest.mark.real


def test_whoever_has_the_first_link_signs_in_and_sees_a_host(tab: Watched, served: Served) -> None:
    page = tab.open("/inventory?scope=acme&kind=host")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="web-1"))
    row.get_by_text("READY").wait_for()
    assert served.found["link"].rpartition("#")[2] not in page.url
