"""How an organization stands, as whoever runs the installation says: whether anything is declared in it."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, get_args

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.body import read_json
from setpoint.api.form import reason_mistakes
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.api.services import Services
from setpoint.api.validate import unknown_fields
from setpoint.engine.entity import Declared, Scope, slot
from setpoint.engine.errors import Mistake
from setpoint.engine.rows import Audit
from setpoint.engine.store import DECLARED_AT, STANDINGS_OF, Change, Put, Store, listed
from setpoint.engine.tenancy import Resource, Standing, Verification

AnyJson = Any
CHOICES: Final = {"verification": get_args(Verification), "state": get_args(Resource)}
FIELDS: Final = (*CHOICES, "reason")


class Standings(Struct, frozen=True):
    """Read by whoever may read the organization, said at the installation's own scope."""

    services: Services

    async def read(self, request: Request, subject: Subject) -> Response:
        """GET how it stands, who said so and why."""
        return answer(_shown(await standing_of(self.services.store, await self._organization(request))))

    async def put(self, request: Request, subject: Subject) -> Response:
        """POST: `verification`, `state` and the reason; what is left out stays."""
        organization, now = await self._organization(request), self.services.runtime.now()
        body = await self._body(request)
        known = await standing_of(self.services.store, organization)
        said = msgspec.structs.replace(known, **body, by=subject.name, at=now)
        proof = Audit(
            organization=organization,
            actor=subject.name,
            action="organization.standing",
            ref=f"organization/{organization}",
            at=now,
            detail={"verification": said.verification, "state": said.state, "reason": said.reason},
        )
        await self.services.store.commit(Change(writes=(Put(said),), audit=(proof,)))
        return answer(_shown(said))

    async def _organization(self, request: Request) -> str:
        name = str(request.path_params["name"])
        if not await self.services.store.read(DECLARED_AT, slot=slot("organization", Scope(), name)):
            raise Refused(404, "not_found", f"there is no organization {name} in this installation")
        return name

    async def _body(self, request: Request) -> dict[str, AnyJson]:
        body = await read_json(request, self.services.max_body_bytes)
        if not isinstance(body, dict):
            raise Refused(400, "bad_type", "an object was expected")
        wrong = [*unknown_fields(body, FIELDS, ""), *reason_mistakes(body)]
        wrong += [
            Mistake(pointer=f"/{key}", code="bad_value", message=f"{key} is one of {', '.join(known)}")
            for key, known in CHOICES.items()
            if key in body and body[key] not in known
        ]
        if wrong:
            detail = "; ".join(mistake.message for mistake in wrong)
            raise Refused(422, "bad_standing", detail, mistakes=tuple(wrong))
        return body


async def standing_of(store: Store, organization: str) -> Standing:
    return await store.get(Standing, organization) or Standing(organization=organization)


async def check_standing(store: Store, rows: Sequence[Declared], *, verify: bool) -> None:
    """Nothing is declared, changed or deleted in an organization that is not verified and active.

    What stops or slows is no such change: levers and rejections work wherever somebody may use them.
    """
    inside = [row for row in rows if row.organization]
    if verify:
        made = {row.name for row in rows if row.kind == "organization" and row.generation == 0}
        for row in inside:
            if row.organization in made:
                raise refusal(_new(row.organization, 0.0))
    keys = listed(row.organization for row in inside)
    for standing in await store.read(STANDINGS_OF, keys=keys) if inside else ():
        if not standing.good:
            raise refusal(standing)


def begun(rows: Iterable[Declared], now: float) -> Change:
    """New organizations begin in setup, where the installation verifies them."""
    made = [row for row in rows if row.kind == "organization" and row.generation == 0]
    return Change(writes=tuple(Put(_new(row.name, now)) for row in made))


def _new(organization: str, now: float) -> Standing:
    why = "new; waits to be verified"
    return Standing(organization=organization, verification="in_setup", reason=why, by="setpoint", at=now)


def refusal(standing: Standing) -> Refused:
    detail = f"organization {standing.organization} is {standing.words}; nothing can be declared in it"
    hint = (
        "whoever runs this installation can change that: "
        f"setpoint organization standing {standing.organization} --verification verified --state active"
    )
    return Refused(409, "entity_status", detail, hint=hint)


def _shown(standing: Standing) -> dict[str, AnyJson]:
    return {
        "organization": standing.organization,
        "verification": standing.verification,
        "state": standing.state,
        "reason": standing.reason,
        "by": standing.by,
        "at": moment(standing.at) if standing.at else None,
    }
