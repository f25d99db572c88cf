"""A person in an organization, and the roles given to them; it counts once that person accepted it."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from setpoint.access.role import GIVEN, RESERVED
from setpoint.access.rule import Binding
from setpoint.engine.entity import Scope, Shape
from setpoint.engine.kind import Kind


class Given(Shape, frozen=True):
    """One role, how far it reaches and until when."""

    role: Annotated[
        str, Meta(description="owner, admin, operator, member, auditor, billing, or a role of your own.")
    ]
    project: Annotated[str, Meta(description="Only in this project.")] = ""
    workspace: Annotated[str, Meta(description="Only in this workspace of the project.")] = ""
    until: Annotated[
        str,
        Meta(description="The last day it counts, in UTC, as 2026-12-31.", pattern=r"^(\d{4}-\d\d-\d\d)?$"),
    ] = ""


class Membership(Shape, frozen=True):
    """Who, and as what."""

    email: Annotated[
        str,
        Meta(
            description="Whom it is for; they accept it with the account that has this address.",
            pattern=r"^[^\s@]+@[^\s@]+$",
            max_length=254,
        ),
    ]
    roles: Annotated[tuple[Given, ...], Meta(description="What they may do.", max_length=50)] = ()


def bindings(organization: str, membership: Membership) -> tuple[Binding, ...]:
    """What the membership gives to whoever accepted it."""
    return tuple(
        Binding(
            role=given.role,
            scope=Scope(organization, given.project, given.workspace),
            until=ends(given.until),
        )
        for given in membership.roles
        if given.role in GIVEN or given.role not in RESERVED
    )


def ends(day: str) -> float:
    """When that day is over; 0 where none is named."""
    if not day:
        return 0.0
    after = date.fromisoformat(day) + timedelta(days=1)
    return datetime.combine(after, time(), UTC).timestamp()


def _mistakes(membership: Membership) -> Iterator[tuple[str, str]]:
    for at, given in enumerate(membership.roles):
        if given.role in RESERVED - GIVEN:
            yield f"roles/{at}/role", f"{given.role} is not given by a membership"
        if given.workspace and not given.project:
            yield f"roles/{at}/project", "a workspace lies in a project; name it"
        if not _is_day(given.until):
            yield f"roles/{at}/until", f"there is no day {given.until}"


def _is_day(text: str) -> bool:
    try:
        ends(text)
    except (ValueError, OverflowError):
        return False
    return True


def _check(spec: Shape) -> tuple[tuple[str, str], ...]:
    return tuple(_mistakes(msgspec.convert(spec, Membership, from_attributes=True)))


MEMBERSHIP: Final = Kind(
    name="membership",
    plural="memberships",
    about="A person in an organization and the roles they have there, once they accepted it.",
    level="organization",
    spec=Membership,
    example={"email": "ann@example.org", "roles": [{"role": "operator", "until": "2099-12-31"}]},
    check=_check,
    columns={"EMAIL": "spec.email"},
)
