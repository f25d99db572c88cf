"""The same routes for every kind: page, read, declare, change, delete, watch, why, and its levers."""

from dataclasses import dataclass, replace
from typing import Any, Final

from msgspec import structs, to_builtins
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.permission import Permission, Verb, key_of
from setpoint.access.subject import Subject
from setpoint.api.adoptions import Adoptions
from setpoint.api.body import read_json
from setpoint.api.edit import Edit, made
from setpoint.api.paging import MAX_SIZE, Page, page_of
from setpoint.api.precondition import precondition_of
from setpoint.api.problem import Refused
from setpoint.api.releases import Releases
from setpoint.api.render import answer, shown
from setpoint.api.served import Demand, Handler, How, Place, place_of
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.switches import Switches
from setpoint.api.validate import SCOPES, Drafted, Drafting
from setpoint.api.watch import wants_watch, watch
from setpoint.engine.declare import Author
from setpoint.engine.entity import AnyEntity, Declared, Scope, State, Status, slot
from setpoint.engine.explain import why
from setpoint.engine.intent import Intent
from setpoint.engine.kind import Kind, entity_from
from setpoint.engine.store import DECLARED_AT, DECLARED_PAGE

AnyJson = Any
CREATED: Final = 201
ACCEPTED: Final = 202


@dataclass(frozen=True, slots=True)
class Resources:
    """One kind over HTTP."""

    services: Services
    kind: Kind

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET the collection, a page at a time, or as a stream with `watch=1`."""
        scope, sight = self._scope(request), Sight(self.services, subject)
        if wants_watch(request):
            return await watch(sight, request, scope, self.kind.name)
        page = page_of(request, State)
        entities = await self._wanted(scope, page, sight)
        more = entities[page.size - 1].ref if len(entities) > page.size else ""
        items = [shown(entity) for entity in entities[: page.size]]
        return answer({"items": items, "next_page_token": more})

    async def read(self, request: Request, subject: Subject) -> Response:
        """GET one object, with its status; its ETag names what people declared, not the status."""
        entity = await self._entity(request)
        return answer(shown(entity), entity=entity)

    async def create(self, request: Request, subject: Subject) -> Response:
        """POST to the collection: refuses a name that is taken."""
        drafted = self._drafted(await self._body(request), self._given(request))
        name = drafted[0].name if drafted[0] else ""

        def absent(known: Declared | None) -> None:
            if known is not None and name:
                detail = f"{self.kind.name} {name} exists already"
                raise Refused(409, "exists", detail, hint="PUT or PATCH it instead")

        place = slot(self.kind.name, self._scope(request), name)
        edit = Edit(place, self._author(subject), absent, lambda _: drafted, exact=True)
        entity = await made(self.services, edit)
        return answer(shown(entity), CREATED, entity=entity)

    async def declare(self, request: Request, subject: Subject) -> Response:
        """PUT one object: makes it, or makes it so."""
        wanted = precondition_of(request)
        drafted = self._drafted(await self._body(request), self._named(request))
        edit = Edit(
            self._place(request), self._author(subject), wanted.check, lambda _: drafted, exact=wanted.given
        )
        entity = await made(self.services, edit)
        return answer(shown(entity), entity=entity)

    async def change(self, request: Request, subject: Subject) -> Response:
        """PATCH: a JSON merge patch of metadata and spec."""
        await self._entity(request)
        patch = await self._body(request)
        if not isinstance(patch, dict):
            raise Refused(400, "bad_patch", "a merge patch is an object")

        def patched(known: Declared | None) -> Drafted:
            if known is None:
                raise self._missing(request)
            return self._drafted(merged(_whole(known), patch), self._named(request))

        # What the patch does not mention must be what it was when the patch was laid on it.
        check = precondition_of(request).check
        entity = await made(
            self.services, Edit(self._place(request), self._author(subject), check, patched, exact=True)
        )
        return answer(shown(entity), entity=entity)

    async def delete(self, request: Request, subject: Subject) -> Response:
        """DELETE: accepted; it leaves when it is confirmed gone."""
        entity = await self._entity(request)
        precondition_of(request).check(entity.declared)
        cascade = request.query_params.get("cascade") == "true"
        await self.services.declarer.delete(entity.ref, self._author(subject), cascade=cascade)
        left = await self._intent.entity(entity.ref)
        return answer(shown(left or entity), ACCEPTED)

    async def why(self, request: Request, subject: Subject) -> Response:
        """GET why it, or one `item` of it, is as it is: a sentence, the chain behind it, and the evidence."""
        entity = await self._entity(request)
        item = request.query_params.get("item", "")
        now = self.services.runtime.now()
        return answer(await why(self.services.store, self.services.kinds, entity, now, item))

    def pause(self, switches: Switches) -> Handler:
        """A lever for this one object."""

        async def pause(request: Request, subject: Subject) -> Response:
            """POST: stop, observe or no-deletes for this object alone."""
            entity = await self._entity(request)
            await switches.set(f"domain:{entity.ref}", await switches.read_mode(request), subject)
            return answer(shown(entity))

        return pause

    def resume(self, switches: Switches) -> Handler:
        """The lever of this one object, back to run."""

        async def resume(request: Request, subject: Subject) -> Response:
            """POST: run again."""
            entity = await self._entity(request)
            await switches.clear(f"domain:{entity.ref}", subject)
            return answer(shown(entity))

        return resume

    def release(self, releases: Releases) -> Handler:
        """A person's word about one item of this object, or about all that are stuck."""

        async def release(request: Request, subject: Subject) -> Response:
            """POST: try anew what is contested or keeps failing; with `protection`, take that off."""
            return answer(await releases.release(request, await self._entity(request), subject))

        return release

    def protect(self, releases: Releases) -> Handler:
        """A person's word that one item stays."""

        async def protect(request: Request, subject: Subject) -> Response:
            """POST: no path deletes this item, until somebody takes that off again."""
            return answer(await releases.protect(request, await self._entity(request), subject))

        return protect

    def adopt(self, adoptions: Adoptions) -> Handler:
        """A person's word that what this object lists as unknown belongs here."""

        async def adopt(request: Request, subject: Subject) -> Response:
            """POST: declare what is ours by its mark and newer than our database; `names`, or all of it."""
            return answer(await adoptions.adopt(request, await self._entity(request), subject))

        return adopt

    @property
    def _intent(self) -> Intent:
        return Intent(self.services.store, self.services.kinds)

    def demand(self, verb: Verb, how: How = "here", key: str = "") -> Demand:
        """What a route of this kind asks for; the scope of what holds others is the one inside it."""
        return Demand(Permission(verb, key or key_of(self.kind)), how, self._place_of, self._missing)

    def _place_of(self, request: Request) -> Place:
        place = place_of(request)
        if self.kind.name in SCOPES and place.name:
            return replace(place, scope=structs.replace(place.scope, **{self.kind.name: place.name}))
        return place

    def _author(self, subject: Subject) -> Author:
        return Sight(self.services, subject).author()

    def _scope(self, request: Request) -> Scope:
        return Scope(*(request.path_params.get(key, "") for key in SCOPES))

    def _given(self, request: Request) -> dict[str, str]:
        scope = {str(key): request.path_params[key] for key in SCOPES if key in request.path_params}
        return {"kind": self.kind.name, **scope}

    def _named(self, request: Request) -> dict[str, str]:
        return {"name": request.path_params["name"], **self._given(request)}

    def _place(self, request: Request) -> str:
        return slot(self.kind.name, self._scope(request), request.path_params["name"])

    async def _entity(self, request: Request) -> AnyEntity:
        store = self.services.store
        found = await store.read(DECLARED_AT, slot=self._place(request))
        if not found:
            raise self._missing(request)
        return entity_from(self.services.kinds, found[0], await store.get(Status, found[0].ref))

    def _missing(self, request: Request) -> Refused:
        """The same words whether it is not there or not theirs to see."""
        where = str(self._scope(request)) or "this installation"
        name = request.path_params.get("name")
        what = f"{self.kind.name} {name}" if name else self.kind.name
        return Refused(404, "not_found", f"there is no {what} in {where}")

    async def _wanted(self, scope: Scope, page: Page, sight: Sight) -> list[AnyEntity]:
        """One page and one more, if there is one: what the filters leave out takes no room in it."""
        whole = sight.may("read", key_of(self.kind), scope)
        step = page.size + 1 if whole and not page.filtered else MAX_SIZE
        found: list[AnyEntity] = []
        after = page.after
        while len(found) <= page.size:
            rows = await self.services.store.read(
                DECLARED_PAGE, kind=self.kind.name, **to_builtins(scope), after=after, limit=step
            )
            seen = [row for row in rows if sight.may_to("read", row)]
            found += [entity for entity in await self._intent.joined(seen) if page.wants(entity)]
            if len(rows) < step:
                break
            after = rows[-1].ref
        return found[: page.size + 1]

    async def _body(self, request: Request) -> AnyJson:
        return await read_json(request, self.services.max_body_bytes)

    def _drafted(self, body: AnyJson, given: dict[str, str]) -> Drafted:
        return Drafting(self.services.kinds, self.services.validators).declaration(body, given, "")


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


def _whole(declared: Declared) -> AnyJson:
    """What a patch may change."""
    metadata = {"labels": dict(declared.labels), "protected": declared.protected}
    return {"metadata": metadata, "spec": declared.spec}
