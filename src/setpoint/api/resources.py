"""The same seven routes for every kind: page, read, declare, change, delete, watch, why."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.permission import Permission, Verb
from setpoint.api.body import read_json
from setpoint.api.paging import Page, page_of
from setpoint.api.problem import Refused
from setpoint.api.render import answer, shown
from setpoint.api.services import Services
from setpoint.api.switches import Switches
from setpoint.api.validate import SCOPES, Drafting
from setpoint.api.watch import watch
from setpoint.engine.declare import Author
from setpoint.engine.draft import Declaration, etag
from setpoint.engine.entity import AnyEntity, Scope, slot
from setpoint.engine.errors import Rejected
from setpoint.engine.explain import why
from setpoint.engine.intent import Intent
from setpoint.engine.kind import Kind
from setpoint.engine.store import DECLARED_AT, DECLARED_PAGE

AnyJson = Any
Handler = Callable[[Request], Awaitable[Response]]
CREATED: Final = 201
ACCEPTED: Final = 202


@dataclass(frozen=True, slots=True)
class Resources:
    """One kind over HTTP."""

    services: Services
    kind: Kind

    async def page(self, request: Request) -> Response:
        """GET the collection, a page at a time, or as a stream with `watch=1`."""
        await self._subject(request, "read")
        scope = self._scope(request)
        if request.query_params.get("watch"):
            return await watch(self.services, request, scope, self.kind.name)
        page = page_of(request)
        rows = await self.services.store.read(
            DECLARED_PAGE,
            kind=self.kind.name,
            organization=scope.organization,
            project=scope.project,
            workspace=scope.workspace,
            after=page.after,
            limit=page.size + 1,
        )
        entities = await self._intent.joined(rows[: page.size])
        items = [shown(entity) for entity in entities if _wanted(entity, page)]
        more = rows[page.size - 1].ref if len(rows) > page.size else ""
        return answer({"items": items, "next_page_token": more})

    async def read(self, request: Request) -> Response:
        await self._subject(request, "read")
        entity = await self._entity(request)
        return answer(shown(entity), entity=entity)

    async def create(self, request: Request) -> Response:
        """POST to the collection: refuses a name that is taken."""
        subject = await self._subject(request, "create")
        declaration = await self._declaration(request, {})
        taken = slot(declaration.kind, declaration.scope, declaration.name)
        if await self.services.store.read(DECLARED_AT, slot=taken):
            detail = f"{self.kind.name} {declaration.name} exists already"
            raise Refused(409, "exists", detail, hint="PUT or PATCH it instead")
        entity = await self._declared(declaration, Author(actor=subject.name))
        return answer(shown(entity), CREATED, entity=entity)

    async def declare(self, request: Request) -> Response:
        """PUT one object: makes it, or makes it so."""
        subject = await self._subject(request, "update")
        declaration = await self._declaration(request, {"name": request.path_params["name"]})
        author = Author(actor=subject.name, if_match=await self._matched(request, declaration))
        entity = await self._declared(declaration, author)
        return answer(shown(entity), entity=entity)

    async def change(self, request: Request) -> Response:
        """PATCH: a JSON merge patch of metadata and spec."""
        subject = await self._subject(request, "update")
        entity = await self._entity(request)
        patch = await read_json(request, self.services.max_body_bytes)
        if not isinstance(patch, dict):
            raise Refused(400, "bad_patch", "a merge patch is an object")
        declared = entity.declared
        whole = {
            "metadata": {"labels": dict(declared.labels), "protected": declared.protected},
            "spec": declared.spec,
        }
        body = merged(whole, patch)
        declaration = self._drafted(body, {"name": entity.name, **self._given(request)})
        author = Author(actor=subject.name, if_match=await self._matched(request, declaration))
        changed = await self._declared(declaration, author)
        return answer(shown(changed), entity=changed)

    async def delete(self, request: Request) -> Response:
        """DELETE: accepted; it leaves when it is confirmed gone."""
        subject = await self._subject(request, "delete")
        entity = await self._entity(request)
        await self._check_match(request, entity)
        cascade = request.query_params.get("cascade") == "true"
        await self.services.declarer.delete(entity.ref, Author(actor=subject.name), cascade=cascade)
        left = await self._intent.entity(entity.ref)
        return answer(shown(left or entity), ACCEPTED)

    async def why(self, request: Request) -> Response:
        await self._subject(request, "read")
        entity = await self._entity(request)
        told = await why(self.services.store, self.services.kinds, entity, self.services.runtime.now())
        return answer(told)

    def pause(self, switches: Switches) -> Handler:
        """A lever for this one object."""

        async def pause(request: Request) -> Response:
            """POST: stop, observe or no-deletes for this object alone."""
            subject = await self.services.subject(request, Permission("execute", "switch"))
            entity = await self._entity(request)
            await switches.set(f"domain:{entity.ref}", await switches.read_mode(request), subject)
            return answer(shown(entity))

        return pause

    def resume(self, switches: Switches) -> Handler:
        """The lever of this one object, back to run."""

        async def resume(request: Request) -> Response:
            """POST: run again."""
            subject = await self.services.subject(request, Permission("execute", "switch"))
            entity = await self._entity(request)
            await switches.clear(f"domain:{entity.ref}", subject)
            return answer(shown(entity))

        return resume

    @property
    def _intent(self) -> Intent:
        return Intent(self.services.store, self.services.kinds)

    async def _subject(self, request: Request, verb: Verb) -> Any:
        return await self.services.subject(request, Permission(verb, self.kind.name))

    def _scope(self, request: Request) -> Scope:
        return Scope(*(request.path_params.get(key, "") for key in SCOPES))

    def _given(self, request: Request) -> dict[str, str]:
        scope = {str(key): request.path_params[key] for key in SCOPES if key in request.path_params}
        return {"kind": self.kind.name, **scope}

    async def _entity(self, request: Request) -> AnyEntity:
        name = request.path_params["name"]
        place = slot(self.kind.name, self._scope(request), name)
        found = await self.services.store.read(DECLARED_AT, slot=place)
        entity = await self._intent.entity(found[0].ref) if found else None
        if entity is None:
            raise Refused(404, "not_found", f"there is no {self.kind.name} {name} in {self._scope(request)}")
        return entity

    async def _declaration(self, request: Request, given: dict[str, str]) -> Declaration:
        body = await read_json(request, self.services.max_body_bytes)
        return self._drafted(body, {**given, **self._given(request)})

    def _drafted(self, body: AnyJson, given: dict[str, str]) -> Declaration:
        drafting = Drafting(self.services.kinds, self.services.validators)
        declaration, mistakes = drafting.declaration(body, given, "")
        if declaration is None or mistakes:
            raise Rejected(f"{len(mistakes)} mistake(s); nothing was stored", tuple(mistakes))
        return declaration

    async def _declared(self, declaration: Declaration, author: Author) -> AnyEntity:
        rows = await self.services.declarer.declare((declaration,), author)
        entity = await self._intent.entity(rows[0].ref)
        if entity is None:
            raise Refused(409, "conflict", f"{declaration.name} was deleted while it was being declared")
        return entity

    async def _matched(self, request: Request, declaration: Declaration) -> str:
        """The tag to be matched, already known to match: a stale one is refused with the current one."""
        tag = request.headers.get("If-Match", "").strip('"')
        if tag:
            place = slot(declaration.kind, declaration.scope, declaration.name)
            found = await self.services.store.read(DECLARED_AT, slot=place)
            if not found or etag(found[0]) != tag:
                raise Refused(
                    412, "stale", "it was changed since it was read", hint="read it again and retry"
                )
        return tag

    async def _check_match(self, request: Request, entity: AnyEntity) -> None:
        tag = request.headers.get("If-Match", "").strip('"')
        if tag and tag != etag(entity.declared):
            raise Refused(412, "stale", "it was changed since it was read", hint="read it again and retry")


def merged(whole: AnyJson, patch: AnyJson) -> AnyJson:
    """RFC 7396: null removes, objects merge, everything else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(whole) if isinstance(whole, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def _wanted(entity: AnyEntity, page: Page) -> bool:
    labelled = all(entity.declared.labels.get(key) == value for key, value in page.labels.items())
    return labelled and page.state in ("", entity.status.state)
