"""Secrets of an organization: sealed as they come in, never shown again, opened by others alone."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.hosts import read_place
from setpoint.access.subject import Subject
from setpoint.api.body import read_json
from setpoint.api.consumers import Consumer, Consumers
from setpoint.api.paging import page_of
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.api.served import nothing_there
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.validate import unknown_fields
from setpoint.engine.bounds import SECRETS
from setpoint.engine.entity import Declared, Ref, Scope, slot
from setpoint.engine.errors import Conflict, Mistake
from setpoint.engine.rows import Audit, Event, Lane, Wake
from setpoint.engine.secret import OrganizationKey, Sealed, Secret, SecretUse, secret_id
from setpoint.engine.store import (
    DECLARED_AT,
    KEYS_OF,
    SECRETS_HELD,
    SECRETS_OF,
    USES_OF,
    Change,
    Drop,
    Expect,
    Put,
)
from setpoint.vault.sealing import SHOWN, about_secret, seal

AnyJson = Any
NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}\Z")
NAME_RULE: Final = "up to 63 of a-z 0-9 . _ -, a letter or digit first"
LONGEST: Final = 64 * 1024
ATTEMPTS: Final = 8
LOOKS: Final = 50
PAUSE: Final = 0.1
FIELDS: Final = ("value", "keep_previous", "hosts")
MOST_HOSTS: Final = 20


class Place(Struct, frozen=True):
    """Where a secret lives, and what names it there."""

    organization: Declared
    name: str
    consumers: tuple[Consumer, ...]

    @property
    def id(self) -> str:
        return secret_id(self.organization.ref, self.name)


class KeptSecrets(Struct, frozen=True):
    """Those of one organization."""

    services: Services

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET them: names, versions, who and when, and what names each; never what they say."""
        organization, page = await self._organization(request), page_of(request)
        rows = await self.services.store.read(
            SECRETS_OF, home=organization.ref, after=page.after, limit=page.size + 1
        )
        users = await Consumers(self.services).by_name(organization.name, organization.ref)
        items = [self._shown(row, users.get(row.name, ()), subject) for row in rows[: page.size]]
        more = rows[page.size - 1].name if len(rows) > page.size else ""
        return answer({"items": items, "next_page_token": more})

    async def put(self, request: Request, subject: Subject) -> Response:
        """PUT its value, in the body; with `keep_previous` both are good until the new one is seen in use.

        `hosts` says where it may be used; left out, it stays as it is. The value is always given with them:
        where a secret goes is decided by somebody who has it.
        """
        place = await self._place(request)
        body = await self._body(request, place.name)
        for _ in range(ATTEMPTS):
            known = await self.services.store.get(Secret, place.id)
            if known is None:
                await self._check_room(place.organization)
            key = await self._key(place.organization)
            hosts = known.now.hosts if known and "hosts" not in body else _hosts(body)
            sealed = self._sealed(place, key, known, body["value"])
            sealed = replace(sealed, by=subject.name, hosts=hosts)
            written = following(known, place, sealed, keeps=body.get("keep_previous") is True)
            if written is known or await self._stored(place, known, written, key):
                return answer(self._shown(written, place.consumers, subject))
        raise Conflict(f"secret {place.name} is being changed by others; try again")

    async def retire(self, request: Request, subject: Subject) -> Response:
        """POST: forget the version before; refused until all that name it were seen with the new one."""
        place = await self._place(request)
        known = await self._known(place)
        if known.before is None:
            return answer(self._shown(known, place.consumers, subject))
        behind = [each for each in place.consumers if each.version < known.now.version]
        if behind:
            named = self._named(behind, subject)
            detail = (
                f"version {known.now.version} of secret {place.name} was not yet seen to work for {named}"
            )
            raise Refused(
                409, "not_proven", detail, hint=f"setpoint why {behind[0].row.kind} {behind[0].row.name}"
            )
        written = replace(known, before=None, revision=known.revision + 1)
        proof = self._proof(place, subject.name, "secret.retired", {"version": known.before.version})
        expects = (Expect(Secret, known.id, "revision", known.revision),)
        await self.services.store.commit(Change(expects=expects, writes=(Put(written),), audit=(proof,)))
        return answer(self._shown(written, place.consumers, subject))

    async def delete(self, request: Request, subject: Subject) -> Response:
        """DELETE: refused while something names it."""
        place = await self._place(request)
        known = await self._known(place)
        if place.consumers:
            detail = f"secret {place.name} is named by {self._named(place.consumers, subject)}"
            raise Refused(409, "secret_used", detail, hint="change or delete those first")
        proof = self._proof(place, subject.name, "secret.deleted", {"version": known.now.version})
        uses = await self.services.store.read(USES_OF, home=known.home)
        left = (Drop(SecretUse, use.id) for use in uses if use.name == known.name)
        expects = (Expect(Secret, known.id, "revision", known.revision),)
        await self.services.store.commit(
            Change(expects=expects, writes=(Drop(Secret, known.id), *left), audit=(proof,))
        )
        return answer(self._shown(known, (), subject))

    async def _organization(self, request: Request) -> Declared:
        name = request.path_params["organization"]
        found = await self.services.store.read(DECLARED_AT, slot=slot("organization", Scope(), name))
        if not found:
            raise nothing_there(request)
        return found[0]

    async def _place(self, request: Request) -> Place:
        organization, name = await self._organization(request), request.path_params["name"]
        users = await Consumers(self.services).by_name(organization.name, organization.ref)
        return Place(organization, name, users.get(name, ()))

    async def _known(self, place: Place) -> Secret:
        found = await self.services.store.get(Secret, place.id)
        if found is None:
            detail = f"there is no secret {place.name[:64]}"
            raise Refused(404, "not_found", detail, hint="setpoint secret list")
        return found

    async def _check_room(self, organization: Declared) -> None:
        """Two at the same moment may both find the last place: it is a bound, not a count."""
        [held] = await self.services.store.read(SECRETS_HELD, home=organization.ref)
        if held.objects >= SECRETS.most:
            detail = f"{organization.name} has {held.objects} secrets; at most {SECRETS.most} fit"
            hint = "delete what nothing names: setpoint secret list"
            raise Refused(422, "too_much_declared", detail, hint=hint)

    async def _key(self, organization: Declared) -> OrganizationKey:
        """The worker makes it in the moment after the organization is declared; so long is waited."""
        for _ in range(LOOKS):
            keys = await self.services.store.read(KEYS_OF, home=organization.ref)
            if keys and not keys[0].retired_at:
                return keys[0]
            await asyncio.sleep(PAUSE)
        hint = "is a worker running? it makes the key, and the API cannot"
        raise Refused(503, "unavailable", f"{organization.name} has no key to seal with yet", hint=hint)

    def _sealed(self, place: Place, key: OrganizationKey, known: Secret | None, value: str) -> Sealed:
        home, version = place.organization.ref, known.now.version + 1 if known else 1
        return Sealed(
            version=version,
            key=key.version,
            box=seal(key.public, value.encode(), about_secret(home, place.name, version, key.version)),
            digest=self.services.secret_digest(home, value),
            at=self.services.runtime.now(),
            by="",
        )

    async def _stored(
        self, place: Place, known: Secret | None, written: Secret, key: OrganizationKey
    ) -> bool:
        """In one commit with its evidence, and everything that names it is woken."""
        sealed, tenant = written.now, place.organization.name
        detail = {
            "version": sealed.version,
            "digest": sealed.digest[:SHOWN],
            "keeps": bool(written.before),
            "hosts": list(sealed.hosts or ()),
        }
        event = Event(
            organization=tenant,
            type="secret.set",
            ref=Ref(f"secret/{place.name}"),
            scope=Scope(tenant),
            at=sealed.at,
            message=f"version {sealed.version} by {sealed.by}",
        )
        change = Change(
            expects=(
                # A key that is retired meanwhile would take the secret with it.
                Expect(OrganizationKey, key.id, "retired_at", 0.0),
                Expect(Secret, written.id, "revision", known.revision)
                if known
                else Expect(Secret, written.id),
            ),
            writes=(Put(written), *(Put(wake) for wake in self._wakes(place))),
            events=(event,),
            audit=(self._proof(place, sealed.by, "secret.set", detail),),
        )
        try:
            await self.services.store.commit(change)
        except Conflict:
            return False
        return True

    def _wakes(self, place: Place) -> Iterator[Wake]:
        for each in place.consumers:
            if self.services.kinds[each.row.kind].loop is not None:
                yield Wake(
                    id=self.services.runtime.new_id(),
                    ref=each.row.ref,
                    reason="its secret changed",
                    lane=Lane.INTERACTIVE,
                    tenant=place.organization.name,
                )

    def _proof(self, place: Place, actor: str, action: str, detail: dict[str, AnyJson]) -> Audit:
        return Audit(
            organization=place.organization.name,
            actor=actor,
            action=action,
            ref=f"secret/{place.name}",
            at=self.services.runtime.now(),
            detail=detail,
        )

    async def _body(self, request: Request, name: str) -> dict[str, AnyJson]:
        body = await read_json(request, self.services.max_body_bytes, opaque=("value",))
        if not isinstance(body, dict):
            raise Refused(400, "bad_type", "an object was expected")
        wrong = [*unknown_fields(body, FIELDS, ""), *_mistakes(body, name)]
        if wrong:
            detail = "; ".join(mistake.message for mistake in wrong)
            raise Refused(422, "bad_secret", detail, mistakes=tuple(wrong))
        return body

    def _named(self, consumers: Sequence[Consumer], subject: Subject) -> str:
        """Those that they may see by name, the others by number."""
        sight = Sight(self.services, subject)
        titles = [each.title for each in consumers if sight.may_to("read", each.row)]
        others = len(consumers) - len(titles)
        return ", ".join([*titles, *([f"{others} more"] if others else [])])

    def _shown(self, row: Secret, consumers: Sequence[Consumer], subject: Subject) -> dict[str, AnyJson]:
        sight = Sight(self.services, subject)
        used = [
            {
                "kind": each.row.kind,
                "name": each.row.name,
                "scope": str(each.row.scope),
                "version": each.version or None,
            }
            for each in consumers
            if sight.may_to("read", each.row)
        ]
        return {
            "name": row.name,
            **_version(row.now),
            "previous": _version(row.before) if row.before else None,
            "used_by": used,
        }


