"""The tenant: everything else lives inside one. Its limits are checked every day."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from setpoint.engine.entity import Shape
from setpoint.engine.kind import Every, Kind
from setpoint.kinds.container import ContainerLoop


class Organization(Shape, frozen=True):
    """A tenant and how much it may hold."""

    title: Annotated[str, Meta(description="Its name as people write it.", max_length=200)] = ""
    limits: Annotated[
        dict[str, Annotated[int, Meta(ge=0)]],
        Meta(description="At most so many of a kind, by the kind's name; a kind left out has no limit."),
    ] = msgspec.field(default_factory=dict)


ORGANIZATION: Final = Kind(
    name="organization",
    plural="organizations",
    about="A tenant: the boundary of isolation, and the owner of accounts and projects.",
    level="installation",
    spec=Organization,
    example={"title": "Acme Ltd", "limits": {"host": 50}},
    loop=ContainerLoop,
    every=Every(86_400),
    columns={"TITLE": "spec.title"},
)
