"""Gives the secrets of an older version their hosts: each goes on serving what it was used at until now."""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from setpoint.access.hosts import Place, is_ourselves, place_of, why_not_sent
from setpoint.engine.entity import Declared
from setpoint.engine.errors import Conflict
from setpoint.engine.kind import Kinds, entity_from
from setpoint.engine.secret import Sealed, Secret
from setpoint.engine.store import DECLARED_PAGE, SECRETS_OF, Change, Expect, Put, Store
from setpoint.secret_fields import REFERENCE

AT_ONCE = 200
Used = dict[str, list[tuple[str, str]]]
"""Secret -> the addresses that it is used at, each with the published one of its vendor."""


class Placing(Struct, frozen=True):
    """Of one organization at a time; it does nothing where every secret has its hosts."""

    store: Store
    kinds: Kinds

    async def of(self, organization: Declared) -> None:
        rows, after = [], ""
        while page := await self.store.read(SECRETS_OF, home=organization.ref, after=after, limit=AT_ONCE):
            rows += [row for row in page if any(each.hosts is None for each in row.versions)]
            after = page[-1].name
        used = await self._used(organization.tenant) if rows else {}
        for row in rows:
            await self._place(row, hosts_of(used.get(row.name, [])))

    async def _used(self, organization: str) -> Used:
        found: Used = {}
        for kind in (each for each in self.kinds.values() if each.secrets):
            after, place = "", {"organization": organization, "project": "", "workspace": ""}
            while page := await self.store.read(
                DECLARED_PAGE, kind=kind.name, **place, after=after, limit=AT_ONCE
            ):
                for row in page:
                    for name, url in _named(row, kind.secrets):
                        spec = entity_from(self.kinds, row, None).spec
                        own = kind.published(spec) if kind.published else ""
                        found.setdefault(name, []).append((url, own))
                after = page[-1].ref
        return found

    async def _place(self, row: Secret, hosts: tuple[str, ...]) -> None:
        def placed(sealed: Sealed) -> Sealed:
            return replace(sealed, hosts=hosts) if sealed.hosts is None else sealed

        before = placed(row.before) if row.before else None
        written = replace(row, now=placed(row.now), before=before, revision=row.revision + 1)
        try:
            expect = Expect(Secret, row.id, "revision", row.revision)
            await self.store.commit(Change(expects=(expect,), writes=(Put(written),)))
        except Conflict:
            return  # Somebody set it at this moment; the next round looks again.


def hosts_of(used: list[tuple[str, str]]) -> tuple[str, ...]:
    """None where all of them are served without being named; else every one of them."""
    if all(not why_not_sent("", (), url, own) for url, own in used):
        return ()
    places = [place for url, _ in used if (place := place_of(url)) is not None]
    return tuple(sorted({str(Place(each.host) if is_ourselves(each.host) else each) for each in places}))


def _named(row: Declared, fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for field, at in fields.items():
        name = str(row.spec.get(field) or "")
        if name.startswith(REFERENCE):
            yield name.removeprefix(REFERENCE), str(row.spec.get(at) or "")
