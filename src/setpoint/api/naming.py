"""Who may name a secret in a declaration, and send it to which host: one question for every kind and field.

Asked of what is new or moved: whoever changes something else about an account needs no right to its secret.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, convert

from setpoint.access.hosts import agrees_to, place_of, takes_tls_off, why_not_sent
from setpoint.access.permission import Permission
from setpoint.access.subject import Subject
from setpoint.api.services import Services
from setpoint.engine.entity import Declared, Ref, Scope, slot
from setpoint.engine.errors import Mistake, Rejected
from setpoint.engine.kind import Kind
from setpoint.engine.secret import Secret, secret_id
from setpoint.engine.store import DECLARED_AT, DECLARED_OF, listed
from setpoint.secret_fields import REFERENCE

USE: Final = "organization.secret.use"


class Named(Struct, frozen=True):
    """One field of a declaration that names a secret, and the address that it is sent to."""

    row: Declared
    field: str
    at: str
    """The field with the address."""

    @property
    def secret(self) -> str:
        return str(self.row.spec.get(self.field) or "")

    @property
    def url(self) -> str:
        return str(self.row.spec.get(self.at) or "")

    def moved_from(self, before: Declared | None) -> str:
        """What is different from what was declared before: the secret, its host, or nothing."""
        if before is None or before.spec.get(self.field) != self.secret:
            return "secret"
        url = self.url_before(before)
        return "host" if place_of(url) != place_of(self.url) or takes_tls_off(url, self.url) else ""

    def url_before(self, before: Declared | None) -> str:
        return str(before.spec.get(self.at) or "") if before is not None else ""


class Naming(Struct, frozen=True):
    """One author's right to have secrets used."""

    services: Services
    subject: Subject
    pointers: Mapping[str, str]

    async def check(self, rows: Sequence[Declared]) -> None:
        """Raises every secret that they may not name, and every one that does not serve where it would go."""
        named = [each for row in rows if not row.deleting for each in self._named(row)]
        if not named:
            return
        refs = listed(each.row.ref for each in named if each.row.generation)
        before = {row.ref: row for row in await self.services.store.read(DECLARED_OF, refs=refs)}
        wrong = [mistake async for mistake in self._mistakes(named, before)]
        if wrong:
            raise Rejected(f"{wrong[0].message}; nothing was stored", tuple(wrong))

    def _named(self, row: Declared) -> Iterator[Named]:
        for field, at in self.services.kinds[row.kind].secrets.items():
            if str(row.spec.get(field) or "").startswith(REFERENCE):
                yield Named(row, field, at)

    async def _mistakes(
        self, named: Sequence[Named], before: Mapping[Ref, Declared]
    ) -> AsyncIterator[Mistake]:
        for each in named:
            known = before.get(each.row.ref)
            moved, url = each.moved_from(known), each.url_before(known)
            if not moved:
                continue
            hosts, kind = await self._hosts(each), self.services.kinds[each.row.kind]
            meant = moved == "host" and agrees_to(hosts or (), url, each.url)
            if not meant and not self._may(each.row):
                yield self._mistake(each, each.field if moved == "secret" else each.at, moved)
            elif hosts is not None and (why := _elsewhere(each, hosts, kind)):
                yield Mistake(pointer=self._pointer(each.row, each.at), code="secret_elsewhere", message=why)

    def _may(self, row: Declared) -> bool:
        now, scope = self.services.runtime.now(), Scope(row.organization)
        return self.subject.may(Permission("execute", USE), scope, now).allowed

    def _mistake(self, named: Named, field: str, moved: str) -> Mistake:
        row, place = named.row, place_of(named.url)
        to = f"{place} in clear" if named.url.lower().startswith("http:") else str(place)
        what = f"have {named.secret} used" if moved == "secret" else f"move {named.secret} to {to}"
        message = f"{self.subject.name} may not {what} by {row.kind} {row.name}: that needs execute {USE}"
        return Mistake(
            pointer=self._pointer(row, field),
            code="forbidden",
            message=message,
            hint=f"setpoint can-i execute {USE}",
        )

    def _pointer(self, row: Declared, field: str) -> str:
        return f"{self.pointers.get(row.slot, '')}/spec/{field}"

    async def _hosts(self, named: Named) -> tuple[str, ...] | None:
        """Which hosts it serves; None where that is not known here, as of the operator's files."""
        place = slot("organization", Scope(), named.row.organization)
        home = await self.services.store.read(DECLARED_AT, slot=place)
        name = named.secret.removeprefix(REFERENCE)
        found = await self.services.store.get(Secret, secret_id(home[0].ref, name)) if home else None
        return found.now.hosts if found is not None else None


def _elsewhere(named: Named, hosts: Sequence[str], kind: Kind) -> str:
    published = kind.published(convert(named.row.spec, kind.spec)) if kind.published else ""
    return why_not_sent(named.secret, hosts, named.url, published)
