"""The pages of the manual, as values: front matter, headings, links and code blocks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
WALKS = DOCS / "walks"
PLAYED = ("console", "python", "yaml")
"""Fence words of blocks that are run. A block that cannot be run here has another one, as `text`."""
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(?<!\[)`[^`\n]+`(?!\])")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """One fenced block: its word, its text, and the line of the page where it starts."""

    word: str
    text: str
    line: int


@dataclass(frozen=True)
class Page:
    """One Markdown file."""

    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text()

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT)) if self.path.is_relative_to(ROOT) else self.path.name

    @cached_property
    def front(self) -> dict[str, str]:
        """What stands between the two lines of dashes at the top."""
        found = re.match(r"---\n(.*?)^---\n", self.text, re.MULTILINE | re.DOTALL)
        pairs = (line.partition(":") for line in found[1].splitlines()) if found else ()
        return {key.strip(): value.strip() for key, _, value in pairs}

    @property
    def blocks(self) -> Iterator[Block]:
        for found in FENCE.finditer(self.text):
            yield Block(found[1], found[2], self.text.count("\n", 0, found.start()) + 1)

    @property
    def is_played(self) -> bool:
        return any(block.word in PLAYED for block in self.blocks)

    @property
    def prose(self) -> str:
        """The page without its blocks."""
        return FENCE.sub("", self.text)

    @property
    def links(self) -> Iterator[str]:
        yield from LINK.findall(CODE.sub("", self.prose))

    @property
    def anchors(self) -> set[str]:
        """Where a link into this page may lead: its headings, as the site names them."""
        return {anchor(title) for title in re.findall(r"^#+ (.+)$", self.prose, re.MULTILINE)}


def anchor(title: str) -> str:
    plain = re.sub(r"[^\w\s-]", "", title.replace("`", "")).strip().lower()
    return re.sub(r"[\s-]+", "-", plain)


def pages() -> list[Page]:
    """Every page of the manual."""
    return [Page(path) for path in sorted(DOCS.rglob("*.md"))]


def readme() -> Page:
    return Page(ROOT / "README.md")
