"""SQL in named files: each statement under its name and a sentence, called by that name."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

_JOINED: Final = """SELECT page.body, status.body FROM (
{}
) AS page LEFT JOIN status USING (ref) ORDER BY page.ref;"""
ALIKE: Final = Path(__file__).parent / "overview.sql"
"""What every dialect says in the same words."""
_WALK: Final = "declared_by"
_WALKS: Final = {
    "declared_by_created": ("ref > :after", "ref"),
    "declared_by_created_down": ("ref < :after", "ref DESC"),
    "declared_by_name": ("(name, ref) > (:value, :after)", "name, ref"),
    "declared_by_name_down": ("(name, ref) < (:value, :after)", "name DESC, ref DESC"),
    "declared_by_changed": ("(changed_at, ref) > (:value, :after)", "changed_at, ref"),
    "declared_by_changed_down": ("(changed_at, ref) < (:value, :after)", "changed_at DESC, ref DESC"),
}
"""Each order, and what comes after a place in it."""
SHOWN: Final = ("declared_at", "declared_page")
"""Questions that are also asked for bodies with their statuses; each reads the ref beside the body."""


def named(folder: Path, files: Sequence[str]) -> Mapping[str, str]:
    """Every statement of these files."""
    everything: dict[str, str] = {}
    for file in files:
        everything |= parsed((folder / file).read_text(encoding="utf-8"))
    return MappingProxyType(everything)


def with_walks(known: Mapping[str, str]) -> Mapping[str, str]:
    """All that is said alike everywhere; the one walk once for each order."""
    alike = parsed(ALIKE.read_text(encoding="utf-8"))
    walk = alike.pop(_WALK)
    walks = {name: walk.format(beyond=beyond, order=order) for name, (beyond, order) in _WALKS.items()}
    return MappingProxyType({**known, **alike, **walks})


def bodies_of(question: str) -> str:
    """What this question is called where it is asked for bodies with their statuses."""
    return f"{question}_bodies"


def with_bodies(known: Mapping[str, str]) -> Mapping[str, str]:
    """Each of `SHOWN` once more, joined with the statuses."""
    joined = {bodies_of(name): _JOINED.format(known[name].rstrip(";")) for name in SHOWN}
    return MappingProxyType({**known, **joined})


def parsed(text: str) -> dict[str, str]:
    """Statements under their `-- name:` headers, without comments."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("-- name: "):
            name = line.removeprefix("-- name: ").strip()
            if name in found:
                raise ValueError(f"two statements are called {name}")
            found[name] = []
        elif name and line.strip() and not line.lstrip().startswith("--"):
            found[name].append(line)
    return {name: "\n".join(lines) for name, lines in found.items()}
