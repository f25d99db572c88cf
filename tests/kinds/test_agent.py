"""Our process on a host: connected, silent, outdated, gone."""

from typing import Any

import pytest

from setpoint import __version__
from setpoint.engine.entity import State
from setpoint.engine.errors import Rejected
from setpoint.engine.plan import ABSENT, Plan, Verb
from setpoint.engine.rows import Sign

from .stage import Stage, entity_of

NOW = 1_000_000.0
AGENT = entity_of("agent", name="web-1")


def planned(seconds_ago: float | None, facts: dict[str, Any] | None = None) -> Plan:
    sign = None if seconds_ago is None else Sign(ref=AGENT.ref, at=NOW - seconds_ago, facts=facts or {})
    return Stage().loop("agent").plan(AGENT, sign, NOW)


@pytest.mark.parametrize(
    ("seconds_ago", "state", "reason", "again"),
    [
        (None, State.PENDING, "not heard from yet", None),
        (0.0, State.READY, "connected", 30.05),
        (30.0, State.READY, "connected", 0.05),
        (31.0, State.DEGRADED, "no heartbeat since 13:46:09 UTC", None),
    ],
)
def test_an_agent_is_as_its_last_sign_is_old(
    seconds_ago: float | None, state: State, reason: str, again: float | None
) -> None:
    plan = planned(seconds_ago)
    assert (plan.state, plan.reason) == (state, reason)
    assert plan.again_in == (pytest.approx(again) if again else None)


@pytest.mark.parametrize(
    ("version", "reason"),
    [(__version__, "connected"), ("0.0.1", f"connected; version 0.0.1, current is {__version__}")],
)
def test_an_outdated_agent_is_named_as_such(version: str, reason: str) -> None:
    plan = planned(1.0, {"version": version})
    assert (plan.reason, plan.facts) == (reason, {"version": version})


def test_a_deleted_agent_is_gone_at_once() -> None:
    leaving = entity_of("agent", deleting="asked")
    assert Stage().loop("agent").plan(leaving, None, NOW).gone


async def test_the_newest_sign_is_what_is_seen(stage: Stage) -> None:
    for at in (1.0, 3.0, 2.0):
        await stage.store.sign([Sign(ref=AGENT.ref, at=at)])
    assert await stage.loop("agent").observe(AGENT) == Sign(ref=AGENT.ref, at=3.0)


async def test_an_agent_has_nothing_to_change(stage: Stage) -> None:
    with pytest.raises(Rejected, match="an agent has nothing to create"):
        await stage.act(AGENT, Verb.CREATE, "it")
    assert await stage.loop("agent").look(AGENT, "it") is ABSENT
