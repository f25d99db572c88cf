"""The SQL of this folder, by name."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

_FILES = ("queries.sql", "writes.sql", "signs.sql")


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


@cache
def statements() -> Mapping[str, str]:
    """Every statement, read once."""
    everything: dict[str, str] = {}
    for file in _FILES:
        everything |= parsed(Path(__file__).with_name(file).read_text(encoding="utf-8"))
    return MappingProxyType(everything)
