"""Servers of one host by their make: what is made once is part of the name, so two can stand side by side."""

from collections.abc import Iterable
from typing import Final, Protocol

from msgspec import Struct

from setpoint.capabilities.compute import Compute, Server
from setpoint.engine.entity import AnyEntity, Ref, hash_of
from setpoint.engine.plan import ABSENT, Absence

ITEM: Final = "server"
MADE_ONCE: Final = ("image", "location")
"""What cannot be changed on a running server."""
MAKE: Final = ("size", *MADE_ONCE)


class Made(Protocol):
    """A wish or a server: both have a make."""

    @property
    def image(self) -> str: ...

    @property
    def location(self) -> str: ...


class Makes(Struct, frozen=True):
    """Our servers of one host: the one of the wanted make, those it replaces, and copies of them."""

    current: Server | None
    older: tuple[Server, ...]
    copies: tuple[Server, ...]


def server_name(entity: AnyEntity) -> str:
    """Unique in the account for ever: the vendor itself refuses a second one of the same make."""
    return name_of(entity, entity.spec)


def name_of(entity: AnyEntity, made: Made) -> str:
    return f"{entity.name}{_ending(entity.ref, made)}"


def host_of(ref: Ref, server: Server) -> str:
    """The name of the host that this server was made for; empty where it is not a name that we give."""
    ending = _ending(ref, server)
    return server.name.removesuffix(ending) if server.name.endswith(ending) else ""


def value_of(server: Server) -> dict[str, str]:
    """The server as its host would declare it."""
    power = "off" if server.status == "off" else "on"
    return {"size": server.size, "image": server.image, "location": server.location, "power": power}


def made_as(server: Server, wanted: dict[str, str]) -> bool:
    """Whether it could become this without being made anew."""
    return all(value_of(server)[field] == wanted[field] for field in MADE_ONCE)


def differences(wanted: dict[str, str], there: dict[str, str]) -> str:
    return ", ".join(f"{key} {there[key]} → {wanted[key]}" for key in wanted if wanted[key] != there[key])


def _ending(ref: Ref, made: Made) -> str:
    make = hash_of([getattr(made, field) for field in MADE_ONCE])[:4]
    return f"-{ref[-6:]}-{make}"


def makes_of(entity: AnyEntity, servers: Iterable[Server]) -> Makes:
    """A server that has our mark but not the name we would give it is somebody's copy, never an older one."""
    ours = sorted(servers, key=lambda server: int(server.id))
    current = next((s for s in ours if s.name == server_name(entity)), None)
    older = tuple(s for s in ours if s is not current and s.name == name_of(entity, s))
    return Makes(current, older, tuple(s for s in ours if s is not current and s not in older))


async def first_of(compute: Compute, names: Iterable[str]) -> Server | Absence:
    """The first server of these names that is there, asked for directly."""
    for name in filter(None, names):
        if not isinstance(found := await compute.server(name), Absence):
            return found
    return ABSENT
