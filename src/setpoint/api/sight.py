"""What one subject gets to see, where a request reaches more than that."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct

from setpoint.access.permission import Permission, Verb, key_of
from setpoint.access.subject import Subject
from setpoint.api.giving import Giving
from setpoint.api.services import Services
from setpoint.engine.draft import Author
from setpoint.engine.entity import Declared, Scope
from setpoint.engine.rows import Event
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

    def hears(self, event: Event, declared: Declared | None) -> bool:
        """Whether an event is theirs to know of; `declared` is what it is about, while that is there."""
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
        """Which records they may read, by what these are about; what is gone is for the organization."""
        if self.may("read", key, Scope(organization)):
            return lambda _: True
        rows = (await self.known(refs)).values()
        return frozenset(str(r.ref) for r in rows if self.may("read", key, r.inner or r.scope)).__contains__
