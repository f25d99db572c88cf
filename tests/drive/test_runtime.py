"""Time and chance as production has them."""

import asyncio
from random import Random

import pytest

from setpoint.drive.runtime import RealRuntime
from setpoint.engine.errors import Missing, Transient

RUNTIME = RealRuntime(now=lambda: 7.0, new_id=lambda: "x", random=Random(1))  # noqa: S311 - jitter


async def answer(value: int) -> int:
    return value


async def refuse() -> int:
    raise Missing("not there")


async def test_an_answer_in_time_is_the_answer() -> None:
    assert await RUNTIME.within(5.0, answer(7)) == 7


async def test_an_error_in_time_is_the_error() -> None:
    with pytest.raises(Missing, match="not there"):
        await RUNTIME.within(5.0, refuse())


async def test_no_answer_in_time_may_have_landed() -> None:
    with pytest.raises(Transient, match="no answer within 0 s") as late:
        await RUNTIME.within(0.0, asyncio.Event().wait())
    assert late.value.landed


async def test_side_by_side_each_gets_its_own_answer_in_its_own_place() -> None:
    first, second, third = await RUNTIME.each([answer(1), refuse(), answer(3)])
    assert (first, isinstance(second, Missing), third) == (1, True, 3)


async def test_side_by_side_means_at_once() -> None:
    met = asyncio.Barrier(2)
    await asyncio.wait_for(RUNTIME.each([met.wait(), met.wait()]), timeout=5.0)


def test_the_clock_and_the_ids_are_those_it_was_given_and_chance_is_less_than_one() -> None:
    assert (RUNTIME.now(), RUNTIME.new_id()) == (7.0, "x")
    assert all(0.0 <= RUNTIME.chance() < 1.0 for _ in range(100))
