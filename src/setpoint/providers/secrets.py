"""The operator's own secrets, as files of the data folder: declared by name, never stored with intent."""

from pathlib import Path

from msgspec import Struct

from setpoint.capabilities.world import Opened
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Missing

PREFIX = "secret://"


class FolderSecrets(Struct, frozen=True):
    """`secret://hetzner` is the file `acme/hetzner` in this folder for acme, or `hetzner` for all."""

    folder: Path

    async def open(self, organization: str, name: str, by: Ref, *, newest: bool = False) -> Opened:
        short, own = name.removeprefix(PREFIX), self.folder / organization
        # Names are checked by the kinds' schemas; this is the second wall.
        inside = (own / short).parent == own and own.parent == self.folder and organization != ".."
        if not name.startswith(PREFIX) or not inside:
            raise Missing(f"{name} is not a secret's name")
        file = next((each for each in (own / short, self.folder / short) if each.is_file()), own / short)
        try:
            return Opened(value=file.read_text().strip())
        except (OSError, UnicodeDecodeError) as error:
            cure = f"setpoint secret set {short}, or put it into {file}"
            raise Missing(f"{name} is not there: {cure}") from error

    async def used(self, organization: str, name: str, by: Ref, version: int) -> None:
        """A file has no versions."""
