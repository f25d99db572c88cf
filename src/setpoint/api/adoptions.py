"""Declaring what is ours by its mark and newer than our database: a person says that it belongs here."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request

from setpoint.access.subject import Subject
from setpoint.api.body import read_json
from setpoint.api.problem import Refused
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.validate import SCOPES, Drafting, unknown_fields
from setpoint.engine.draft import Declaration
from setpoint.engine.entity import AnyEntity, ref_of
from setpoint.engine.errors import Mistake
from setpoint.engine.intent import Intent
from setpoint.engine.plan import Verb
from setpoint.engine.rows import Act, ActState, Lane, Wake, evidence, told
from setpoint.engine.store import Change, Put
from setpoint.kinds.orphan import Orphan, orphans_in
from setpoint.words import add_article

AnyJson = Any
ADOPTED: Final = "entity.adopted"
PLACE: Final = ("project", "workspace")
SHOWN: Final = 5


class Asked(Struct, frozen=True):
    """Which of the orphans, and where they are to live if their marks do not say."""

    entity: AnyEntity
    orphans: tuple[Orphan, ...]
    into: Mapping[str, str]


class Adoptions(Struct, frozen=True):
    """What a pass listed as unknown becomes declared, with the acts that made it in the journal again."""

    services: Services

    async def adopt(self, request: Request, entity: AnyEntity, subject: Subject) -> AnyJson:
        """All of it or nothing, in one commit; one answer lists every mistake."""
        asked, wrong = await self._asked(request, entity)
        items, mistakes = self._drafted(asked)
        rows = await self.services.declarer.declare(
            items,
            Sight(self.services, subject).author(),
            (*wrong, *mistakes),
            self._beside(asked, items, subject),
        )
        entities = await Intent(self.services.store, self.services.kinds).joined(rows)
        return {"items": [self.services.rendered.object(each) for each in entities]}

    def _drafted(self, asked: Asked) -> tuple[list[Declaration], list[Mistake]]:
        drafting = Drafting(self.services.kinds, self.services.validators)
        items: list[Declaration] = []
        wrong: list[Mistake] = []
        for index, orphan in enumerate(asked.orphans):
            pointer = f"/names/{index}"
            if orphan.spec is None:
                sort = add_article(orphan.kind)
                message = f"{orphan.name} is not called what we call {sort}: declare it by hand"
                wrong.append(Mistake(pointer=pointer, code="bad_value", message=message))
                continue
            body = {"metadata": {"name": orphan.name}, "spec": orphan.spec}
            item, mistakes = drafting.declaration(body, self._given(asked, orphan), pointer)
            wrong += mistakes
            ref = orphan.ref or ref_of(orphan.kind, self.services.runtime.new_id())
            items += [replace(item, ref=ref)] if item else []
        return items, wrong

    def _given(self, asked: Asked, orphan: Orphan) -> dict[str, str]:
        """Kind and scope: beside what lists it, or where its mark or the request says."""
        own = {key: value for key in SCOPES if (value := getattr(asked.entity.scope, key))}
        marked = {key: value for key in PLACE if (value := getattr(orphan, key))}
        return {"kind": orphan.kind, **marked, **asked.into, **own}

    def _beside(self, asked: Asked, items: Sequence[Declaration], subject: Subject) -> Change:
        """The journal learns what it lost, so that a later delete is like any other; and we look again."""
        declared, now = asked.entity.declared, self.services.runtime.now()
        acts = [
            Act(
                id=orphan.act,
                domain=orphan.ref or declared.ref,
                organization=declared.tenant,
                verb=Verb.CREATE,
                item=orphan.item,
                state=ActState.DONE,
                began_at=now,
                ended_at=now,
                detail=f"adopted by {subject.name}: it was made before this database was restored",
            )
            for orphan in asked.orphans
        ]
        wake = Wake(
            id=self.services.runtime.new_id(),
            ref=declared.ref,
            reason=ADOPTED,
            lane=Lane.INTERACTIVE,
            tenant=declared.tenant,
        )
        names = [orphan.name for orphan in asked.orphans]
        said = f"{len(names)} adopted by {subject.name}: {', '.join(names[:SHOWN])}"
        proof = evidence(
            declared, subject.name, ADOPTED, now, names=names, acts=[orphan.act for orphan in asked.orphans]
        )
        return Change(
            writes=(*map(Put, acts), Put(wake)), events=(told(declared, ADOPTED, said, now),), audit=(proof,)
        )

    async def _asked(self, request: Request, entity: AnyEntity) -> tuple[Asked, tuple[Mistake, ...]]:
        body = await read_json(request, self.services.max_body_bytes)
        fields: dict[str, AnyJson] = body if isinstance(body, dict) else {}
        listed = orphans_in(entity.facts)
        if not listed:
            title = f"{entity.declared.kind} {entity.name}"
            detail = f"{title} lists nothing that is ours by its mark and not declared"
            raise Refused(409, "nothing_to_adopt", detail, hint=f"setpoint describe {title}", retryable=False)
        wrong = (*unknown_fields(fields, ("names", "into"), ""), *_mistakes(fields, listed))
        names = fields.get("names") if isinstance(fields.get("names"), list) else None
        into = fields.get("into") if isinstance(fields.get("into"), dict) else {}
        chosen = tuple(orphan for orphan in listed if names is None or orphan.name in names)
        texts = {key: into[key] for key in PLACE if isinstance(into.get(key), str)} if into else {}
        return Asked(entity, chosen, texts), wrong


def _mistakes(fields: Mapping[str, AnyJson], listed: Sequence[Orphan]) -> Iterator[Mistake]:
    names, into = fields.get("names", []), fields.get("into", {})
    if not isinstance(names, list):
        yield Mistake(pointer="/names", code="bad_type", message="a list of names was expected")
        names = []
    known = {orphan.name for orphan in listed}
    for index, name in enumerate(names):
        if name not in known:
            message = f"{str(name)[:64]!r} is not among what is listed as unknown"
            hint = f"listed are {', '.join(islice(sorted(known), SHOWN))}"
            hint += f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
            yield Mistake(pointer=f"/names/{index}", code="not_listed", message=message, hint=hint)
    if not isinstance(into, dict):
        yield Mistake(pointer="/into", code="bad_type", message="an object with project and workspace")
        return
    yield from unknown_fields(into, PLACE, "/into")
    for key in PLACE:
        if not isinstance(into.get(key, ""), str):
            yield Mistake(pointer=f"/into/{key}", code="bad_type", message="text was expected")
