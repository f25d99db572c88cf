"""Every dependency is pinned by hash, no pin names a place, and what we ship has its reasons on record."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
RUNTIME = PROJECT["project"]["dependencies"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
DECLARED = {
    "bench": RUNTIME + PROJECT["dependency-groups"]["bench"],
    "build": PROJECT["dependency-groups"]["build"] + PROJECT["build-system"]["requires"],
    "run": RUNTIME,
    "scaled": RUNTIME + EXTRAS["postgres"] + EXTRAS["redis"] + EXTRAS["temporal"],
    "test": RUNTIME + EXTRAS["test"],
}
RECORD = (ROOT / "decisions" / "0009-dependencies.md").read_text()


@pytest.mark.parametrize("name", [re.split(r"[<>=!~\[; ]", line)[0] for line in RUNTIME])
def test_a_dependency_has_a_reason_a_price_and_a_way_out(name: str) -> None:
    entry = re.search(rf"^## {re.escape(name)}\n(.*?)(?=^## |\Z)", RECORD, re.MULTILINE | re.DOTALL)
    assert entry, f"decisions/0009-dependencies.md has no entry for {name}"
    assert re.findall(r"^- \*\*(.+?):\*\*", entry[1], re.MULTILINE) == [
        "What for",
        "What it costs",
        "How we would leave it",
    ]


@pytest.mark.parametrize("environment", DECLARED)
def test_what_is_declared_is_pinned(environment: str) -> None:
    names = {normal(re.split(r"[<>=!~\[; ]", line)[0]) for line in DECLARED[environment]}
    assert sorted(names - pins(environment).keys()) == []


def test_environments_agree_on_every_version() -> None:
    test = pins("test")
    both = [
        (name, version)
        for name, version in (pins("run") | pins("scaled") | pins("build")).items()
        if name in test
    ]
    assert [(name, version, test[name]) for name, version in both if version != test[name]] == []


@pytest.mark.parametrize("environment", DECLARED)
def test_pins_are_nothing_but_names_versions_and_hashes(environment: str) -> None:
    line = re.compile(r"(    --hash=sha256:[0-9a-f]{64}|[\w.-]+(\[[\w,-]+\])?==[\w.+!]+( ; [^/@]+)?)( \\)?")
    text = (ROOT / "requirements" / f"{environment}.txt").read_text()
    assert [each for each in text.splitlines() if not line.fullmatch(each)] == []


def pins(environment: str) -> dict[str, str]:
    text = (ROOT / "requirements" / f"{environment}.txt").read_text()
    found = re.findall(r"^([\w.-]+)(?:\[.*\])?==([\w.+!]+)", text, re.MULTILINE)
    return {normal(name): version for name, version in found}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