def following(known: Secret | None, place: Place, sealed: Sealed, *, keeps: bool) -> Secret:
    """The secret with its next version; the same one where nothing is new.

    A version that some still rely on stays, also when the one that should follow it is put right.
    """
    if known is None:
        return Secret(id=place.id, home=place.organization.ref, name=place.name, now=sealed)
    if (known.now.digest, known.now.hosts) == (sealed.digest, sealed.hosts):
        return known
    before = known.before or (known.now if keeps else None)
    return replace(known, now=sealed, before=before, revision=known.revision + 1)


def _mistakes(body: dict[str, AnyJson], name: str) -> Iterator[Mistake]:
    if not NAME.match(name):
        yield Mistake(pointer="", code="bad_name", message=f"that is no name of a secret: {NAME_RULE}")
    value = body.get("value")
    if not isinstance(value, str) or not value.strip():
        yield Mistake(pointer="/value", code="missing", message="the value is needed, as text")
    elif len(value.encode()) > LONGEST:
        yield Mistake(pointer="/value", code="bad_value", message=f"the value is longer than {LONGEST} bytes")
    elif value.startswith("secret://"):
        yield Mistake(
            pointer="/value", code="bad_value", message="this is the name of a secret, not a secret"
        )
    yield from _host_mistakes(body.get("hosts", []))
    if not isinstance(body.get("keep_previous", False), bool):
        yield Mistake(pointer="/keep_previous", code="bad_type", message="keep_previous is true or false")


def _host_mistakes(hosts: AnyJson) -> Iterator[Mistake]:
    if not isinstance(hosts, list) or len(hosts) > MOST_HOSTS:
        message = f"hosts is a list of at most {MOST_HOSTS} hosts, as api.example.org or *.example.org:8443"
        yield Mistake(pointer="/hosts", code="bad_type", message=message)
        return
    for at, text in enumerate(hosts):
        if not isinstance(text, str) or read_place(text) is None:
            message = "a host is api.example.org, *.example.org, api.example.org:8443 or [2001:db8::1]:8443"
            yield Mistake(pointer=f"/hosts/{at}", code="bad_value", message=message)


def _hosts(body: dict[str, AnyJson]) -> tuple[str, ...]:
    """In one spelling and one order."""
    return tuple(sorted({str(read_place(text)) for text in body.get("hosts", ())}))


def _version(sealed: Sealed) -> dict[str, AnyJson]:
    return {
        "version": sealed.version,
        "digest": sealed.digest[:SHOWN],
        "created_at": moment(sealed.at),
        "created_by": sealed.by,
        "hosts": list(sealed.hosts or ()),
    }
