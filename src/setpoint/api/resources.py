"""The same routes for every kind: page, read, declare, change, delete, watch, why, and its levers."""

from functools import partial
from typing import Any, Final

import msgspec
from msgspec import Struct, field, structs
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.permission import Permission, Verb, key_of
from setpoint.access.subject import Subject
from setpoint.api.address import LEVELS
from setpoint.api.adoptions import Adoptions
from setpoint.api.body import read_json
from setpoint.api.collection import Collection, Wishes
from setpoint.api.edit import Edit, made
from setpoint.api.history import history_page
from setpoint.api.looking import asked_to_look
from setpoint.api.mask import masked, read_fields
from setpoint.api.merge_patch import merged, whole_of
from setpoint.api.paging import check
from setpoint.api.precondition import precondition_of
from setpoint.api.problem import Refused
from setpoint.api.question import Questions
from setpoint.api.releases import Releases
from setpoint.api.render import Ready, answer, tag_of
from setpoint.api.served import Demand, Handler, How, Place, place_of
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.switches import Switches
from setpoint.api.trial import Trial, is_trial
from setpoint.api.validate import SCOPES, Drafted, Drafting
from setpoint.api.watch import wants_watch, watch
from setpoint.api.why import told_why
from setpoint.engine.draft import Author, etag
from setpoint.engine.entity import AnyEntity, Declared, Ref, Scope, Status, slot
from setpoint.engine.errors import Conflict
from setpoint.engine.intent import Intent
from setpoint.engine.kind import Kind, entity_from
from setpoint.engine.request import PASTS
from setpoint.engine.store import DECLARED_AT, PASTS_OF

AnyJson = Any
OK: Final = 200
CREATED: Final = 201
ACCEPTED: Final = 202
WATCH: Final = b"watch"


