"""Rules: what is allowed or forbidden, where, on which objects, and until when."""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from setpoint.access.permission import Verb
from setpoint.engine.entity import Scope

ALONE: Final = ("agent.report",)
"""Keys that no pattern reaches: whoever may do everything still does not speak for an agent."""


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One line of a role. Empty `names` means all objects, `until` 0 means for ever."""

    keys: Annotated[tuple[str, ...], Meta(description="Keys, or patterns as `project.*` and `*`.")]
    verbs: Annotated[tuple[Verb, ...], Meta(description="What may be done to them.")]
    effect: Annotated[Literal["allow", "forbid"], Meta(description="A forbid wins over every allow.")] = (
        "allow"
    )
    project: Annotated[str, Meta(description="Only in this project.")] = ""
    workspace: Annotated[str, Meta(description="Only in this workspace of the project.")] = ""
    names: Annotated[tuple[str, ...], Meta(description="Only these objects, by name.")] = ()
    until: Annotated[float, Meta(description="No longer than this moment, in seconds of the epoch.")] = 0.0


class Binding(msgspec.Struct, frozen=True, kw_only=True):
    """A role, given to somebody for a scope and all that lies in it."""

    role: str
    scope: Scope = Scope()
    until: float = 0.0


class Grant(msgspec.Struct, frozen=True):
    """One rule as it reaches somebody: through which role, and how far."""

    rule: Rule
    binding: Binding

    @property
    def scope(self) -> Scope | None:
        """Where it holds: as far as binding and rule both reach; None where they exclude each other."""
        given, rule = self.binding.scope, self.rule
        if rule.project and given.project not in ("", rule.project):
            return None
        if rule.workspace and given.workspace not in ("", rule.workspace):
            return None
        return Scope(given.organization, rule.project or given.project, rule.workspace or given.workspace)

    def holds_at(self, now: float) -> bool:
        rule, binding = self.rule.until, self.binding.until
        return (rule == 0.0 or now < rule) and (binding == 0.0 or now < binding)


def matches(pattern: str, key: str) -> bool:
    """`project.*` reaches `project.dns_zone` and all below it, not `project` itself."""
    if key in ALONE:
        return pattern == key
    return pattern in ("*", key) or (pattern.endswith(".*") and key.startswith(pattern[:-1]))
