"""The running control plane, from outside: alive, ready, and open to our token."""

import http.client
from dataclasses import dataclass
from typing import Any, Final

from setpoint.check.finding import Finding, Site, fail, ok
from setpoint.client.connection import Connection, decoded
from setpoint.client.endpoint import Endpoint
from setpoint.client.errors import Unreachable

AnyJson = Any
SECONDS: Final = 5.0
GOOD: Final = 200
REFUSED: Final = (401, 403)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    body: AnyJson


def plane(site: Site) -> list[Finding]:
    """Where nobody answers, there is nothing else to say."""
    try:
        alive = live(site)
        return [alive, ready(site), token(site)]
    except (OSError, http.client.HTTPException, Unreachable) as error:
        verb, unit = ("api", "setpoint-api") if site.settings.database else ("up", "setpoint")
        cure = f"setpoint {verb} (as a service: systemctl status {unit}), or --url URL"
        return [fail("alive", f"{site.url} does not answer: {_words(error)}", cure)]


def live(site: Site) -> Finding:
    answer = _asked(site, "/livez")
    if answer.status != GOOD:
        return fail("alive", f"{site.url}/livez answers {answer.status}: is it really the API?", "--url URL")
    return ok("alive", site.url)


def ready(site: Site) -> Finding:
    answer = _asked(site, "/readyz")
    return told_of_ready(answer.status, answer.body)


def told_of_ready(status: int, body: AnyJson) -> Finding:
    checks = body.get("checks", {}) if isinstance(body, dict) else {}
    wrong = [f"{name}: {word}" for name, word in checks.items() if word != "ok"]
    if status == GOOD and not wrong:
        return ok("ready", ", ".join(checks) or "yes")
    cures = {
        "store": "setpoint check --pre looks at the database",
        "accepting": "it is stopping: start it again",
    }
    cure = next((cures[name] for name in checks if checks[name] != "ok" and name in cures), "read its log")
    return fail("ready", "; ".join(wrong) or f"it answers {status}", cure)


def token(site: Site) -> Finding:
    answer = _asked(site, "/v1/kinds")
    cure = "SETPOINT_TOKEN_FILE=DATA/admin.token, or SETPOINT_TOKEN"
    if not site.token:
        return fail("token", "there is none to try", cure)
    if answer.status in REFUSED:
        return fail("token", f"refused ({answer.status})", cure)
    if answer.status != GOOD:
        return fail("token", f"/v1/kinds answers {answer.status}", "read its log")
    return ok("token", "accepted")


def _asked(site: Site, path: str) -> Answer:
    """Once, without patience: a service that is not ready says so with a status we want to see."""
    connection = Connection(Endpoint(site.url, site.token, SECONDS))
    talk = connection.connect()
    try:
        talk.request("GET", connection.path(path), headers=connection.headers())
        response = talk.getresponse()
        return Answer(response.status, decoded(response.read()))
    finally:
        talk.close()


def _words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {SECONDS:g} s"
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    return getattr(error, "reason", "") or getattr(error, "strerror", "") or str(error)
