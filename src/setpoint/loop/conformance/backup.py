"""The files that a loop reads, as they were: for a loop that can no longer put them back itself."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LARGEST: Final = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Backup:
    """File -> its bytes, None where there is none; and folder -> the files in it."""

    files: Mapping[Path, bytes | None]
    folders: Mapping[Path, frozenset[Path]]

    @classmethod
    def of(cls, files: Iterable[str], folders: Iterable[str]) -> "Backup":
        return cls(
            {path: _content(path) for path in map(Path.absolute, map(Path, files)) if _small(path)},
            {
                folder.absolute(): _files(folder.absolute())
                for folder in map(Path, folders)
                if folder.is_dir()
            },
        )

    def put_back(self) -> None:
        """Every byte as it was; what came into its folders since then goes."""
        for folder, before in self.folders.items():
            for path in _files(folder) - before:
                path.unlink(missing_ok=True)
        for path, content in self.files.items():
            with suppress(OSError):
                if content is None:
                    path.unlink(missing_ok=True)
                elif _content(path) != content:
                    path.write_bytes(content)


def _small(path: Path) -> bool:
    return not path.exists() or (path.is_file() and path.stat().st_size <= LARGEST)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _files(folder: Path) -> frozenset[Path]:
    return frozenset(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else frozenset()
