"""Two-phase delete: what is no longer wanted is parked, can come back as it was, and goes in the end."""

from typing import Any

import pytest

from setpoint.engine.ledger import Parked
from setpoint.engine.rows import ActState
from setpoint.engine.store import PARKED_OF
from setpoint.loop import ABSENT, UNKNOWN, Missing, Transient, trial
from setpoint.loop.trial import Trial

from .things import Attic, done

FEW = {"a": {"n": 1}, "b": {"n": 2}, "c": {"n": 3}, "d": {"n": 4}}
LESS = {key: value for key, value in FEW.items() if key != "d"}


class Shown(Attic):
    """Still lists what is parked, with a sign on it."""

    async def park(self, key: str, value: Any) -> None:
        self.calls.append(("park", key, value))
        self.found[key] = value | {"disabled": True}

    async def unpark(self, key: str, value: Any) -> None:
        self.calls.append(("unpark", key, value))
        self.found[key] = {name: each for name, each in self.found[key].items() if name != "disabled"}


class Asked(Attic):
    """Does not list what is parked, but finds it when it is asked for by name."""

    async def look(self, key: str) -> Any:
        if key in self.stored:
            return self.stored[key] | {"disabled": True}
        return self.found.get(key, ABSENT)


EITHER = pytest.mark.parametrize("attic", [Attic, Shown, Asked])


async def parked(t: Trial) -> list[Parked]:
    loop = next(iter(t.station.loops))
    return await t.station.store.read(PARKED_OF, domain=t.station.ref(loop))


@EITHER
async def test_what_is_dropped_is_parked_and_gone_after_its_time(attic: type[Attic]) -> None:
    loop = attic(FEW)
    async with trial(loop) as t:
        await t.run_for("1m")
        loop.wanted = LESS
        await t.run_for("1h")
        assert loop.calls == [("park", "d", {"n": 4})]
        assert t.status().state == "READY"
        said = t.status().reason
        assert said == "3 in step; 1 parked, until 2023-11-21 22:14 UTC at least"
        t.runtime.time += 6 * 86400
        await t.run_for("1h")
        assert t.status().reason == said
        assert len(loop.calls) == 1
        t.runtime.time += 86400
        await t.run_for("10m")
        assert loop.calls[1:] == [("delete", "d")]
        assert t.status().reason == "3 in step"
        assert await parked(t) == []


@EITHER
async def test_what_is_wanted_again_comes_back_and_is_the_same_thing(attic: type[Attic]) -> None:
    loop = attic(FEW)
    async with trial(loop) as t:
        await t.run_for("1m")
        loop.wanted = LESS
        await t.run_for("1h")
        wanted = {"n": 4}
        loop.wanted = LESS | {"d": wanted}
        await t.run_for("1m")
        assert done(t.acts) == [("park", "d"), ("unpark", "d")]
        assert loop.calls[-1] == ("unpark", "d", {"n": 4})
        assert loop.calls[-1][2] is wanted
        assert loop.found == FEW
        assert await parked(t) == []
        t.runtime.time += 8 * 86400
        await t.run_for("1h")
        assert len(t.acts) == 2


async def test_what_comes_back_changed_is_changed_in_the_next_pass() -> None:
    loop = Attic(FEW)
    async with trial(loop) as t:
        await t.run_for("1m")
        loop.wanted = LESS
        await t.run_for("1h")
        loop.wanted = LESS | {"d": {"n": 5}}
        await t.run_for("2m")
        assert done(t.acts) == [("park", "d"), ("unpark", "d"), ("update", "d")]
        assert loop.found["d"] == {"n": 5}


async def test_what_is_gone_for_good_is_made_anew() -> None:
    class Lost(Attic):
        async def unpark(self, key: str, value: Any) -> None:
            self.calls.append(("unpark", key, value))
            raise Missing(key)

    loop = Lost(FEW)
    async with trial(loop) as t:
        await t.run_for("1m")
        loop.wanted = LESS
        await t.run_for("1h")
        loop.wanted = FEW
        await t.run_for("2m")
        assert [call[0] for call in loop.calls] == ["park", "unpark", "put"]
        assert t.status().reason == "4 in step"
        assert await parked(t) == []


