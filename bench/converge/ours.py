"""`setpoint up`, a process with its database on disk: declarations in, every act journalled, guards on."""

from collections.abc import Iterator
from typing import Final

from bench.converge.cloud import ADDRESS, TOKEN, TTL, Cloud
from bench.process import AnyJson, Caller, Process, wait_for
from bench.trial import Counts, Trial

ZONES: Final = 32  # One for each run; short ones are repeated.
DECLARATIONS: Final = "/v1/organizations/acme/declarations"


def up(size: int) -> Trial:
    cloud = Cloud()
    folder = cloud.process.folder / "data"
    (folder / "secrets").mkdir(parents=True)
    (folder / "secrets" / "hetzner").write_text(TOKEN)
    plane = Process(("up", "--data", str(folder), "--port", "0"))
    caller = Caller(plane.ready["url"], plane.ready["token"])
    zones = _standing(cloud, caller)

    def run() -> str:
        """From the commit of the intent to the last record at the cloud."""
        zone = next(zones)
        _declare(caller, [_record(zone, number) for number in range(size)])
        cloud.until(_domain(zone), size)
        return zone

    def counts(zone: str) -> Counts:
        return {"records": cloud.right(_domain(zone))}

    def close() -> None:
        caller.close()
        plane.close()
        cloud.close()

    return Trial(run, counts, cpu=lambda: plane.cpu, close=close)


def _standing(cloud: Cloud, caller: Caller) -> Iterator[str]:
    """Empty zones that are declared, made and looked at."""
    spec = {"family": "hetzner_cloud", "endpoint": f"{cloud.url}/v1", "credential": "secret://hetzner"}
    _declare(
        caller,
        [
            {"kind": "organization", "metadata": {"name": "acme"}, "spec": {}},
            {"kind": "project", "metadata": {"name": "shop"}, "spec": {}},
            {"kind": "provider", "metadata": {"name": "hetzner"}, "spec": {**spec, "mode": "run"}},
        ],
    )
    names = [f"z{number}-example" for number in range(ZONES)]
    _declare(caller, [_zone(name) for name in names])

    def ready() -> bool:
        found = caller.call("GET", "/v1/organizations/acme/dns_zones?page_size=500")["items"]
        return len(found) == ZONES and all(each["status"]["state"] == "READY" for each in found)

    wait_for(ready, f"{ZONES} zones that are READY")
    return iter(names)


def _declare(caller: Caller, items: list[AnyJson]) -> None:
    caller.call("POST", DECLARATIONS, {"items": items, "owner": "", "prune": False})


def _zone(name: str) -> AnyJson:
    spec = {"provider": "hetzner", "domain": _domain(name)}
    return {"kind": "dns_zone", "metadata": {"name": name, "project": "shop"}, "spec": spec}


def _record(zone: str, number: int) -> AnyJson:
    return {
        "kind": "dns_record",
        "metadata": {"name": f"{zone}-r{number}", "project": "shop"},
        "spec": {"zone": zone, "name": f"r{number}", "type": "A", "values": [ADDRESS], "ttl": TTL},
    }


def _domain(name: str) -> str:
    return name.replace("-", ".")
