"""The score: what was done to the cloud, what we did about it, and whether anything was deleted wrongly."""

from collections import Counter
from time import sleep
from typing import Any, Final

from setpoint.cli.text import plural
from setpoint.client.address import Scope
from setpoint.client.client import Client
from setpoint.client.resource import Object, seconds_of
from setpoint.demo.cloud import Cloud
from setpoint.demo.fleet import ORGANIZATION
from setpoint.system import monotonic

AnyJson = Any
PATIENCE: Final = 15.0
LOOK_SECONDS: Final = 0.2
LOOKED_OFTEN: Final = ("dns_zone", "provider")


def report(client: Client, cloud: Cloud) -> list[str]:
    """A few lines, from the judge's log and the API."""
    effects = cloud.effects()
    ours = Counter(effect["verb"] for effect in effects if effect["by"] == "api")
    injected = sum(cloud.state()["faults"].values()) + sum(1 for e in effects if e["by"] != "api")
    wrong = wrong_deletes(effects, _declared(client))
    objects = everything(client)
    ready = sum(1 for o in objects if o.status["state"] == "READY")
    held = [plan for plan in client.plans(ORGANIZATION, "held") if plan["state"] == "held"]
    return [
        f"{ready} of {len(objects)} objects READY, {plural(len(held), 'plan')} held for a person",
        f"faults injected: {injected}",
        f"changes we made at the cloud: {', '.join(f'{n} {verb}' for verb, n in sorted(ours.items()))}",
        f"wrong deletes: {len(wrong)}" + (f" ({', '.join(wrong)})" if wrong else ""),
    ]


def report_since(client: Client, cloud: Cloud, meddled_at: float) -> list[str]:
    """The same, once zones and accounts were looked at after the last lever; says how many others were."""
    until = monotonic() + PATIENCE
    while monotonic() < until and not _are_looked_at(client, meddled_at):
        sleep(LOOK_SECONDS)
    objects = [found for found in everything(client) if "observed_at" in found.status]
    watched = [found for found in objects if found.status.get("next_observation_at")]
    looked = sum(1 for found in watched if _is_looked_at(found, meddled_at))
    return [*report(client, cloud), f"looked at since the last lever: {looked} of {len(watched)} objects"]


def _are_looked_at(client: Client, since: float) -> bool:
    return all(_is_looked_at(found, since) for found in everything(client) if found.kind in LOOKED_OFTEN)


def _is_looked_at(found: Object, since: float) -> bool:
    """A look that failed counts too: it is what a lie leads to."""
    failed = bool(found.status.get("failures")) or found.state in ("DEGRADED", "FAILED")
    return failed or (seconds_of(found.status.get("observed_at")) or 0.0) > since


def everything(client: Client) -> list[Object]:
    """Every declared object of the demo."""
    return [
        found
        for kind in client.kinds()
        for found in client.objects(kind, Scope() if kind.level == "installation" else Scope(ORGANIZATION))
    ]


def wrong_deletes(effects: list[AnyJson], declared: frozenset[str]) -> list[str]:
    """Record sets that we deleted although they are declared."""
    ours = [e for e in effects if e["by"] == "api" and e["verb"] == "delete" and e["resource"] == "rrset"]
    return [str(e["id"]) for e in ours if e["id"] in declared]


def _declared(client: Client) -> frozenset[str]:
    kind = next(kind for kind in client.kinds() if kind.name == "dns_record")
    found = client.objects(kind, Scope(ORGANIZATION))
    return frozenset(f"{o.spec['name']}/{o.spec['type']}" for o in found if not o.metadata.get("deleting"))
