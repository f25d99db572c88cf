"""The rate limit: what every reply says about it, how it refuses, and how it is set while it runs."""

from email.utils import parsedate_to_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.sim.hetzner import Fault, RateLimit, SimSettings
from setpoint.sim.hetzner.rate import Limiter

from .conftest import World


@pytest.fixture
def settings(settings: SimSettings) -> SimSettings:
    return replace(settings, rate_limit=RateLimit(calls=3))


async def test_every_reply_says_what_is_left_and_when_it_is_full_again(world: World) -> None:
    reply = await world.get("/locations")
    assert reply.headers["ratelimit-limit"] == "3"
    assert reply.headers["ratelimit-remaining"] == "2"
    assert parsedate_to_datetime(reply.headers["date"]).timestamp() == world.clock()
    assert int(reply.headers["ratelimit-reset"]) - world.clock() == pytest.approx(1200, abs=1)
    assert "retry-after" not in reply.headers


async def test_too_many_requests_are_refused_until_the_time_that_the_refusal_says(world: World) -> None:
    statuses = [(await world.get("/locations")).status for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    refused = await world.get("/locations")
    assert refused.code == "rate_limit_exceeded"
    assert (refused.headers["ratelimit-remaining"], refused.headers["retry-after"]) == ("0", "1200")
    world.clock.pass_by(1100.5)
    assert (await world.get("/locations")).headers["retry-after"] == "100"
    world.clock.pass_by(100)
    assert (await world.get("/locations")).status == 200


async def test_refusals_are_counted_and_change_nothing(world: World) -> None:
    await world.steer("/rate-limit", calls=1, seconds=60)
    await world.get("/locations")
    assert (await world.post("/zones", name="example.com", mode="primary")).status == 429
    state = await world.judge("/state")
    assert state["faults"] == {"rate_limit_exceeded": 1}
    assert state["requests"] == {"GET /locations": 1, "POST /zones": 1}
    assert (state["effects"], state["objects"]["zones"]) == ({}, 0)


async def test_steering_is_not_limited(world: World) -> None:
    for _ in range(5):
        assert "effects" in await world.judge("/state")


async def test_a_limit_can_be_set_while_it_runs_and_begins_full(world: World) -> None:
    for _ in range(4):
        await world.get("/locations")
    set_to = await world.steer("/rate-limit", calls=2, seconds=0.4)
    assert set_to.body == {"rate_limit": {"calls": 2, "seconds": 0.4}}
    assert [(await world.get("/locations")).status for _ in range(3)] == [200, 200, 429]
    world.clock.pass_by(0.2)
    assert [(await world.get("/locations")).status for _ in range(2)] == [200, 429]
    world.sim.limit(RateLimit(calls=1000))
    assert (await world.get("/locations")).headers["ratelimit-remaining"] == "999"


async def test_a_limit_that_allows_nothing_is_refused(world: World) -> None:
    assert (await world.steer("/rate-limit", calls=0, seconds=0)).bad_fields == {"calls", "seconds"}
    assert (await world.steer("/rate-limit")).bad_fields == {"calls"}
    assert (await world.get("/locations")).headers["ratelimit-limit"] == "3"


async def test_a_refusal_that_was_asked_for_says_how_long_to_wait(world: World) -> None:
    world.sim.faults.add(Fault(kind="error", status=429, seconds=6.5, times=1))
    refused = await world.get("/locations")
    assert (refused.status, refused.headers["retry-after"]) == (429, "7")
    world.sim.faults.add(Fault(kind="error", status=503, times=1))
    broken = await world.get("/locations")
    assert (broken.status, "retry-after" in broken.headers) == (503, False)


@given(
    calls=st.integers(1, 50),
    seconds=st.floats(0.1, 100),
    pauses=st.lists(st.floats(0, 5), min_size=1, max_size=200),
)
def test_never_more_pass_than_the_bucket_held_and_what_flowed_in(
    calls: int, seconds: float, pauses: list[float]
) -> None:
    now, passed, began = 0.0, 0, 0.0
    limiter = Limiter(RateLimit(calls=calls, seconds=seconds), began)
    for pause in pauses:
        now += pause
        may_pass, said = limiter.take(now)
        passed += may_pass
        assert may_pass or now + int(said["Retry-After"]) > now
        assert 0 <= int(said["RateLimit-Remaining"]) <= calls
    assert passed <= calls + (now - began) * calls / seconds + 1e-6


@given(calls=st.integers(1, 50), seconds=st.floats(0.1, 100))
def test_whoever_waits_as_long_as_the_refusal_says_may_pass(calls: int, seconds: float) -> None:
    limiter = Limiter(RateLimit(calls=calls, seconds=seconds), 0.0)
    refused = [said for _ in range(calls + 1) for may_pass, said in [limiter.take(0.0)] if not may_pass]
    assert len(refused) == 1
    assert limiter.take(float(refused[0]["Retry-After"]))[0]