class Resources(Struct, frozen=True):
    """One kind over HTTP."""

    services: Services
    kind: Kind
    _wishes: Wishes = field(default_factory=Wishes)

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET the collection, a page at a time, or as a stream with `watch=1`."""
        scope, sight = self._scope(request), Sight(self.services, subject)
        if WATCH in request.scope["query_string"] and wants_watch(request):
            return await watch(sight, request, scope, self.kind.name)
        asked = self._wishes.of(request, lambda: tuple(self.services.validators[self.kind.name].fields))
        return await Collection(self.services, (self.kind,), scope, sight).shown(asked)

    async def read(self, request: Request, subject: Subject) -> Response:
        """GET one object, with its status."""
        found = await self.services.store.bodies(DECLARED_AT, slot=self._place(request))
        if not found:
            raise self._missing(request)
        whole = await self.services.rendered.of(found[0])
        asked = request.query_params.get("fields", "") if request.scope["query_string"] else ""
        if not asked:
            return Ready(whole.raw, whole.tag)
        fields, wrong = read_fields(asked, self.services.validators[self.kind.name].fields)
        check(wrong)
        raw = msgspec.json.encode(masked(msgspec.json.decode(whole.raw), fields))
        return Ready(raw, f"{whole.tag.partition('.')[0]}.{tag_of(raw)}")

    async def create(self, request: Request, subject: Subject) -> Response:
        """POST to the collection: refuses a name that is taken."""
        drafted = self._drafted(await self._body(request), self._given(request))
        name = drafted[0].name if drafted[0] else ""

        def absent(known: Declared | None) -> None:
            if known is not None and name:
                detail = f"{self.kind.name} {name} exists already"
                raise Refused(409, "exists", detail, hint="PUT or PATCH it instead")

        place = slot(self.kind.name, self._scope(request), name)
        edit = Edit(place, self._author(request, subject), absent, lambda _: drafted, exact=True)
        return await self._made(request, edit, name, CREATED)

    async def declare(self, request: Request, subject: Subject) -> Response:
        """PUT one object: makes it, or makes it so."""
        wanted = precondition_of(request)
        check = partial(wanted.demand, self.kind)
        drafted = self._drafted(await self._body(request), self._named(request))
        edit = Edit(
            self._place(request), self._author(request, subject), check, lambda _: drafted, exact=wanted.given
        )
        return await self._made(request, edit, request.path_params["name"])

    async def change(self, request: Request, subject: Subject) -> Response:
        """PATCH: a JSON merge patch of metadata and spec."""
        await self._entity(request)
        patch = await self._body(request)
        if not isinstance(patch, dict):
            raise Refused(400, "bad_patch", "a merge patch is an object")

        def patched(known: Declared | None) -> Drafted:
            if known is None:
                raise self._missing(request)
            return self._drafted(merged(whole_of(known), patch), self._named(request))

        # What the patch does not mention must be what it was when the patch was laid on it.
        check = partial(precondition_of(request).demand, self.kind)
        edit = Edit(self._place(request), self._author(request, subject), check, patched, exact=True)
        return await self._made(request, edit, request.path_params["name"])

    async def _made(self, request: Request, edit: Edit, name: str, status: int = OK) -> Response:
        if is_trial(request):
            return await self._trial(request, name).edit(edit)
        found = self.services.rendered.made(*await made(self.services, edit))
        return Ready(found.raw, found.tag, status)

    def _trial(self, request: Request, name: str) -> Trial:
        """In the name of the organization that it lies in, or is."""
        return Trial(self.services, request.path_params.get("organization", name))

    async def again(self, request: Request, subject: Subject, refs: tuple[str, ...]) -> Response:
        """The object as it stands, for a change that was sent once more."""
        if is_trial(request):
            return await Questions(self.services).again(refs)
        entity = await self._entity(request)
        return answer(self.services.rendered.object(entity), entity=entity)

    async def created(self, request: Request, subject: Subject, refs: tuple[str, ...]) -> Response:
        """The object as it stands, for a creation that was sent once more."""
        if is_trial(request):
            return await Questions(self.services).again(refs)
        entity = await self._intent.entity(Ref(refs[0])) if refs else None
        if entity is None:
            raise self._missing(request)
        return answer(self.services.rendered.object(entity), CREATED, entity=entity)

    async def delete(self, request: Request, subject: Subject) -> Response:
        """DELETE: accepted; it leaves when it is confirmed gone."""
        entity, wanted = await self._entity(request), precondition_of(request)
        wanted.demand(self.kind, entity.declared)
        cascade = request.query_params.get("cascade") == "true"
        author = replace(
            self._author(request, subject), if_match=etag(entity.declared) if wanted.given else ""
        )
        if is_trial(request):
            return await self._trial(request, entity.name).delete(entity.declared, author, cascade=cascade)
        try:
            await self.services.declarer.delete(entity.ref, author, cascade=cascade)
        except Conflict:
            wanted.check((await self._entity(request)).declared)
            raise
        left = await self._intent.entity(entity.ref)
        return answer(self.services.rendered.object(left or entity), ACCEPTED)

    async def history(self, request: Request, subject: Subject) -> Response:
        """GET what it was declared as, newest first: the last fifty generations, for a year."""
        entity = await self._entity(request)
        pasts = await self.services.store.read(PASTS_OF, ref=entity.ref, limit=PASTS)
        return history_page(request, pasts)

    async def why(self, request: Request, subject: Subject) -> Response:
        """GET why it, or one `item` of it, is as it is: a sentence, the chain behind it, and the evidence."""
        entity, item = await self._entity(request), request.query_params.get("item", "")
        return answer(await told_why(self.services, entity, item))

    async def observe(self, request: Request, subject: Subject) -> Response:
        """POST: look at it now, ahead of its turn."""
        entity = await self._entity(request)
        await self.services.store.commit(asked_to_look(entity.declared, subject.name, self.services.runtime))
        return answer(self.services.rendered.object(entity), ACCEPTED)

    def pause(self, switches: Switches) -> Handler:
        """A lever for this one object."""

        async def pause(request: Request, subject: Subject) -> Response:
            """POST: stop, observe or no-deletes for this object alone."""
            entity = await self._entity(request)
            await switches.set(f"domain:{entity.ref}", await switches.read_mode(request), subject)
            return answer(self.services.rendered.object(entity))

        return pause

    def resume(self, switches: Switches) -> Handler:
        """The lever of this one object, back to run."""

        async def resume(request: Request, subject: Subject) -> Response:
            """POST: run again."""
            entity = await self._entity(request)
            await switches.clear(f"domain:{entity.ref}", subject)
            return answer(self.services.rendered.object(entity))

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
        permission = Permission(verb, key or key_of(self.kind))
        return Demand(permission, how, self._place_of, self._missing, self._depth)

    @property
    def _depth(self) -> int:
        """How deep permissions are asked for: what holds others counts as the scope inside it."""
        return LEVELS.index(self.kind.level) + (self.kind.name in SCOPES)

    def _place_of(self, request: Request) -> Place:
        place = place_of(request)
        if self.kind.name in SCOPES and place.name:
            return replace(place, scope=structs.replace(place.scope, **{self.kind.name: place.name}))
        return place

    def _author(self, request: Request, subject: Subject) -> Author:
        return Sight(self.services, subject).author(tried=is_trial(request))

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

    async def _body(self, request: Request) -> AnyJson:
        return await read_json(request, self.services.max_body_bytes)

    def _drafted(self, body: AnyJson, given: dict[str, str]) -> Drafted:
        return Drafting(self.services.kinds, self.services.validators).declaration(body, given, "")
