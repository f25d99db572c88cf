"""The scene the demo plays, from the first declaration to the score."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Final

from setpoint.client.address import Scope
from setpoint.client.client import Batch, Client
from setpoint.client.resource import Object
from setpoint.demo.cloud import Cloud
from setpoint.demo.fleet import HOSTS, ORGANIZATION, OWNER, WANTED_DELETE, without, without_records
from setpoint.demo.report import everything, report, wrong_deletes

AnyJson = Any
PATIENCE: Final = 30.0
LOOK_SECONDS: Final = 0.2
LIE_SECONDS: Final = 3.0


class Stuck(Exception):
    """The scene did not go on in time; the message says what was waited for and how things stood."""


class Stopped(Exception):
    """Somebody ended the demo amid its scene."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the scene plays and how it is told."""

    client: Client
    cloud: Cloud
    items: list[AnyJson]
    say: Callable[[str, str], None]
    """(symbol, line)"""
    monotonic: Callable[[], float]
    stop: Event = field(default_factory=Event)
    """Set from outside: the scene ends at its next pause."""

    def pause(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise Stopped


def converge(stage: Stage) -> bool:
    """The fleet declared, and all of it READY."""
    _declare(stage)
    return True


def play(stage: Stage) -> bool:
    """The whole scene; whether it ended as it should."""
    _declare(stage)
    _break_and_heal(stage)
    _lie(stage)
    _empty_file(stage)
    _wanted_delete(stage)
    stage.say("", "")
    for line in report(stage.client, stage.cloud):
        stage.say("=", line)
    return not wrong_deletes(stage.cloud.effects(), _declared_records(stage))


def _declare(stage: Stage) -> None:
    stage.say("+", f"declare   {len(stage.items)} objects of {ORGANIZATION} / shop / prod")
    stage.client.declare(ORGANIZATION, Batch(stage.items, OWNER))
    expected = len(stage.items) + 2 * HOSTS  # the group's hosts, and their agents

    def converged() -> str:
        found = everything(stage.client)
        ready = sum(1 for o in found if o.status["state"] == "READY")
        return "" if ready == len(found) == expected else f"{ready} of {expected} READY"

    took = _until(stage, converged, "everything to be READY")
    stage.say("=", f"converge  {expected} of {expected} READY after {took:.1f} s, {HOSTS} real agents report")


def _break_and_heal(stage: Stage) -> None:
    victim = _one(stage, "host", "web-2")
    server = victim.status["facts"]["server_id"]
    stage.cloud.vanish(victim.status["facts"]["server"])
    stage.cloud.change_record("example.org", "www", "203.0.113.66")
    stage.say("!", "break     server web-2 deleted and www pointed elsewhere, behind our back")

    def healed() -> str:
        host = _one(stage, "host", "web-2")
        if host.status["state"] != "READY" or host.status["facts"].get("server_id") == server:
            return f"web-2: {host.status['reason']}"
        zone = _one(stage, "dns_zone", "example-org")
        changed = any(e["verb"] == "update" and e["id"] == "www/A" for e in stage.cloud.effects())
        return "" if zone.status["state"] == "READY" and changed else f"zone: {zone.status['reason']}"

    took = _until(stage, healed, "the fleet to heal")
    stage.say("=", f"heal      one server made again after a second look, www put back, {took:.1f} s")


def _lie(stage: Stage) -> None:
    before = _our_changes(stage)
    stage.cloud.fault(kind="missing_page", method="GET", path="/zones/*/rrsets")
    stage.say("!", "lie       the cloud's listing of the zone comes back incomplete")

    def noticed() -> str:
        zone = _one(stage, "dns_zone", "example-org")
        return "" if "incomplete" in zone.status["reason"] else zone.status["reason"]

    _until(stage, noticed, "the lie to be noticed")
    stage.pause(LIE_SECONDS)
    acts = _our_changes(stage) - before
    stage.cloud.mend()
    stage.say("=", f"notice    listing incomplete: {acts} changes made on it")
    _until(stage, lambda: _not_ready(stage, "dns_zone", "example-org"), "the zone to be READY again")


def _empty_file(stage: Stage) -> None:
    stage.say("!", "mistake   the file is applied with every record lost")
    stage.client.declare(ORGANIZATION, Batch(without_records(stage.items), OWNER, prune=True))

    def held() -> str:
        zone = _one(stage, "dns_zone", "example-org")
        return "" if zone.status["state"] == "HELD" else str(zone.status["reason"])

    _until(stage, held, "the plan to be held")
    zone = _one(stage, "dns_zone", "example-org")
    plan = zone.status["plan"]
    stage.say("!", f"HELD      {zone.status['reason']}")
    stage.say(" ", f"          setpoint describe plan {plan}   ·   setpoint approve {plan} --reason WHY")
    stage.client.declare(ORGANIZATION, Batch(stage.items, OWNER, prune=True))
    _until(stage, lambda: _not_ready(stage, "dns_zone", "example-org"), "the zone to be READY again")
    stage.say("=", "undo      the file is whole again; nothing had been deleted")


def _wanted_delete(stage: Stage) -> None:
    stage.say("-", f"drop      {WANTED_DELETE} is taken out of the file, on purpose")
    stage.client.declare(ORGANIZATION, Batch(without(stage.items, WANTED_DELETE), OWNER, prune=True))

    def deleted() -> str:
        gone = any(e["verb"] == "delete" and e["id"] == f"{WANTED_DELETE}/A" for e in stage.cloud.effects())
        declared = any(found.name == WANTED_DELETE for found in everything(stage.client))
        return "" if gone and not declared else "not deleted yet"

    _until(stage, deleted, "the record to be deleted")
    stage.say("=", "deleted   exactly that one, with no person asked")


def _until(stage: Stage, missing: Callable[[], str], what: str) -> float:
    """Waits until nothing is missing; how long it took."""
    began = stage.monotonic()
    while still := missing():
        if stage.monotonic() - began > PATIENCE:
            raise Stuck(f"waited {PATIENCE:.0f} s for {what}: {still}")
        stage.pause(LOOK_SECONDS)
    return stage.monotonic() - began


def _one(stage: Stage, kind: str, name: str) -> Object:
    sort = next(each for each in stage.client.kinds() if each.name == kind)
    found = stage.client.objects(sort, Scope(ORGANIZATION))
    return next(o for o in found if o.name == name)


def _not_ready(stage: Stage, kind: str, name: str) -> str:
    status = _one(stage, kind, name).status
    return "" if status["state"] == "READY" else str(status["reason"])


def _our_changes(stage: Stage) -> int:
    return sum(1 for effect in stage.cloud.effects() if effect["by"] == "api")


def _declared_records(stage: Stage) -> frozenset[str]:
    return frozenset(
        f"{item['spec']['name']}/A"
        for item in without(stage.items, WANTED_DELETE)
        if item["kind"] == "dns_record"
    )
