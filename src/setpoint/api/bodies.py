"""What a body may say, for the contract: of every route that takes another one than a kind's own."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

from msgspec.json import schema_components

from setpoint.api.issue import MOST_ADDRESSES, MOST_DAYS
from setpoint.engine import bounds
from setpoint.engine.limits import Limits
from setpoint.engine.rows import Mode
from setpoint.engine.tenancy import Resource, Verification

Schema = dict[str, Any]
TEXT: Final[Schema] = {"type": "string", "maxLength": bounds.TEXT.most}
OWNER: Final[Schema] = {"type": "string", "maxLength": bounds.OWNER.most}
ABOUT: Final[Schema] = {"type": "string", "maxLength": bounds.ABOUT.most}
SHORT: Final[Schema] = {"type": "string", "maxLength": 1024}
NAME: Final[Schema] = {"type": "string", "pattern": r"^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$"}
FLAG: Final[Schema] = {"type": "boolean"}
WORDS: Final[Schema] = {"type": "string", "minLength": 1, "pattern": r"\S"}
WHY: Final[Schema] = {**WORDS, "maxLength": bounds.REASON.most}
DECLARATIONS: Final[Schema] = {"type": "array", "maxItems": 10_000, "items": {"type": "object"}}


def _object(fields: Mapping[str, Schema], needed: Sequence[str] = ()) -> Schema:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(needed),
        "properties": dict(fields),
    }


def _credential(*scopes: str) -> Schema:
    """A token as it is asked for; scopes are those that the address leaves open."""
    fields = {
        "name": NAME,
        "role": TEXT,
        "about": ABOUT,
        "days": {"type": "integer", "minimum": 1, "maximum": MOST_DAYS},
        "addresses": {"type": "array", "maxItems": MOST_ADDRESSES, "items": TEXT},
        "may_approve": FLAG,
    }
    return _object(fields | dict.fromkeys(scopes, TEXT), ("name",))


def _limits() -> Schema:
    """Each limit with its bounds; the defaults are no part of a rehearsal."""
    _, named = schema_components([Limits])
    fields = {
        name: {key: value for key, value in each.items() if key != "default"}
        for name, each in named["Limits"]["properties"].items()
    }
    return {**_object(fields), "minProperties": 1}


REASON: Final = _object({"reason": WHY}, ("reason",))
SWITCH: Final = _object({"mode": {"enum": [*Mode]}, "reason": WHY}, ("reason",))
NAMES: Final[Schema] = {"type": "array", "items": TEXT}
DECIDED: Final = {"digest": TEXT, "reason": WHY}
ASKED: Final = {"items": DECLARATIONS, "owner": OWNER, "prune": FLAG, "dry_run": FLAG}
SIGNED_IN: Final = {"email": SHORT, "password": SHORT, "code": SHORT, "cookie": FLAG}
FACTS: Final[Schema] = {"type": "object"}
HOSTS: Final[Schema] = {"type": "array", "maxItems": 20, "items": TEXT}
BODIES: Final[dict[str, Schema]] = {
    "PUT /v1/switches/{key}": SWITCH,
    "POST {one}:pause": SWITCH,
    "POST {one}:release": _object({"item": TEXT, "protection": FLAG, "reason": WHY}, ("reason",)),
    "POST {one}:protect": _object({"item": TEXT, "reason": WHY}, ("reason",)),
    "POST {one}:adopt": _object(
        {"names": {"type": "array", "items": TEXT}, "into": _object({"project": TEXT, "workspace": TEXT})}
    ),
    "POST {organization}/declarations": _object(ASKED),
    "POST {organization}/plans": _object(ASKED),
    "POST {organization}/plans/{id}:approve": _object(
        DECIDED | {"items": {**NAMES, "minItems": 1}}, ("digest", "reason")
    ),
    "POST {organization}/plans/{id}:reject": _object(DECIDED, ("reason",)),
    "POST {organization}/passes:rehearse": _object({"limits": _limits(), "ref": TEXT}, ("limits",)),
    "POST {organization}/passes/{id}:replay": _object(
        {"limits": {**_limits(), "minProperties": 0}, "mode": {"enum": [*Mode]}, "without": NAMES}
    ),
    "POST {organization}/operations/{id}:cancel": REASON,
    "POST {organization}/operations/{id}:retry": REASON,
    "POST {organization}/webhooks/{name}:redeliver": _object({"delivery": TEXT}, ("delivery",)),
    "PUT {organization}/secrets/{name}": _object(
        {"value": {**WORDS, "maxLength": 8192}, "keep_previous": FLAG, "hosts": HOSTS}, ("value",)
    ),
    "POST {organization}/roles/{name}:preview": {"type": "object"},
    "POST {organization}/memberships/{name}:preview": {"type": "object"},
    "POST {organization}/tokens": _credential("project", "workspace"),
    "POST {organization}/projects/{project}/workspaces/{workspace}/keys": _credential(),
    "POST /v1/me/tokens": _credential("organization", "project", "workspace"),
    "POST /v1/organizations/{name}:standing": _object(
        {
            "verification": {"enum": [*get_args(Verification)]},
            "state": {"enum": [*get_args(Resource)]},
            "reason": WHY,
        },
        ("reason",),
    ),
    "POST /v1/accounts": _object({"email": SHORT, "name": SHORT, "administrator": FLAG}, ("email",)),
    "PATCH /v1/accounts/{id}": _object(
        {"name": SHORT, "administrator": FLAG, "disabled": FLAG, "second_factor": FLAG}
    ),
    "POST /v1/accounts:recover": _object({"email": SHORT}, ("email",)),
    "POST /v1/sessions": _object(SIGNED_IN, ("email", "password")),
    "POST /v1/sessions/current:confirm": _object({"password": SHORT, "code": SHORT}, ("password",)),
    "POST /v1/links:open": _object({"link": SHORT}, ("link",)),
    "POST /v1/links:use": _object({**SIGNED_IN, "link": SHORT, "name": SHORT}, ("link", "password")),
    "POST /v1/me:password": _object({"password": SHORT}, ("password",)),
    "POST /v1/me/totp:confirm": _object({"code": SHORT}, ("code",)),
    "POST /v1/agent/enrol": {
        **_object({"token": TEXT, "once": TEXT, "facts": FACTS}, ("token",)),
        "additionalProperties": True,
    },
    "POST /v1/agent/heartbeat": {"type": "object"},
}
"""By method and address; {organization} stands for the address of one, {one} for that of any object."""
WITHOUT: Final = frozenset(
    {
        "POST {one}:resume",
        "POST {one}:observe",
        "POST {organization}/secrets/{name}:retire",
        "POST {organization}/memberships/{name}:invite",
        "POST /v1/me/totp",
    }
)
"""Those that are told everything by their address."""
ORGANIZATION: Final = "/v1/organizations/{organization}"


def body_of(method: str, path: str) -> Schema | None:
    """The schema of what such a route takes, or nothing if it takes nothing."""
    return BODIES.get(_known(method, path))


def is_described(method: str, path: str) -> bool:
    """Whether anybody thought about what it takes."""
    known = _known(method, path)
    return known in BODIES or known in WITHOUT


def _known(method: str, path: str) -> str:
    short = f"{method} {path.replace(ORGANIZATION, '{organization}')}"
    verb = path.rpartition("{name}:")[2]
    generic = f"{method} {{one}}:{verb}"
    return short if short in BODIES or short in WITHOUT else generic
