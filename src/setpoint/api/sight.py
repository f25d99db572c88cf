"""What one subject gets to see, where a request reaches more than that."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct

from setpoint.access.permission import Permission, Verb, key_of
from setpoint.access.subject import Subject
from setpoint.api.beginning import begun_at, places_of
from setpoint.api.giving import Giving
from setpoint.api.services import Services
from setpoint.engine.draft import Author
from setpoint.engine.entity import Declared, Scope
from setpoint.engine.rows import Event, PlanRow
from setpoint.engine.store import DECLARED_OF

AnyField = Any


class Sight(Struct, frozen=True):
    """Asked one by one; what lies outside of it is as if it were not there."""

    services: Services
    subject: Subject

    def may(self, verb: Verb, key: str, scope: Scope, name: str = "") -> bool:
        now = self.services.runtime.now()
        return self.subject.may(Permission(verb, key), scope, now, name).allowed

    def may_to(self, verb: Verb, declared: Declared) -> bool:
        """Whether they may do this to that object."""
        key = key_of(self.services.kinds[declared.kind])
        return self.may(verb, key, declared.inner or declared.scope, declared.name)

    def author(
        self, *, tried: bool = False, pointers: Mapping[str, str] | None = None, **more: AnyField
    ) -> Author:
        """They as whoever declares, or only asks what it would do: row by row, and of all rows as a whole."""
        together = Giving(self.services, self.subject, tried, pointers or {}).check
        return Author(
            actor=self.subject.name,
            people=(self.subject.person,) if self.subject.person else (),
            may=self.may_to,
            sees=partial(self.may_to, "read"),
            together=together,
            **more,
        )

    async def heard(self, events: Sequence[Event], known: Mapping[str, Declared]) -> list[Event]:
        """Those that are theirs to know of; `known` is what they are about, as far as that is there.

        What is gone may have gone with a project or workspace that was called as the present one is.
        """
        told = [event for event in events if self._hears(event, known.get(event.ref))]
        slots = {event.scope: self._beginnings(event.scope) for event in told if event.ref not in known}
        begun = await begun_at(self.services.store, (slot for each in slots.values() for slot in each))
        return [
            event
            for event in told
            if event.ref in known or all(event.revision >= begun.get(slot, 0) for slot in slots[event.scope])
        ]

    def _beginnings(self, scope: Scope) -> tuple[str, ...]:
        """The slots of the project and workspace whose past is not theirs: they read nothing around them."""
        around = (Scope(scope.organization), Scope(scope.organization, scope.project))
        pairs = zip(places_of(scope)[1:], around, strict=False)
        return tuple(slot for slot, outer in pairs if not self.may("read", "organization.event", outer))

    def _hears(self, event: Event, declared: Declared | None) -> bool:
        if event.kind == "secret":
            return self.may("read", "organization.secret", event.scope)
        where = (declared.inner or declared.scope) if declared else event.scope
        told = self.may("read", "organization.event", where)
        return told and (declared is None or self.may_to("read", declared))

    async def known(self, refs: Iterable[str]) -> dict[str, Declared]:
        """What is declared under these refs."""
        asked = msgspec.json.encode(sorted(set(refs))).decode()
        return {row.ref: row for row in await self.services.store.read(DECLARED_OF, refs=asked)}

    async def about(self, key: str, organization: str, refs: Iterable[str]) -> Callable[[str], bool]:
        """Which records they may read, by what these are about.

        What is gone is for who reads the whole organization: it may have been in a project or workspace
        that was called as the present one is.
        """
        now = self.services.runtime.now()
        if self.subject.may_everywhere(Permission("read", key), Scope(organization), now):
            return lambda _: True
        rows = (await self.known(refs)).values()
        return frozenset(str(r.ref) for r in rows if self.may("read", key, r.inner or r.scope)).__contains__

    async def plans(self, organization: str, rows: Sequence[PlanRow]) -> list[PlanRow]:
        """Those they may read: a dry run where it was asked, any other by what it is about."""
        key = "organization.plan"
        about = await self.about(key, organization, (row.ref for row in rows if not row.is_dry_run))
        return [
            row for row in rows if (self.may("read", key, row.scope) if row.is_dry_run else about(row.ref))
        ]
