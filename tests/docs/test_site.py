"""The site builds without a warning, and what builds it is pinned and has its reasons on record."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from docs.manual import DOCS, ROOT, pages

BUILDER = ROOT / ".docs" / "bin" / "zensical"


@pytest.mark.skipif(not BUILDER.exists(), reason="needs .docs; make it with: scripts/setup docs")
def test_every_page_is_built_without_a_warning(tmp_path: Path) -> None:
    shutil.copytree(DOCS, tmp_path / "docs")
    (tmp_path / "mkdocs.yml").write_text((ROOT / "mkdocs.yml").read_text())
    done = subprocess.run(  # noqa: S603 - our own words
        [BUILDER, "build", "--strict"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout + done.stderr
    built = {
        path.relative_to(tmp_path / "site").with_suffix(".md") for path in tmp_path.rglob("site/*/*.html")
    }
    wanted = {
        page.path.relative_to(DOCS) for page in pages() if page.path.name not in ("README.md", "index.md")
    }
    assert wanted <= built


def test_what_builds_it_is_pinned_by_hash_and_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    names = [re.split(r"[<>=]", line)[0] for line in project["dependency-groups"]["docs"]]
    pins = (ROOT / "requirements" / "docs.txt").read_text()
    record = (ROOT / "decisions" / "0009-dependencies.md").read_text()
    assert [name for name in names if f"\n{name}==" not in f"\n{pins}" or f"**{name}**" not in record] == []
    line = re.compile(r"(    --hash=sha256:[0-9a-f]{64}|[\w.-]+==[\w.+!]+( ; [^/@]+)?)( \\)?")
    assert [each for each in pins.splitlines() if not line.fullmatch(each)] == []
