"""`dry_run=true`: the same checks as the change itself, then the question what it would do."""

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.api.edit import Edit
from setpoint.api.form import rejected
from setpoint.api.question import Questions
from setpoint.api.services import Services
from setpoint.engine.draft import Author
from setpoint.engine.entity import Declared
from setpoint.engine.store import DECLARED_AT


class Trial(Struct, frozen=True):
    """What one change of one object would do."""

    services: Services
    organization: str

    async def edit(self, edit: Edit) -> Response:
        """Nothing is stored; every mistake is told as it would be."""
        found = await self.services.store.read(DECLARED_AT, slot=edit.place)
        known = found[0] if found else None
        edit.check(known)
        declaration, mistakes = edit.draft(known)
        if declaration is None:
            raise rejected(mistakes)
        author = replace(edit.on_top_of(known), organization=self.organization)
        rows = await self.services.declarer.proposed((declaration,), author, mistakes)
        return await Questions(self.services).ask(self.organization, rows)

    async def delete(self, declared: Declared, author: Author, *, cascade: bool) -> Response:
        rows = await self.services.declarer.leaving(declared.ref, author, cascade=cascade)
        return await Questions(self.services).ask(self.organization, rows)


def is_trial(request: Request) -> bool:
    return b"dry_run" in request.scope["query_string"] and request.query_params.get("dry_run") in (
        "1",
        "true",
    )
