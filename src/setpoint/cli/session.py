"""One run of a remote verb: the client, the screen, and the scope that flags and environment name."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final

from setpoint.cli.catalogue import Catalogue
from setpoint.cli.exits import Exit, Stop
from setpoint.cli.screen import Screen
from setpoint.cli.suggest import did_you_mean
from setpoint.client.address import Scope
from setpoint.client.endpoint import Endpoint
from setpoint.client.errors import Refused
from setpoint.client.resource import Kind, Object

if TYPE_CHECKING:
    from setpoint.client.client import Client
    from setpoint.client.identity import Identity

NOT_FOUND: Final = 404
NAMES_COMPARED: Final = 500


@dataclass(frozen=True)
class Session:
    """What every verb is handed."""

    endpoint: Endpoint
    screen: Screen
    given: Scope

    @cached_property
    def client(self) -> "Client":
        # Here and not at the top: a verb that asks nothing does without HTTP.
        from setpoint.client.client import Client  # noqa: PLC0415
        from setpoint.client.connection import Connection  # noqa: PLC0415

        return Client(Connection(self.endpoint))

    @cached_property
    def identity(self) -> "Identity":
        from setpoint.client.identity import Identity  # noqa: PLC0415 - as above

        return Identity(self.client)

    def close(self) -> None:
        if "client" in self.__dict__:
            self.client.close()

    @cached_property
    def catalogue(self) -> Catalogue:
        return Catalogue(self.client.kinds())

    @cached_property
    def organization(self) -> str:
        """The one that was named, or the only one there is."""
        return self.given.organization or self._only_organization()

    @property
    def scope(self) -> Scope:
        return Scope(self.organization, self.given.project, self.given.workspace)

    def scope_for(self, kind: Kind) -> Scope:
        """Where things of this kind are looked for; nothing is asked for what lives in no scope."""
        return Scope() if kind.level == "installation" else self.scope.up_to(kind.level)

    def object(self, kind: Kind, name: str) -> Object:
        """The one of this name: at its own level when that is known, else the only one below the scope."""
        scope = self.scope_for(kind)
        if scope.level == kind.level:
            try:
                return self.client.read(kind, scope, name)
            except Refused as error:
                if error.problem.status != NOT_FOUND:
                    raise
                raise self._missing(kind, name) from error
        same = [found for found in self.client.objects(kind, scope) if found.name == name]
        if not same:
            raise self._missing(kind, name)
        if len(same) > 1:
            places = ", ".join(sorted(str(found.scope) for found in same))
            hint = "say which: --project NAME, --workspace NAME"
            raise Stop(f"{kind.name} {name} exists in {places}", Exit.USAGE, (hint,))
        return same[0]

    def kind_of(self, found: Object) -> Kind:
        return self.catalogue.find(found.kind)

    def _missing(self, kind: Kind, name: str) -> Stop:
        known = [found.name for found in islice(self._around(kind), NAMES_COMPARED)]
        where = str(self.scope_for(kind))
        place = f" in {where}" if where else ""
        return Stop(
            f"there is no {kind.name} {name}{place}",
            Exit.FAILED,
            (*did_you_mean(name, known), f"setpoint get {kind.plural}"),
        )

    def _around(self, kind: Kind) -> Iterator[Object]:
        """Those of this kind that may be read; none where that is refused."""
        try:
            yield from self.client.objects(kind, self.scope_for(kind))
        except Refused:
            return

    def _bound_organization(self) -> str:
        """The one that the credential is for, where it is for one: it may not be allowed to list any."""
        roles = self.client.me().get("roles") or ()
        names = {str(each.get("scope") or "").partition("/")[0] for each in roles}
        return names.pop() if len(names) == 1 else ""

    def _only_organization(self) -> str:
        names = [found.name for found in self._around(self.catalogue.find("organization"))]
        if len(names) == 1:
            return names[0]
        if not names and (bound := self._bound_organization()):
            return bound
        if not names:
            steps = ("setpoint explain organization", "setpoint apply -f FILE")
            raise Stop("there is no organization yet; declare one first", Exit.FAILED, steps)
        shown = ", ".join(sorted(names)[:5]) + (" …" if len(names) > 5 else "")  # noqa: PLR2004
        hint = f"for example: --organization {names[0]}, or set SETPOINT_ORGANIZATION"
        raise Stop(f"there are {len(names)} organizations ({shown}); say which one", Exit.USAGE, (hint,))
