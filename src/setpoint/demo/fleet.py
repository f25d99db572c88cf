"""What the demo declares: one shop with hosts, names and a watch on itself."""

from typing import Any, Final

AnyJson = Any
ORGANIZATION: Final = "acme"
OWNER: Final = "shop"
"""As `setpoint apply -f shop.yaml` has it: the name of the file without its ending."""
HOSTS: Final = 3
LASTING: Final = ("www", "api", "shop", "mail", "static", "status", "blog", "docs")
DROPPED: Final = ("old-1", "old-2", "old-3", "old-4")
WANTED_DELETE: Final = "old-3"


def fleet(cloud_url: str, api_url: str) -> list[AnyJson]:
    """The whole file."""
    return [*_account(cloud_url), *_hosts(), *_watch(api_url), *records()]


def records() -> list[AnyJson]:
    """The names of the shop; the `old-` ones are there to be dropped."""
    return [
        _declared(
            "dns_record",
            name,
            {"zone": "example-org", "name": name, "type": "A", "values": [f"192.0.2.{number}"], "ttl": 300},
            project="shop",
        )
        for number, name in enumerate((*LASTING, *DROPPED), 1)
    ]


def without_records(items: list[AnyJson]) -> list[AnyJson]:
    """The same file after somebody lost its second half."""
    return [item for item in items if item["kind"] != "dns_record"]


def without(items: list[AnyJson], name: str) -> list[AnyJson]:
    return [item for item in items if item["metadata"]["name"] != name]


def _account(cloud_url: str) -> list[AnyJson]:
    provider = {
        "family": "hetzner_cloud",
        "endpoint": cloud_url,
        "credential": "secret://hetzner",
        "mode": "run",
    }
    zone = {"provider": "hetzner", "domain": "example.org"}
    return [
        _declared("organization", ORGANIZATION, {"title": "Acme Ltd"}),
        _declared("project", "shop", {"title": "The shop"}),
        _declared("provider", "hetzner", provider),
        _declared("dns_zone", "example-org", zone, project="shop"),
    ]


def _hosts() -> list[AnyJson]:
    group = {"provider": "hetzner", "desired": HOSTS, "max": 10, "cooldown_seconds": 5}
    return [
        _declared("workspace", "prod", {"provider": "hetzner"}, project="shop"),
        _declared("scaling_group", "web", group, project="shop", workspace="prod"),
    ]


def _watch(api_url: str) -> list[AnyJson]:
    spec = {
        "probe": "http",
        "target": f"{api_url}/livez",
        "conditions": [{"parameter": "http_status", "operator": "==", "threshold": 200}],
    }
    return [_declared("monitoring_object", "control-plane", spec, project="shop")]


def _declared(kind: str, name: str, spec: AnyJson, **scope: str) -> AnyJson:
    return {"kind": kind, "metadata": {"name": name, **scope}, "spec": spec}
