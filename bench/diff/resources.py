"""Things with eight fields, a list and a dict among them, as decoded JSON: what any library can compare."""

from typing import Any

import msgspec

from bench.diff.drift import Drift

Resource = dict[str, Any]


def declared(drift: Drift) -> dict[str, Resource]:
    return _decoded({key_of(i): resource(i, "small") for i in drift.declared})


def observed(drift: Drift) -> dict[str, Resource]:
    changed = drift.changed
    return _decoded({key_of(i): resource(i, "large" if i in changed else "small") for i in drift.observed()})


def key_of(number: int) -> str:
    return f"host-{number:07d}"


def resource(number: int, size: str) -> Resource:
    return {
        "key": key_of(number),
        "kind": "server",
        "region": f"region-{number % 7}",
        "image": "debian-12",
        "generation": number,
        "enabled": True,
        "networks": [f"10.0.{number >> 8 & 255}.{number & 255}", "192.0.2.1"],
        "spec": {"size": size, "disk": 40, "labels": {"team": f"team-{number % 50}", "env": "live"}},
    }


def _decoded(things: dict[str, Resource]) -> dict[str, Resource]:
    """Values of their own, as from a file or a provider: nothing is equal by being the same object."""
    fresh: dict[str, Resource] = msgspec.json.decode(msgspec.json.encode(things))
    return fresh
