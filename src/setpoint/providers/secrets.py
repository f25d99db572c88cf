"""Secrets as files of the data folder: declared by name, opened here, never stored with intent."""

from dataclasses import dataclass
from pathlib import Path

from setpoint.engine.errors import Missing

PREFIX = "secret://"


@dataclass(frozen=True, slots=True)
class FolderSecrets:
    """`secret://hetzner` is the file `hetzner` in this folder."""

    folder: Path

    def open(self, name: str) -> str:
        file = self.folder / name.removeprefix(PREFIX)
        # Names are checked by the kinds' schemas; this is the second wall.
        if not name.startswith(PREFIX) or file.parent != self.folder:
            raise Missing(f"{name} is not a secret's name")
        try:
            return file.read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise Missing(f"{name} is not there: put it into {file}") from error
