"""The page of a running loop file: on this machine only, in the standard library only."""

import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from setpoint.cli.exits import Exit, Stop
from setpoint.drive.exposition import MEDIA_TYPE
from setpoint.engine.errors import FAILURES
from setpoint.engine.rows import Mode, Switch
from setpoint.engine.store import ACTS_PAGE, PASSES_PAGE
from setpoint.loop.commands.changing import ALL
from setpoint.loop.commands.decided import decided
from setpoint.loop.commands.facts import standing
from setpoint.loop.commands.session import Session
from setpoint.loop.commands.verbs.pause import pause, resume
from setpoint.loop.commands.verbs.pause import standing as switches_of
from setpoint.loop.page.http import HERE, Answer, Request, foreign, listening, port_of
from setpoint.loop.page.sheet import Card, Decision, Deed, Sheet, html
from setpoint.loop.station import Station
from setpoint.system import new_secret

HTML: Final = "text/html; charset=utf-8"
POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
PASSES_SHOWN: Final = 6
ACTS_SHOWN: Final = 8
BUTTONS: Final = ("/pause", "/resume")


@asynccontextmanager
async def page(session: Session, station: Station, port: int, enforce: str) -> AsyncIterator[str]:
    """Served while inside; gives its address."""
    site = Site(session, station, enforce, new_secret())
    try:
        server = await listening(port, site.answer)
    except OSError as error:
        raise Stop(
            f"cannot listen on {HERE}:{port}: {error.strerror}", Exit.FAILED, ("choose another port",)
        ) from error
    site.port = port_of(server)
    async with server:
        yield f"http://{HERE}:{site.port}"


@dataclass(slots=True)
class Site:
    """Answers requests."""

    session: Session
    station: Station
    enforce: str
    token: str
    port: int = 0

    async def answer(self, request: Request) -> Answer:
        if why := foreign(request, self.port):
            return Answer(403, f"{why}\n")
        if request.path in BUTTONS:
            return await self._pressed(request)
        if request.method not in ("GET", "HEAD"):
            return Answer(405, "only looking is possible here\n", headers={"Allow": "GET, HEAD"})
        if request.path == "/":
            return await self._sheet()
        plain = {
            "/metrics": lambda: Answer(200, self.station.meter.render(), MEDIA_TYPE),
            "/livez": lambda: Answer(200, "ok\n"),
        }
        return plain.get(request.path, lambda: Answer(404, "there is /, /metrics and /livez\n"))()

    async def _pressed(self, request: Request) -> Answer:
        if request.method != "POST":
            return Answer(405, "that is a button\n", headers={"Allow": "POST"})
        if not hmac.compare_digest(request.form.get("token", ""), self.token):
            return Answer(403, "this form is not from this page, or from before its last start: reload it\n")
        loop = request.form.get("loop", "")
        if loop and loop not in self.station.loops:
            return Answer(404, "there is no such loop\n")
        try:
            if request.path == "/pause":
                await pause(self.session, self.station, loop, (Mode.STOP, "paused on the page"))
            else:
                await resume(self.session, self.station, loop)
        except (*FAILURES, Stop) as error:
            return Answer(400, f"{error}\n")
        return Answer(303, "", headers={"Location": "/"})

    async def _sheet(self) -> Answer:
        switches = {switch.key: switch for switch in await switches_of(self.station)}
        whole = switches.get(ALL)
        sheet = Sheet(
            file=self.session.place.file.name,
            enforce=self.enforce,
            now=self.station.runtime.now(),
            cards=tuple([await self._card(name, switches) for name in self.station.loops]),
            token=self.token,
            mode=str(whole.mode) if whole else "run",
            paused=_by(whole) if whole else "",
        )
        headers = {
            "Content-Security-Policy": POLICY,
            "Referrer-Policy": "no-referrer",
            "X-Frame-Options": "DENY",
        }
        return Answer(200, html(sheet), HTML, headers)

    async def _card(self, name: str, switches: dict[str, Switch]) -> Card:
        station, ref = self.station, self.station.ref(name)
        found = await standing(self.session.place, station, name)
        passes = await station.store.read(PASSES_PAGE, ref=ref, after="", limit=PASSES_SHOWN)
        acts = await station.store.read(ACTS_PAGE, domain=ref, after="", limit=ACTS_SHOWN)
        own = switches.get(f"domain:{ref}")
        return Card(
            about=station.kinds[station.terms[name].kind].about,
            state=str(found.status.state),
            reason=found.status.reason,
            since=found.status.since,
            outlook=found.outlook,
            decisions=tuple(Decision(one.at, decided(one.verdict)) for one in passes),
            deeds=tuple(Deed(a.began_at, f"{a.verb} {a.item}", str(a.state), a.detail) for a in acts),
            mode=str(own.mode) if own else "run",
            paused=_by(own) if own else "",
        )


def _by(switch: Switch) -> str:
    return f"{switch.by}: {switch.reason}"
