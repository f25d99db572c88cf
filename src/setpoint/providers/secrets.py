"""The operator's own secrets, as files of the data folder: declared by name, never stored with intent."""

from pathlib import Path

from msgspec import Struct

from setpoint.access.hosts import why_not_sent
from setpoint.capabilities.world import Destination, Opened
from setpoint.engine.entity import Ref
from setpoint.engine.errors import Denied, Missing
from setpoint.log import Log

PREFIX = "secret://"
HOSTS = ".hosts"
"""Ends the name of the file beside a secret that lists the hosts it serves, one in each line."""

log = Log("secrets")


class FolderSecrets(Struct, frozen=True):
    """`secret://hetzner` is the file `acme/hetzner` in this folder for acme, or `hetzner` for all."""

    folder: Path

    async def open(
        self, organization: str, name: str, by: Ref, to: Destination, *, newest: bool = False
    ) -> Opened:
        short, own = name.removeprefix(PREFIX), self.folder / organization
        # Names are checked by the kinds' schemas; this is the second wall.
        inside = (own / short).parent == own and own.parent == self.folder and organization != ".."
        if not name.startswith(PREFIX) or not inside or short.endswith(HOSTS):
            raise Missing(f"{name} is not a secret's name")
        file = next((each for each in (own / short, self.folder / short) if each.is_file()), own / short)
        try:
            value = file.read_text().strip()
            beside = file.with_name(f"{file.name}{HOSTS}")
            hosts = tuple(beside.read_text().split()) if beside.is_file() else ()
        except (OSError, UnicodeDecodeError) as error:
            # Tenants read the sentence, and the server's folders are none of their business.
            log.info("a secret is not there", name=name, organization=organization, file=str(file))
            cure = f"setpoint secret set {short}"
            raise Missing(f"{name} is not there, or cannot be read: {cure}") from error
        if why := why_not_sent(name, hosts, to.url, to.published):
            raise Denied(why)
        return Opened(value=value)

    async def used(self, organization: str, name: str, by: Ref, version: int) -> None:
        """A file has no versions."""