async def test_a_parking_that_failed_is_no_parking() -> None:
    class Stuck(Attic):
        async def park(self, key: str, value: Any) -> None:
            self.calls.append(("park", key, value))
            raise Transient("the store room is locked")

    loop = Stuck(FEW)
    async with trial(loop) as t:
        await t.run_for("1m")
        loop.wanted = LESS
        await t.run_once()
        assert [act.state for act in t.acts] == [ActState.FAILED]
        assert await parked(t) == []
        t.runtime.time += 8 * 86400
        await t.run_for("10m")
        assert "delete" not in {call[0] for call in loop.calls}


async def test_a_parking_without_an_answer_is_tried_again_until_it_is_seen() -> None:
    class Slow(Shown):
        broken = True

        async def park(self, key: str, value: Any) -> None:
            if self.broken:
                self.calls.append(("park", key, value))
                raise ValueError("no answer")
            await super().park(key, value)

    loop = Slow(FEW)
    async with trial(loop) as t:
        await t.run_for("1m")
        loop.wanted = LESS
        await t.run_for("1m")
        assert {act.state for act in t.acts} <= {ActState.UNKNOWN, ActState.FAILED}
        loop.broken = False
        await t.run_for("10m")
        assert t.acts[-1].state is ActState.DONE
        assert t.status().reason.startswith("3 in step; 1 parked")


async def test_parking_counts_as_deleting() -> None:
    loop = Attic(FEW)
    async with trial(loop) as t:
        await t.run_for("1m")
        loop.wanted = {}
        await t.run_for("10m")
        assert "nothing is declared while 4 exist" in t.status().reason
        assert loop.calls == []


async def test_the_limit_says_for_how_long() -> None:
    class Brief(Attic):
        park_seconds = 600.0

    loop = Brief(FEW)
    async with trial(loop) as t:
        await t.run_for("1m")
        loop.wanted = LESS
        await t.run_for("9m")
        assert done(t.acts) == [("park", "d")]
        await t.run_for("2m")
        assert done(t.acts) == [("park", "d"), ("delete", "d")]


async def test_what_was_judged_when_it_was_parked_is_not_judged_again_when_it_goes() -> None:
    loop = Attic(FEW)
    async with trial(loop) as t:
        await t.run_for("1m")
        loop.wanted = {"a": FEW["a"]}
        await t.run_for("2m")
        assert t.status().state == "HELD"
        await t.approve()
        await t.run_for("2m")
        assert sorted(loop.stored) == ["b", "c", "d"]
        t.runtime.time += 8 * 86400
        await t.run_for("10m")
        assert loop.stored == {}
        assert t.status().reason == "1 in step"


async def test_what_is_parked_counts_no_longer() -> None:
    loop = Shown(FEW)
    async with trial(loop) as t:
        await t.run_for("1m")
        loop.wanted = LESS
        await t.run_for("1m")
        plan = await t.plan()
        assert (plan.desired, plan.actual, plan.known) == (3, 3, frozenset("abc"))
        loop.wanted = FEW
        assert (await t.plan()).actual == 4


async def test_what_is_unknown_stays_parked_although_its_time_is_up() -> None:
    loop = Shown(FEW)
    async with trial(loop) as t:
        await t.run_for("1m")
        loop.wanted = LESS
        await t.run_for("1m")
        loop.found["d"] = UNKNOWN
        t.runtime.time += 8 * 86400
        await t.run_for("10m")
        assert [call[0] for call in loop.calls] == ["park"]
        assert (await t.plan()).actions == ()
        loop.found["d"] = {"n": 4, "disabled": True}
        await t.run_for("10m")
        assert [call[0] for call in loop.calls] == ["park", "delete"]
