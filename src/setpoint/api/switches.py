"""The switch at every level: run, no-deletes, observe, stop. In force when the request returns."""

from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.permission import Permission, Subject
from setpoint.api.body import read_json
from setpoint.api.problem import Refused
from setpoint.api.render import answer, moment
from setpoint.api.services import Services
from setpoint.engine.entity import Ref, Scope
from setpoint.engine.rows import Audit, Event, Mode, Switch
from setpoint.engine.store import SWITCHES, Change, Drop, Expect, Put

AnyJson = Any


@dataclass(frozen=True, slots=True)
class Switches:
    """Levers above everything the engine does."""

    services: Services

    async def page(self, request: Request) -> Response:
        await self.services.subject(request, Permission("read", "switch"))
        rows = await self.services.store.read(SWITCHES)
        return answer({"items": [_shown(row) for row in rows], "next_page_token": ""})

    async def put(self, request: Request) -> Response:
        subject = await self.services.subject(request, Permission("execute", "switch"))
        key = self._key(request)
        return answer(_shown(await self.set(key, await self.read_mode(request), subject)))

    async def drop(self, request: Request) -> Response:
        subject = await self.services.subject(request, Permission("execute", "switch"))
        await self.clear(self._key(request), subject)
        return answer({"key": self._key(request), "mode": Mode.RUN})

    async def set(self, key: str, wanted: tuple[Mode, str], subject: Subject) -> Switch:
        """Committed before this returns: no act begins under the old setting afterwards."""
        known = await self.services.store.get(Switch, key)
        mode, reason = wanted
        now = self.services.runtime.now()
        switch = Switch(
            key=key,
            mode=mode,
            by=subject.name,
            reason=reason,
            since=now,
            version=known.version + 1 if known else 1,
        )
        expect = Expect(Switch, key, "version", known.version) if known else Expect(Switch, key)
        await self.services.store.commit(_change(switch, expect, Put(switch), subject.name, now))
        return switch

    async def clear(self, key: str, subject: Subject) -> None:
        known = await self.services.store.get(Switch, key)
        if known is None:
            raise Refused(404, "not_found", f"no switch is set at {key}")
        now = self.services.runtime.now()
        cleared = msgspec.structs.replace(known, mode=Mode.RUN)
        expect = Expect(Switch, key, "version", known.version)
        await self.services.store.commit(_change(cleared, expect, Drop(Switch, key), subject.name, now))

    async def read_mode(self, request: Request) -> tuple[Mode, str]:
        """Mode and reason from the body; every mistake at once."""
        body = await read_json(request, self.services.max_body_bytes)
        fields = body if isinstance(body, dict) else {}
        wrong = []
        if fields.get("mode", "stop") not in tuple(Mode):
            wrong.append(f"mode is one of {', '.join(Mode)}")
        if not isinstance(fields.get("reason"), str) or not fields["reason"].strip():
            wrong.append("say why, in a field called reason")
        if wrong:
            raise Refused(422, "bad_switch", "; ".join(wrong))
        return Mode(fields.get("mode", "stop")), fields["reason"]

    def _key(self, request: Request) -> str:
        key: str = request.path_params["key"]
        level, _, name = key.partition(":")
        if key == "all" or (level == "scope" and name) or (level == "kind" and name in self.services.kinds):
            return key
        hint = "all, kind:KIND or scope:ORGANIZATION[/PROJECT[/WORKSPACE]]; one object has :pause of its own"
        raise Refused(404, "no_such_level", f"there is no switch level {key!r}", hint=hint)


def _change(switch: Switch, expect: Expect, write: Put | Drop, actor: str, now: float) -> Change:
    organization = switch.key.removeprefix("scope:").split("/")[0] if switch.key.startswith("scope:") else ""
    detail = {"mode": switch.mode, "reason": switch.reason}
    ref = Ref(f"switch/{switch.key}")
    return Change(
        expects=(expect,),
        writes=(write,),
        events=(
            Event(
                organization=organization,
                type="switch.changed",
                ref=ref,
                scope=Scope(organization),
                at=now,
                message=f"{switch.mode} by {actor}: {switch.reason}",
            ),
        ),
        audit=(
            Audit(
                organization=organization, actor=actor, action="switch.set", ref=ref, at=now, detail=detail
            ),
        ),
    )


def _shown(switch: Switch) -> dict[str, AnyJson]:
    return {**msgspec.to_builtins(switch), "since": moment(switch.since)}
