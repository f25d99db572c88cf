"""The score: what was done to the cloud, what we did about it, and whether anything was deleted wrongly."""

from collections import Counter
from typing import Any

from setpoint.client.address import Scope
from setpoint.client.client import Client
from setpoint.client.resource import Object
from setpoint.demo.cloud import Cloud
from setpoint.demo.fleet import ORGANIZATION

AnyJson = Any


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
        f"{ready} of {len(objects)} objects READY, {len(held)} plans held for a person",
        f"faults injected: {injected}",
        f"changes we made at the cloud: {', '.join(f'{n} {verb}' for verb, n in sorted(ours.items()))}",
        f"wrong deletes: {len(wrong)}" + (f" ({', '.join(wrong)})" if wrong else ""),
    ]


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
