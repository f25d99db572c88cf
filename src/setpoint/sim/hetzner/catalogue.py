"""Finding what a new server refers to: its type, its image, its location, by id or by name."""

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from setpoint.sim.hetzner.refusal import Mistake, invalid_input
from setpoint.sim.hetzner.shelf import Named
from setpoint.sim.hetzner.values.image import IMAGES, Image
from setpoint.sim.hetzner.values.location import LOCATIONS, Location
from setpoint.sim.hetzner.values.server_type import SERVER_TYPES, ServerType

T = TypeVar("T", bound=Named)
Choice = str | int


class Offer(msgspec.Struct, frozen=True):
    """Everything about a server that comes from the catalogue."""

    server_type: ServerType
    image: Image
    location: Location


def offered(server_type: Choice, image: Choice, location: Choice) -> Offer:
    """The offer that a request names; refused with all that is not in the catalogue."""
    mistakes: list[Mistake] = []
    kinds = _matching("server_type", SERVER_TYPES, server_type, mistakes)
    images = _matching("image", IMAGES, image, mistakes)
    places = _matching("location", LOCATIONS, location, mistakes)
    if mistakes:
        raise invalid_input(mistakes)
    # One name stands for an image per architecture; the type of the server decides.
    fitting = [one for one in images if one.architecture == kinds[0].architecture]
    if not fitting:
        raise invalid_input([("image", f"{image!r} is not made for {kinds[0].architecture}")])
    return Offer(kinds[0], fitting[0], places[0])


def server_type_named(choice: Choice) -> ServerType:
    """One server type by id or name."""
    mistakes: list[Mistake] = []
    kinds = _matching("server_type", SERVER_TYPES, choice, mistakes)
    if mistakes:
        raise invalid_input(mistakes)
    return kinds[0]


def _matching(field: str, all_of_it: Sequence[T], choice: Choice, mistakes: list[Mistake]) -> Sequence[T]:
    found = [one for one in all_of_it if str(choice) in (str(one.id), one.name)]
    if not found:
        mistakes.append((field, f"{choice!r} does not exist"))
    return found
