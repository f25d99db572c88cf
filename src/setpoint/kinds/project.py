"""A part of an organization that is governed as one: production, staging, internal."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from setpoint.engine.entity import Shape
from setpoint.engine.kind import Every, Kind
from setpoint.kinds.container import ContainerLoop


class Project(Shape, frozen=True):
    """A project and how much it may hold."""

    title: Annotated[str, Meta(description="Its name as people write it.", max_length=200)] = ""
    limits: Annotated[
        dict[str, Annotated[int, Meta(ge=0)]],
        Meta(description="At most so many of a kind, by the kind's name; a kind left out has no limit."),
    ] = msgspec.field(default_factory=dict)


PROJECT: Final = Kind(
    name="project",
    plural="projects",
    about="A governance boundary inside an organization; the parent of workspaces and zones.",
    level="organization",
    spec=Project,
    example={"title": "The shop", "limits": {"host": 20}},
    loop=ContainerLoop,
    every=Every(86_400),
    columns={"TITLE": "spec.title"},
)
