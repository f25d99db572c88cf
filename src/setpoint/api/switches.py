"""The switch at every level: run, no-deletes, observe, stop. In force when the request returns."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.body import read_json
from setpoint.api.credentials import require_fresh
from setpoint.api.form import reason_mistakes
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.api.served import Place
from setpoint.api.services import Services
from setpoint.api.sight import Sight
from setpoint.api.validate import unknown_fields
from setpoint.engine.entity import Declared, Scope, slot
from setpoint.engine.errors import Mistake
from setpoint.engine.levers import flipped
from setpoint.engine.rows import Mode, Switch
from setpoint.engine.store import DECLARED_AT, SWITCHES

AnyJson = Any
DOMAIN: Final = "domain:"
CONTAINERS: Final = ("organization", "project", "workspace")


class Switches(Struct, frozen=True):
    """Levers above everything the engine does."""

    services: Services

    async def page(self, request: Request, subject: Subject) -> Response:
        rows = [row for row in await self.services.store.read(SWITCHES) if row.mode is not Mode.RUN]
        sight = Sight(self.services, subject)
        domains = await sight.known(row.key.partition(":")[2] for row in rows if row.key.startswith(DOMAIN))
        seen = (row for row in rows if _concerns(sight, row, domains))
        return answer({"items": [_shown(row) for row in seen], "next_page_token": ""})

    async def put(self, request: Request, subject: Subject) -> Response:
        key: str = request.path_params["key"]
        wanted = await self.read_mode(request, await self._key_mistakes(key))
        await self._check_loosened(key, wanted[0], subject)
        return answer(_shown(await self.set(key, wanted, subject)))

    async def drop(self, request: Request, subject: Subject) -> Response:
        key: str = request.path_params["key"]
        await self._check_loosened(key, Mode.RUN, subject)
        await self.clear(key, subject)
        return answer({"key": key, "mode": Mode.RUN})

    async def set(self, key: str, wanted: tuple[Mode, str], subject: Subject) -> Switch:
        """Committed before this returns: no act begins under the old setting afterwards."""
        known = await self.services.store.get(Switch, key)
        mode, reason = wanted
        now = self.services.runtime.now()
        version = known.version + 1 if known else 1
        switch = Switch(key=key, mode=mode, by=subject.name, reason=reason, since=now, version=version)
        await self.services.store.commit(flipped(switch, known, await self._about(key)))
        return switch

    async def clear(self, key: str, subject: Subject) -> None:
        known = await self.services.store.get(Switch, key)
        if known is None or known.mode is Mode.RUN:
            raise Refused(404, "not_found", f"no switch is set at {key}")
        now = self.services.runtime.now()
        # The row stays: its version tells that there was a pause, and what it held begins on probation.
        cleared = msgspec.structs.replace(
            known, mode=Mode.RUN, by=subject.name, since=now, version=known.version + 1
        )
        await self.services.store.commit(flipped(cleared, known, await self._about(key)))

    async def _about(self, key: str) -> Declared | None:
        """The object that a switch of its own holds."""
        ref = key.removeprefix(DOMAIN)
        return await self.services.store.get(Declared, ref) if key.startswith(DOMAIN) else None

    async def read_mode(self, request: Request, found: Sequence[Mistake] = ()) -> tuple[Mode, str]:
        """Mode and reason from the body; every mistake at once, with those found before."""
        body = await read_json(request, self.services.max_body_bytes)
        fields: dict[str, AnyJson] = body if isinstance(body, dict) else {}
        wrong = [*found, *unknown_fields(fields, ("mode", "reason"), "")]
        if fields.get("mode", Mode.STOP) not in tuple(Mode):
            message = f"mode is one of {', '.join(Mode)}"
            wrong.append(Mistake(pointer="/mode", code="bad_value", message=message))
        wrong += reason_mistakes(fields)
        if wrong:
            detail = "; ".join(mistake.message for mistake in wrong)
            raise Refused(422, "bad_switch", detail, mistakes=tuple(wrong))
        return Mode(fields.get("mode", Mode.STOP)), fields["reason"]

    async def _check_loosened(self, key: str, mode: Mode, subject: Subject) -> None:
        """Stopping never waits for a password; letting a whole organization go on again does."""
        known = await self.services.store.get(Switch, key)
        order = tuple(Mode)
        if known is not None and "/" not in key and order.index(mode) < order.index(known.mode):
            await require_fresh(self.services, subject.credential)

    async def _key_mistakes(self, key: str) -> tuple[Mistake, ...]:
        """A lever that nothing hangs on would be believed to hold something."""
        level, _, name = key.partition(":")
        if key == "all" or (level == "kind" and name in self.services.kinds):
            return ()
        if level == "scope" and await self._is_scope(name.split("/")):
            return ()
        hint = "all, kind:KIND or scope:ORGANIZATION[/PROJECT[/WORKSPACE]]; one object has :pause of its own"
        message = f"there is nothing to switch at {key[:200]!r}"
        return (Mistake(pointer="", code="no_such_level", message=message, hint=hint),)

    async def _is_scope(self, parts: Sequence[str]) -> bool:
        """Whether this organization, project or workspace is declared."""
        if len(parts) > len(CONTAINERS):
            return False
        place = slot(CONTAINERS[len(parts) - 1], Scope(*parts[:-1]), parts[-1])
        return bool(await self.services.store.read(DECLARED_AT, slot=place))


def place_of_lever(request: Request) -> Place:
    """What a lever holds: a scope, or everything there is."""
    level, _, name = str(request.path_params["key"]).partition(":")
    parts = name.split("/") if level == "scope" else []
    return Place(Scope(*parts[: len(CONTAINERS)]))


def _concerns(sight: Sight, switch: Switch, domains: Mapping[str, Declared]) -> bool:
    """Levers above everybody are everybody's to see; one below, of whoever it holds."""
    level, _, name = switch.key.partition(":")
    if level == "scope":
        return sight.may("read", "organization.switch", Scope(*name.split("/")))
    if switch.key.startswith(DOMAIN):
        return name in domains and sight.may_to("read", domains[name])
    return True


def _shown(switch: Switch) -> dict[str, AnyJson]:
    return {**msgspec.to_builtins(switch), "since": moment(switch.since)}
