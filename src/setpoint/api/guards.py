"""The one table of guards and their limits as data, with the numbers that are in force here."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.reference import LIMITS as BOUNDS
from setpoint.api.render import answer
from setpoint.api.services import Services
from setpoint.engine.guards import GUARDS, Guard
from setpoint.engine.limits import Limits

AnyJson = Any
FIELDS: Final[Mapping[str, AnyJson]] = msgspec.json.schema(Limits)["$defs"]["Limits"]["properties"]


class Guards(Struct, frozen=True):
    """The engine's own table, with this installation's numbers."""

    services: Services

    async def page(self, request: Request, subject: Subject) -> Response:
        """GET every guard, and every limit with its values in force."""
        limits = [shown_limit(name, self.services.limits, self.services.narrower) for name in FIELDS]
        return answer(
            {"items": [shown_guard(guard) for guard in GUARDS], "limits": limits, "next_page_token": ""}
        )


def bounds_of(name: str) -> str:
    """What a limit's value must be: `a number, more than 0, less than 1`."""
    schema = FIELDS[name]
    words = [said.format(f"{schema[key]:g}") for key, said in BOUNDS.items() if key in schema]
    return ", ".join(["a whole number" if schema["type"] == "integer" else "a number", *words])


def shown_guard(guard: Guard) -> dict[str, AnyJson]:
    """One row of the table, without its code."""
    return {
        "name": guard.name,
        "about": guard.about,
        "withholds": guard.withholds,
        "release": guard.release,
        "approvable": guard.waivable,
        "spares_explicit": guard.spares,
        "limits": list(guard.limits),
    }


def shown_limit(name: str, everywhere: Limits, narrower: Mapping[str, Limits]) -> dict[str, AnyJson]:
    """One number: its default, its value here, and the kinds and objects for which it is another."""
    schema = FIELDS[name]
    kinds = {place: getattr(limits, name) for place, limits in narrower.items() if "/" not in place}
    objects = {place: getattr(limits, name) for place, limits in narrower.items() if "/" in place}
    value = getattr(everywhere, name)
    return {
        "name": name,
        "about": schema["description"],
        "bounds": bounds_of(name),
        "default": schema["default"],
        "value": value,
        "kinds": {kind: own for kind, own in kinds.items() if own != value},
        "objects": {
            place: own for place, own in objects.items() if own != kinds.get(place.partition("/")[0], value)
        },
        "guards": [guard.name for guard in GUARDS if name in guard.limits],
    }
