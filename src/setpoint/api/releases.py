"""What a person decides about an object or an item of it: try it anew, protect it, take that off."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request

from setpoint.access.subject import Subject
from setpoint.api.body import read_json
from setpoint.api.form import reason_mistakes
from setpoint.api.problem import Refused
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.validate import unknown_fields
from setpoint.engine.doubts.effort import contested_fields
from setpoint.engine.entity import AnyEntity, Declared
from setpoint.engine.errors import Mistake
from setpoint.engine.explain import judge_of
from setpoint.engine.ledger import Ledger, Protection, item_key
from setpoint.engine.record import Recorded
from setpoint.engine.release import Decision, protect, release, unprotect
from setpoint.engine.store import PASSES_PAGE, joined
from setpoint.words import times

AnyJson = Any
SHOWN: Final = 5
STEPS: Final = {"released": release, "protected": protect, "unprotected": unprotect}


class Asked(Struct, frozen=True):
    """What a request asks for, and who asks. No item means every item that is stuck; where it is about a
    protection, the object itself.
    """

    declared: Declared
    domain: Declared
    item: str
    reason: str
    protection: bool
    subject: Subject

    @property
    def title(self) -> str:
        return f"{self.domain.kind} {self.domain.name}"


class Releases(Struct, frozen=True):
    """Decisions about items."""

    services: Services

    async def release(self, request: Request, entity: AnyEntity, subject: Subject) -> AnyJson:
        """Tries anew what is contested or keeps failing; with `protection`, takes that off instead."""
        asked = await self._asked(request, entity, subject, ("item", "reason", "protection"))
        if asked.protection:
            return await self._unprotected(asked)
        stuck = await self._stuck(asked.domain)
        if not stuck or (asked.item and asked.item not in stuck):
            raise await self._nothing(asked, stuck)
        about = {asked.item: stuck[asked.item]} if asked.item else stuck
        return await self._decided(asked, "released", about)

    async def protect(self, request: Request, entity: AnyEntity, subject: Subject) -> AnyJson:
        """No path deletes this item, or this object, until somebody takes that off again."""
        asked = await self._asked(request, entity, subject, ("item", "reason"))
        if not asked.item:
            return await self._guarded(asked, protected=True)
        ledger = await self.services.store.get(Ledger, asked.domain.ref)
        # It may be protected before it is there; but a misspelt one protects nothing.
        seen = "" if ledger and asked.item in ledger.known else "it has not been seen yet"
        return await self._decided(asked, "protected", {asked.item: seen})

    async def _guarded(self, asked: Asked, *, protected: bool) -> AnyJson:
        """The protection of the object itself: part of what is declared, but never by leaving it out."""
        declared = asked.declared
        if not protected and not declared.protected:
            raise _bare(f"{declared.kind} {declared.name}", declared)
        author = replace(Sight(self.services, asked.subject).author(), reason=asked.reason)
        await self.services.declarer.protect(declared.ref, author, protected=protected)
        verb = "protected" if protected else "unprotected"
        return _decision(declared, verb, {declared.name: ""}, asked)

    async def _unprotected(self, asked: Asked) -> AnyJson:
        if not asked.item:
            return await self._guarded(asked, protected=False)
        known = await self.services.store.get(Protection, item_key(asked.domain.ref, asked.item))
        if known is None:
            raise _bare(f"{asked.item} of {asked.title}", asked.domain)
        return await self._decided(asked, "unprotected", {asked.item: f"{known.by}: {known.reason}"})

    async def _stuck(self, domain: Declared) -> Mapping[str, str]:
        ledger = await self.services.store.get(Ledger, domain.ref)
        if ledger is None or not ledger.planned:
            return {}  # The last pass had nothing to do: whatever was decided before no longer stands.
        passes = await self.services.store.read(PASSES_PAGE, ref=domain.ref, after="", limit=1)
        return stuck_items(ledger, passes[0] if passes else None)

    async def _decided(self, asked: Asked, verb: str, about: Mapping[str, str]) -> AnyJson:
        domain, runtime = asked.domain, self.services.runtime
        actor, now = asked.subject.name, runtime.now()
        decisions = [Decision(domain, item, actor, asked.reason, now, runtime.new_id()) for item in about]
        await self.services.store.commit(joined(STEPS[verb](decision) for decision in decisions))
        return _decision(domain, verb, about, asked)

    async def _nothing(self, asked: Asked, stuck: Mapping[str, str]) -> Refused:
        """Why there is nothing to release, and what could be meant instead."""
        key = item_key(asked.domain.ref, asked.item)
        if await self.services.store.get(Protection, key) is not None:
            detail = f"{asked.item} of {asked.title} is protected; that is taken off by name only"
            hint = f"setpoint release {asked.title} {asked.item} --protection"
            return Refused(409, "nothing_to_release", detail, hint=hint, retryable=False)
        what = asked.item or "nothing"
        negated = "is neither contested nor failing" if asked.item else "is contested or failing"
        detail = f"{what} of {asked.title} {negated}"
        hint = f"to release: {_some(stuck)}" if stuck else f"setpoint why {asked.title}"
        return Refused(409, "nothing_to_release", detail, hint=hint, retryable=False)

    async def _asked(
        self, request: Request, entity: AnyEntity, subject: Subject, known: tuple[str, ...]
    ) -> Asked:
        """From the body, every mistake at once; the domain is the object's own or its parent's."""
        body = await read_json(request, self.services.max_body_bytes)
        domain = await judge_of(self.services.store, self.services.kinds, entity.declared)
        fields: dict[str, AnyJson] = body if isinstance(body, dict) else {}
        wrong = [*unknown_fields(fields, known, ""), *reason_mistakes(fields), *_type_mistakes(fields)]
        # Of a part without a loop only its own item can be stuck, and only its parent knows that one's name.
        about_stuck = "protection" in known and not fields.get("protection")
        if about_stuck and domain.ref != entity.ref and not fields.get("item", ""):
            hint = f"items are those of {domain.kind} {domain.name}: {_some(await self._stuck(domain))}"
            wrong.append(Mistake(pointer="/item", code="missing", message="say which item", hint=hint))
        if wrong:
            detail = "; ".join(mistake.message for mistake in wrong)
            raise Refused(422, "bad_release", detail, mistakes=tuple(wrong))
        protection = fields.get("protection", False) is True
        return Asked(entity.declared, domain, fields.get("item", ""), fields["reason"], protection, subject)


def _decision(about: Declared, verb: str, items: Mapping[str, str], asked: Asked) -> AnyJson:
    return {
        "kind": about.kind,
        "name": about.name,
        "ref": about.ref,
        "decided": verb,
        "about": [{"item": item, "why": why} for item, why in items.items()],
        "by": asked.subject.name,
        "reason": asked.reason,
    }


def _bare(what: str, about: Declared) -> Refused:
    hint = f"setpoint describe {about.kind} {about.name}"
    return Refused(409, "not_protected", f"{what} is not protected", hint=hint, retryable=False)


def stuck_items(ledger: Ledger, last: Recorded | None) -> dict[str, str]:
    """Item -> why it is not tried now: another writer undoes it, or it fails."""
    failing = {item: f"failed {times(each.tries)}: {each.said}" for item, each in ledger.failing.items()}
    # Not by the hold's own items: where only a field is contested, the rest of the item is still written.
    contested = {
        item: f"contested: {', '.join(sorted(filter(None, fields))) or 'all of it'}"
        for item, fields in (contested_fields(last.case) if last else {}).items()
    }
    return dict(sorted({**failing, **contested}.items()))


def _type_mistakes(fields: Mapping[str, AnyJson]) -> Iterator[Mistake]:
    for field, kind, words in (("item", str, "text"), ("protection", bool, "true or false")):
        if field in fields and not isinstance(fields[field], kind):
            yield Mistake(pointer=f"/{field}", code="bad_type", message=f"{words} was expected")


def _some(stuck: Mapping[str, str]) -> str:
    more = f" and {len(stuck) - SHOWN} more" if len(stuck) > SHOWN else ""
    return (", ".join(islice(stuck, SHOWN)) + more) or "none is held now"
