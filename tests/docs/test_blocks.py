"""Every `console`, `python` and `yaml` block of the manual and of README.md is played, page by page."""

from pathlib import Path

import pytest

from docs.manual import Page, pages, readme
from docs.player import play

PAGES = [page for page in (readme(), *pages()) if page.is_played]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_can_be_played_from_top_to_bottom(page: Page, tmp_path: Path) -> None:
    play(page, tmp_path)
