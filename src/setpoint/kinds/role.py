"""A role of an organization's own: rules under a name, given to people by memberships. It has no loop."""

from collections.abc import Iterator
from typing import Annotated, Final

from msgspec import Meta

from setpoint.access.rule import ALONE, Rule
from setpoint.engine.bounds import ROLE_NAMES, RULE_WORDS
from setpoint.engine.entity import Shape
from setpoint.engine.kind import Kind


class Role(Shape, frozen=True):
    """What it allows and forbids."""

    rules: Annotated[
        tuple[Rule, ...],
        Meta(description="What is allowed or forbidden; a forbid wins over every allow.", max_length=100),
    ] = ()
    about: Annotated[str, Meta(description="What it is for, in a few words.", max_length=200)] = ""


def mistakes(role: Role) -> Iterator[tuple[str, str]]:
    """What the schema cannot say. Whether a key names a kind that is there is known where it is declared."""
    yield from _too_much(role)
    for at, rule in enumerate(role.rules):
        if not rule.keys:
            yield f"rules/{at}/keys", "a rule is about something: name keys, or * for everything"
        if not rule.verbs:
            yield f"rules/{at}/verbs", "a rule is about doing something: name verbs"
        if rule.workspace and not rule.project:
            yield f"rules/{at}/project", "a workspace lies in a project; name it"
        if rule.until < 0:
            yield f"rules/{at}/until", "a moment is a number of seconds since 1970; 0 is for ever"
        for key in rule.keys:
            if key in ALONE:
                yield f"rules/{at}/keys", f"{key} is the machines' own; nobody can be given it"


def _too_much(role: Role) -> Iterator[tuple[str, str]]:
    """Who may do what is compared whenever it changes: that has to stay quick."""
    if (names := sum(len(rule.names) for rule in role.rules)) > ROLE_NAMES.most:
        cure = "make several roles, or give the project they lie in"
        yield "rules", f"{names} names in all rules; a role has at most {ROLE_NAMES.most}: {cure}"
    for at, rule in enumerate(role.rules):
        if (words := len(rule.keys) + len(rule.verbs)) > RULE_WORDS.most:
            yield f"rules/{at}", f"{words} keys and verbs; a rule has at most {RULE_WORDS.most}"


ROLE: Final = Kind(
    name="role",
    plural="roles",
    about="A role of an organization's own: what it allows and forbids, where, and until when.",
    level="organization",
    spec=Role,
    example={
        "about": "Runs everything in projects, and leaves names alone.",
        "rules": [
            {"keys": ["project.*"], "verbs": ["read", "create", "update"]},
            {"keys": ["project.dns_zone"], "verbs": ["update"], "effect": "forbid"},
        ],
    },
    check=lambda spec: tuple(mistakes(spec)) if isinstance(spec, Role) else (),
    columns={"ABOUT": "spec.about"},
)
