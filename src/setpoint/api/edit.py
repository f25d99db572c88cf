"""Writing one object: what the request takes for granted is checked, and still holds when it is stored."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from setpoint.api.form import rejected
from setpoint.api.problem import Refused
from setpoint.api.services import Services
from setpoint.api.validate import Drafted
from setpoint.engine.draft import Author, etag
from setpoint.engine.entity import Declared, Status
from setpoint.engine.errors import Conflict
from setpoint.engine.store import DECLARED_AT
from setpoint.words import times

ATTEMPTS: Final = 8
NO_VERSION: Final = "none"
"""Matches no tag: whoever declares with it makes something new, or nothing."""


class Edit(Struct, frozen=True):
    """One write at one place. `exact`: only on top of the very version that was checked and drafted from."""

    place: str
    author: Author
    check: Callable[[Declared | None], None]
    draft: Callable[[Declared | None], Drafted]
    exact: bool

    def on_top_of(self, known: Declared | None) -> Author:
        if not self.exact:
            return self.author
        return replace(self.author, if_match=etag(known) if known is not None else NO_VERSION)


async def made(services: Services, edit: Edit) -> tuple[Declared, Status | None]:
    """What is stored now; one answer lists every mistake. A lost race is checked and drafted anew."""
    for _ in range(ATTEMPTS):
        # As whoever declares it asks next: what is read twice in one turn is looked up once.
        found = await services.store.read(DECLARED_AT, slot=edit.place)
        known = found[0] if found else None
        edit.check(known)
        declaration, mistakes = edit.draft(known)
        if declaration is None:
            raise rejected(mistakes)
        try:
            rows = await services.declarer.declare((declaration,), edit.on_top_of(known), mistakes)
        except Conflict:
            if not edit.exact:
                raise
            continue
        # Nobody has looked at what is new: there is no status to be read.
        return rows[0], await services.store.get(Status, rows[0].ref) if known is not None else None
    raise Refused(409, "conflict", f"it was changed {times(ATTEMPTS)} meanwhile", hint="try again")
