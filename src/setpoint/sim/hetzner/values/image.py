"""Images: what a server starts with."""

from collections.abc import Mapping
from functools import cache

import msgspec

from setpoint.sim.hetzner.values.server_type import Architecture


class Image(msgspec.Struct, frozen=True, kw_only=True):
    """A system image; `flavor` and `version` are the operating system's."""

    id: int
    name: str
    flavor: str
    version: str
    architecture: Architecture = "x86"

    @property
    def description(self) -> str:
        return f"{self.flavor.capitalize()} {self.version}"


def _both(id_x86: int, id_arm: int, flavor: str, version: str) -> tuple[Image, Image]:
    name = f"{flavor}-{version}"
    return (
        Image(id=id_x86, name=name, flavor=flavor, version=version),
        Image(id=id_arm, name=name, flavor=flavor, version=version, architecture="arm"),
    )


IMAGES = (
    *_both(114690387, 114690389, "debian", "12"),
    *_both(161547269, 161547270, "ubuntu", "24.04"),
    *_both(310557660, 310557661, "debian", "13"),
    *_both(151714210, 151714211, "fedora", "41"),
)


@cache
def shown(image: Image) -> Mapping[str, object]:
    """An image as the API writes it; the same object every time, so not to be changed."""
    return {
        "id": image.id,
        "type": "system",
        "status": "available",
        "name": image.name,
        "description": image.description,
        "image_size": None,
        "disk_size": 5,
        "created": "2025-01-15T09:00:00+00:00",
        "created_from": None,
        "bound_to": None,
        "os_flavor": image.flavor,
        "os_version": image.version,
        "rapid_deploy": True,
        "protection": {"delete": False},
        "deprecated": None,
        "labels": {},
        "deleted": None,
        "architecture": image.architecture,
    }
