"""The manual hangs together: every page is of one of four sorts and in the map, every link goes somewhere."""

import re
from pathlib import Path

import pytest
import yaml

from docs.manual import DOCS, PLAYED, ROOT, WALKS, Page, pages, readme
from setpoint.access.role import SEEDED
from setpoint.cli.remote import LOCAL_VERBS, VERBS
from setpoint.drive.fail_points import POINTS
from setpoint.engine.guards import GUARDS, Guard
from setpoint.kinds import ALL, by_name
from setpoint.loop import __all__ as exported
from setpoint.loop.keyed import OPTIONS, PARAMETERS
from setpoint.settings import Settings

FOLDERS = {"tutorial": "tutorial", "how-to": "how-to", "explanation": "explanation", "reference": "reference"}
PAGES = pages()
CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
WORDS = (*PLAYED, "text", "")
"""Fence words: what is run, and what is only shown."""


@pytest.mark.parametrize(
    "page", [p for p in PAGES if WALKS not in p.path.parents], ids=lambda page: page.name
)
def test_a_page_says_which_of_the_four_sorts_it_is(page: Page) -> None:
    """The walks are explanation, and held by tests of their own."""
    folder = page.path.relative_to(DOCS).parts[0]
    assert page.front["kind"] == FOLDERS.get(folder, "explanation")


def test_every_page_is_in_the_map_once() -> None:
    assert sorted(mapped(CONFIG["nav"])) == sorted(str(page.path.relative_to(DOCS)) for page in PAGES)


@pytest.mark.parametrize("page", [readme(), *PAGES], ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Page) -> None:
    assert [link for link in page.links if not leads_somewhere(page, link)] == []


@pytest.mark.parametrize("page", [readme(), *PAGES], ids=lambda page: page.name)
def test_every_block_is_run_or_says_that_it_is_only_shown(page: Page) -> None:
    assert [block.line for block in page.blocks if block.word not in WORDS] == []


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.name)
def test_the_story_of_each_guard_names_its_numbers_and_how_it_lets_go(guard: Guard) -> None:
    text = Page(DOCS / "explanation" / "guards.md").text
    story = re.search(rf"^### `{guard.name}`\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
    assert story
    assert [limit for limit in guard.limits if f"`{limit}`" not in story[1]] == []
    assert "*Lets go*" in story[1]
    assert "*Behind it:*" in story[1]


def test_every_named_point_of_the_act_protocol_is_explained() -> None:
    text = Page(DOCS / "explanation" / "the-act-protocol.md").text
    assert re.findall(r"^\| `(\w+\.\w+)` \|", text, re.MULTILINE) == list(POINTS)


def test_everything_a_loop_may_have_is_in_its_reference() -> None:
    text = Page(DOCS / "reference" / "loop-class.md").text
    methods = [f"`{name}({', '.join(words)})`" for name, words in PARAMETERS.items()]
    named = [f"`{name}`" for name in OPTIONS]
    assert [each for each in (*methods, *named, *exported) if each not in text] == []


def test_the_loop_of_the_readme_has_at_most_twenty_lines() -> None:
    (loop,) = [block.text for block in readme().blocks if block.word == "python"]
    assert len([line for line in loop.splitlines() if line.strip()]) <= 20


def mapped(entry: object) -> list[str]:
    """Every page that the map names, in its order."""
    if isinstance(entry, str):
        return [entry]
    parts = entry.values() if isinstance(entry, dict) else entry
    assert not isinstance(parts, str)
    return [page for part in parts for page in mapped(part)]  # type: ignore[union-attr]


def leads_somewhere(page: Page, link: str) -> bool:
    if link.startswith(("https://", "http://")):
        return True
    path, _, anchor = link.partition("#")
    target = (page.path.parent / path).resolve() if path else page.path
    if not target.exists():
        return False
    return not anchor or anchor in Page(Path(target)).anchors


def test_the_first_page_leads_to_every_other() -> None:
    linked = {target.partition("#")[0] for target in Page(DOCS / "index.md").links}
    every = {page.path.relative_to(DOCS).as_posix() for page in PAGES if WALKS not in page.path.parents}
    assert every - linked - {"index.md"} == set()


DENIED = re.compile(
    r"not there yet|is not yet|are not yet|there is no\b|there are no\b|has no\b|have no\b|does not have"
    r"|cannot yet|not supported|only one process|runs in one process",
    re.IGNORECASE,
)
THERE = {
    "PostgreSQL": "database" in Settings.__struct_fields__,
    "Redis": "hints" in Settings.__struct_fields__,
    "Temporal": "runner" in Settings.__struct_fields__,
    "replicas": "lease_seconds" in Settings.__struct_fields__,
    "console": (ROOT / "console" / "src").is_dir(),
    "roles": bool(SEEDED),
    "audit": "audit" in VERBS,
    "webhook": "webhook" in by_name(ALL),
    "backup": "backup" in LOCAL_VERBS,
    **{kind.name: True for kind in ALL},
}
"""What there is, by the registries: kinds, verbs, settings, roles."""


@pytest.mark.parametrize("page", [*PAGES, readme()], ids=lambda page: page.name)
def test_no_page_denies_what_there_is(page: Page) -> None:
    """By sentence. One that denies something else in the same breath is written as two."""
    for sentence in re.split(r"(?<=[.:;|])\s+|\n\n", page.prose):
        if DENIED.search(sentence):
            denied = [word for word, there in THERE.items() if there and re.search(rf"\b{word}\b", sentence)]
            assert denied == [], sentence
