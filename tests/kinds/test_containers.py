"""Organizations and projects hold things, and go when they are empty."""

from typing import Any

import pytest

from setpoint.engine.entity import Scope, State
from setpoint.engine.errors import Rejected
from setpoint.engine.plan import ABSENT, Plan, Verb
from setpoint.kinds.container import HOLDS, LIMITS_SECONDS

from .stage import ACME, Stage, entity_of


def planned(kind: str, *inside: str, **more: Any) -> Plan:
    spec = {"limits": more.pop("limits", {})}
    rows = [entity_of(name, name=f"{name}-{place}").declared for place, name in enumerate(inside)]
    return Stage().loop(kind).plan(entity_of(kind, spec, **more), rows, 0.0)


@pytest.mark.parametrize("kind", ["organization", "project"])
@pytest.mark.parametrize(
    ("inside", "limits", "state", "reason"),
    [
        ([], {}, State.READY, HOLDS),
        (["host", "host", "dns_zone"], {}, State.READY, HOLDS),
        (["host", "host"], {"host": 2}, State.READY, f"{HOLDS}; within its limits"),
        (["host", "host"], {"host": 1}, State.DEGRADED, "over its limits: 2 host of 1"),
        (
            ["host", "dns_zone"],
            {"host": 0, "dns_zone": 0},
            State.DEGRADED,
            "over its limits: 1 host of 0, 1 dns_zone of 0",
        ),
    ],
    ids=["empty", "unlimited", "just full", "too many", "too many of two kinds"],
)
def test_what_is_inside_is_counted_and_held_against_the_limits(
    kind: str, inside: list[str], limits: dict[str, int], state: State, reason: str
) -> None:
    plan = planned(kind, *inside, limits=limits)
    assert (plan.state, plan.reason, plan.gone) == (state, reason, False)
    assert (plan.facts, plan.again_in) == ({}, LIMITS_SECONDS if limits else None)


def test_a_deleted_container_waits_until_it_is_empty() -> None:
    waiting = planned("project", "host", deleting="asked")
    assert (waiting.gone, waiting.state, waiting.again_in) == (False, State.PENDING, 1.0)
    assert waiting.reason == "waiting for 1 host inside to go first"
    assert planned("project", deleting="asked").gone


@pytest.mark.parametrize(
    ("kind", "name", "scope", "inside"),
    [
        ("organization", "acme", Scope(), ["project", "provider", "workspace"]),
        ("project", "shop", ACME, ["workspace"]),
    ],
)
async def test_a_container_holds_all_that_its_containers_hold(
    stage: Stage, kind: str, name: str, scope: Scope, inside: list[str]
) -> None:
    found = await stage.loop(kind).observe(entity_of(kind, {}, name=name, scope=scope))
    assert sorted(row.kind for row in found) == inside


async def test_a_container_changes_nothing(stage: Stage) -> None:
    organization = entity_of("organization")
    with pytest.raises(Rejected, match="organization has nothing to delete"):
        await stage.act(organization, Verb.DELETE, "it")
    assert await stage.loop("organization").look(organization, "it") is ABSENT
