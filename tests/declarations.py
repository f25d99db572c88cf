"""What scenario tests declare: one organization, one project, and what lives in it."""

from collections.abc import Iterable
from typing import Any

AnyJson = Any


def setting(endpoint: str, **provider: Any) -> list[AnyJson]:
    spec = {"family": "hetzner_cloud", "endpoint": endpoint, "credential": "secret://hetzner", "mode": "run"}
    return [
        {"kind": "organization", "metadata": {"name": "acme"}, "spec": {}},
        {"kind": "project", "metadata": {"name": "shop"}, "spec": {}},
        {"kind": "provider", "metadata": {"name": "hetzner"}, "spec": {**spec, **provider}},
    ]


def workspace(name: str = "prod") -> AnyJson:
    return {
        "kind": "workspace",
        "metadata": {"name": name, "project": "shop"},
        "spec": {"provider": "hetzner"},
    }


def group(desired: int, name: str = "web", **spec: Any) -> AnyJson:
    wanted = {"provider": "hetzner", "desired": desired, "cooldown_seconds": 0.2, **spec}
    metadata = {"name": name, "project": "shop", "workspace": "prod"}
    return {"kind": "scaling_group", "metadata": metadata, "spec": wanted}


def host(name: str, *, agent: bool = False, **spec: Any) -> AnyJson:
    metadata = {"name": name, "project": "shop", "workspace": "prod"}
    return {"kind": "host", "metadata": metadata, "spec": {"provider": "hetzner", "agent": agent, **spec}}


def zone(name: str = "example-org", **spec: Any) -> AnyJson:
    wanted = {"provider": "hetzner", "domain": name.replace("-", "."), **spec}
    return {"kind": "dns_zone", "metadata": {"name": name, "project": "shop"}, "spec": wanted}


def record(number: int, value: str = "192.0.2.1", zone: str = "example-org", **metadata: Any) -> AnyJson:
    prefix = "" if zone == "example-org" else f"{zone}-"
    return {
        "kind": "dns_record",
        "metadata": {"name": f"{prefix}r{number}", "project": "shop", **metadata},
        "spec": {"zone": zone, "name": f"r{number}", "type": "A", "values": [value], "ttl": 300},
    }


def records(numbers: Iterable[int], value: str = "192.0.2.1", zone: str = "example-org") -> list[AnyJson]:
    return [record(number, value, zone) for number in numbers]


def channel(name: str, number: int = 0) -> AnyJson:
    """What nobody has to do anything about: declared is all there is to it."""
    spec = {"url": f"https://hooks.example.org/{number}", "secret": "secret://hooks"}
    return {"kind": "notification_channel", "metadata": {"name": name}, "spec": spec}
