"""SQL in named files: each statement under its name and a sentence, called by that name."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType


def named(folder: Path, files: Sequence[str]) -> Mapping[str, str]:
    """Every statement of these files."""
    everything: dict[str, str] = {}
    for file in files:
        everything |= parsed((folder / file).read_text(encoding="utf-8"))
    return MappingProxyType(everything)


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
