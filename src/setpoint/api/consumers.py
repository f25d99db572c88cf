"""Which declared things name a secret, and which version of it last worked for each."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from setpoint.api.services import Services
from setpoint.engine.entity import Declared, Ref
from setpoint.engine.store import DECLARED_PAGE, USES_OF

AnyJson = Any
PREFIX: Final = "secret://"
AT_ONCE: Final = 500


class Consumer(Struct, frozen=True):
    """Something that names a secret; `version` 0: it was not seen to work with any."""

    row: Declared
    version: int = 0

    @property
    def title(self) -> str:
        return f"{self.row.kind} {self.row.name}"


class Consumers(Struct, frozen=True):
    """Of one organization's secrets."""

    services: Services

    async def by_name(self, organization: str, home: Ref) -> Mapping[str, tuple[Consumer, ...]]:
        """Secret -> everything that names it, by kind and name."""
        uses = {
            (use.name, use.ref): use.version for use in await self.services.store.read(USES_OF, home=home)
        }
        found: dict[str, list[Consumer]] = {}
        for kind, fields in self._fields().items():
            after = ""
            while rows := await self._page(kind, organization, after):
                for row in rows:
                    for name in dict.fromkeys(_named(row, fields)):
                        found.setdefault(name, []).append(Consumer(row, uses.get((name, row.ref), 0)))
                after = rows[-1].ref
        return {name: tuple(consumers) for name, consumers in found.items()}

    async def _page(self, kind: str, organization: str, after: str) -> list[Declared]:
        return await self.services.store.read(
            DECLARED_PAGE,
            kind=kind,
            organization=organization,
            project="",
            workspace="",
            after=after,
            limit=AT_ONCE,
        )

    def _fields(self) -> dict[str, tuple[str, ...]]:
        """Kind -> its fields that name a secret."""
        return {kind.name: tuple(kind.secrets) for kind in self.services.kinds.values() if kind.secrets}


def _named(row: Declared, fields: tuple[str, ...]) -> Iterator[str]:
    for field in fields:
        value = row.spec.get(field)
        if isinstance(value, str) and value.startswith(PREFIX):
            yield value.removeprefix(PREFIX)
