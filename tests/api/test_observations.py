"""When objects were last observed and are next: true, and said where nobody looks or answers."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio

from harness import until
from setpoint.api import observations
from setpoint.api.observations import SILENT_SECONDS, Observations, Seen, Told, Watched, described, seen
from setpoint.drive.observations import (
    ANSWER,
    ASKED,
    ASKED_SECONDS,
    MOST_ASKED,
    LookTimes,
    Observation,
    asked_in,
    question,
)
from setpoint.drive.ownership import Ownership
from setpoint.engine.agenda import Agenda
from setpoint.engine.entity import Declared, Ref, Scope
from setpoint.engine.rows import Lane
from setpoint.engine.store import signs_of
from setpoint.engine.tenure import numbered
from setpoint.kinds import ALL, by_name
from setpoint.scheduler.answering import EVERY_SECONDS, Answering
from setpoint.storage.memory import MemoryStore

from .kit import AnyJson, Api, serving, settled, thing

NOW = 1_000_000.0
WEB = Ref("host/web-1")
WATCHED = Watched(WEB, 30.0, NOW - 7_200.0, NOW - 90_000.0)


def told(at: float, next_at: float = NOW + 20.0, since: float = NOW - 9_000.0, *, ago: float = 0.0) -> Told:
    return Told(Observation(at, next_at, since), NOW - ago)


def test_a_live_loop_is_told_by_its_last_look_not_by_the_last_change() -> None:
    found = seen(WATCHED, told(NOW - 3.0), NOW)
    assert found == Seen(NOW - 3.0, NOW + 20.0)
    assert described(found, NOW) == "observed 3 s ago, next look in 20 s"


def test_a_look_that_is_late_is_said_to_be() -> None:
    found = seen(WATCHED, told(NOW - 180.0, NOW - 150.0), NOW)
    assert found.stale == "not observed for 3 min; expected every 30 s"
    assert described(found, NOW) == f"{found.stale}, next look due now"


def test_a_scheduler_that_just_started_has_an_interval_to_look() -> None:
    begun = told(0.0, since=NOW - 5.0)
    assert seen(WATCHED, begun, NOW) == Seen(WATCHED.observed_at, NOW + 20.0)
    assert seen(WATCHED, told(0.0, since=NOW - 100.0), NOW).stale


def test_what_was_never_observed_says_so_once_it_should_have_been() -> None:
    fresh = Watched(WEB, 30.0, 0.0, NOW - 5.0)
    assert described(seen(fresh, told(0.0), NOW), NOW) == "not observed yet, next look in 20 s"
    old = Watched(WEB, 30.0, 0.0, NOW - 500.0)
    assert seen(old, told(0.0), NOW).stale == "never observed; expected within 30 s"
    assert "never observed" in seen(old, None, NOW).stale


def test_a_scheduler_that_is_silent_is_not_believed() -> None:
    silent = told(NOW - 70.0, ago=SILENT_SECONDS + 1.0)
    found = seen(WATCHED, silent, NOW)
    assert (found.at, found.next_at) == (NOW - 70.0, 0.0)
    assert found.stale.startswith("no scheduler answers for it; last known observation 70 s ago")


def test_what_no_loop_looks_at_has_no_times() -> None:
    assert described(Seen(), NOW) == ""


def test_the_oldest_questions_give_way() -> None:
    asked = {Ref(f"host/{number}"): NOW + number for number in range(MOST_ASKED + 1)}
    kept = asked_in(question(asked, NOW), NOW)
    assert len(kept) == MOST_ASKED
    assert Ref("host/0") not in kept
    assert asked_in(question(asked, NOW), NOW + MOST_ASKED + ASKED_SECONDS) == {}
    assert asked_in(None, NOW) == {}


def test_times_are_of_what_is_on_the_agenda() -> None:
    agenda, looks = Agenda(), LookTimes()
    looks.begin(NOW)
    agenda.at(WEB, NOW + 20.0)
    looks.note(WEB, NOW + 1.0)
    looks.note(Ref("host/gone"), NOW + 1.0)
    found = looks.read(agenda, (WEB, Ref("host/gone")))
    assert found.keys() == {WEB}
    assert (found[WEB].at, found[WEB].since) == (NOW + 1.0, NOW)
    assert NOW + 20.0 <= found[WEB].next_at < NOW + 20.1
    looks.forget(WEB)
    assert looks.read(agenda, (WEB,))[WEB].at == 0.0


def test_a_turn_that_waits_or_runs_is_due_since_then() -> None:
    agenda = Agenda()
    agenda.wake(WEB, Lane.EVENT, NOW)
    assert agenda.due_at(WEB) == NOW
    agenda.take(NOW)
    assert agenda.due_at(WEB) == NOW
    agenda.done(WEB, NOW)
    assert agenda.due_at(WEB) is None


@dataclass
class Clock:
    time: float = NOW

    def now(self) -> float:
        self.time += 0.01  # Whoever waits for an answer gets older.
        return self.time


@dataclass
class Apart:
    """An API and a scheduler that only the store connects."""

    store: MemoryStore = field(default_factory=MemoryStore)
    clock: Clock = field(default_factory=Clock)
    times: dict[Ref, Observation] = field(default_factory=dict)

    def api(self) -> Observations:
        return Observations(
            self.store, self.clock.now, by_name(ALL), {"host": 30.0}, lambda _: {}, alone=False
        )

    async def scheduler(self) -> Answering:
        ownership = Ownership(self.store, "scheduler", "one", lambda: 0.0, alone=True)
        await ownership.keep()
        return Answering(self.store, self.clock.now, self.look, ownership)

    def look(self, refs: Iterable[Ref]) -> Mapping[Ref, Observation]:
        return {ref: self.times[ref] for ref in refs if ref in self.times}

    async def asked(self, api: Observations, answering: Answering | None) -> Seen:
        """What a request shows, while the scheduler answers, if there is one."""

        async def answers() -> None:
            while answering is not None:
                await answering.answer()
                await asyncio.sleep(0.001)

        beside = asyncio.create_task(answers())
        try:
            [found] = await api.of((WATCHED,))
        finally:
            beside.cancel()
        return found


async def test_an_api_learns_the_times_of_another_process() -> None:
    apart = Apart(times={WEB: Observation(NOW - 3.0, NOW + 20.0, NOW - 100.0)})
    api = apart.api()
    found = await apart.asked(api, await apart.scheduler())
    assert (found.at, found.next_at, found.stale) == (NOW - 3.0, NOW + 20.0, "")
    assert api.known((WATCHED,)) == [found]


async def test_without_a_scheduler_the_wait_ends_and_it_is_said() -> None:
    apart = Apart()
    found = await apart.asked(apart.api(), None)
    assert found.at == WATCHED.observed_at
    assert found.stale.startswith("no scheduler answers for it")


async def test_a_scheduler_that_took_over_keeps_the_last_look_of_the_one_before() -> None:
    apart = Apart(times={WEB: Observation(NOW - 3.0, NOW + 20.0, NOW - 100.0)})
    api = apart.api()
    await apart.asked(api, await apart.scheduler())
    apart.clock.time += 60.0
    apart.times = {WEB: Observation(0.0, NOW + 70.0, NOW + 58.0)}
    found = await apart.asked(api, await apart.scheduler())
    assert (found.at, found.next_at) == (NOW - 3.0, NOW + 70.0)


async def test_two_apis_ask_together() -> None:
    apart, other = Apart(), Watched(Ref("host/web-2"), 30.0, 0.0, NOW)
    apart.times = {ref: Observation(NOW, NOW + 20.0, NOW) for ref in (WEB, other.judge)}
    one, two = apart.api(), apart.api()
    await two._question(frozenset({other.judge}))
    await apart.asked(one, await apart.scheduler())
    [asked] = (await signs_of(apart.store, (ASKED,))).values()
    assert asked_in(asked, apart.clock.now()).keys() == {WEB, other.judge}


async def test_an_api_whose_clock_is_behind_is_heard_too() -> None:
    apart = Apart(times={WEB: Observation(NOW, NOW + 20.0, NOW)})
    await apart.store.sign((question({Ref("host/web-2"): NOW + 4.0}, NOW + 4.0),))
    found = await apart.asked(apart.api(), await apart.scheduler())
    assert found.next_at == NOW + 20.0


async def test_a_question_that_was_overwritten_is_asked_again() -> None:
    apart = Apart(times={WEB: Observation(NOW, NOW + 20.0, NOW)})
    api = apart.api()
    await api._question(frozenset({WEB}))
    await apart.store.sign((question({Ref("host/web-2"): apart.clock.now()}, apart.clock.now() + 1.0),))
    apart.clock.time += observations.FRESH_SECONDS
    assert (await apart.asked(api, await apart.scheduler())).next_at == NOW + 20.0


async def test_while_nobody_asks_nothing_is_written() -> None:
    apart = Apart(times={WEB: Observation(NOW, NOW, NOW)})
    scheduler, home = await apart.scheduler(), Ref(f"{ANSWER}/{numbered('scheduler', 0)}")
    assert not await scheduler.answer()
    await apart.store.sign((question({WEB: apart.clock.now()}, apart.clock.now()),))
    assert await scheduler.answer()
    assert not await scheduler.answer(), "an old question is answered every second"
    apart.clock.time += EVERY_SECONDS
    assert await scheduler.answer()
    apart.clock.time += ASKED_SECONDS
    assert not await scheduler.answer(), "nobody has asked for half a minute"
    assert (await signs_of(apart.store, (home,)))[home].at < apart.clock.time - ASKED_SECONDS + 1.0


async def test_what_nobody_has_asked_for_yet_is_not_doubted() -> None:
    assert Apart().api().known((WATCHED,)) == [Seen(WATCHED.observed_at)]


async def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observations, "MOST_KEPT", 1)
    apart = Apart(times={WEB: Observation(NOW, NOW, NOW)})
    api = apart.api()
    await apart.asked(api, await apart.scheduler())
    assert len(api._told) <= 1


async def untold() -> str:
    return ""


@pytest_asyncio.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    """A control plane in one process, with a channel to watch that needs no cloud."""
    probe = {"probe": "http", "target": "http://127.0.0.1:9/"}
    async with serving(tmp_path, intervals={"monitoring_object": 1.0}) as api:
        assert (
            await api.declare(*settled(), thing("monitoring_object", "site", probe, project="shop"))
        ).status
        yield api


async def test_in_one_process_an_object_shows_each_look_and_nothing_is_written(api: Api) -> None:
    path = "/v1/organizations/acme/projects/shop/monitoring_objects/site"

    async def status() -> AnyJson:
        return (await api.get(path)).body["status"]

    async def settled_down() -> bool:
        return (await status())["state"] == "DEGRADED"

    await until(settled_down, "the probe has failed often enough", untold)
    first, written = await status(), (await api.get("/v1/organizations/acme/events?page_size=1")).raw

    async def looked_again() -> bool:
        return bool((await status())["observed_at"] > first["observed_at"])

    await until(looked_again, "it is observed once more", untold)
    later = await status()
    assert later["since"] == first["since"]
    assert later["next_observation_at"] > first["observed_at"]
    assert later["stale"] == ""
    assert (await api.get("/v1/organizations/acme/events?page_size=1")).raw == written
    listed = (await api.get("/v1/organizations/acme/projects/shop/monitoring_objects")).body["items"]
    assert listed[0]["status"]["observed_at"] >= first["observed_at"]
    chain = (await api.get(f"{path}:why")).body["chain"]
    assert any(link.startswith("observed ") for link in chain)


async def test_what_scopes_hold_is_counted_when_it_is_shown(api: Api) -> None:
    path = "/v1/organizations/acme/projects/shop"

    async def ready() -> bool:
        return bool((await api.get(path)).body["status"]["state"] == "READY")

    await until(ready, "the project was looked at", untold)
    before = (await api.get(path)).body["status"]
    probe = {"probe": "http", "target": "http://127.0.0.1:9/"}
    await api.declare(thing("monitoring_object", "other", probe, project="shop"))
    after = (await api.get(path)).body["status"]
    assert after["facts"]["monitoring_object"] == before["facts"]["monitoring_object"] + 1
    assert "2 monitoring_object" in after["reason"]
    assert "2 monitoring_object" in (await api.get(f"{path}:why")).body["sentence"]
    [listed] = (await api.get("/v1/organizations/acme/projects")).body["items"]
    assert listed["status"]["facts"] == after["facts"]


def row(ref: str, parent: str = "") -> Declared:
    kind = ref.partition("/")[0]
    return Declared(ref=Ref(ref), kind=kind, scope=Scope(), name="x", spec={}, parent=Ref(parent) or None)


def test_a_member_has_the_times_of_its_judge_and_what_has_no_loop_has_none() -> None:
    known = Observations(
        MemoryStore(), lambda: NOW, by_name(ALL), {"dns_zone": 5.0}, lambda _: {}, alone=True
    )
    own, member = (
        known.watched(row("dns_zone/z"), None),
        known.watched(row("dns_record/r", "dns_zone/z"), None),
    )
    assert own is not None
    assert (own.judge, own.every) == (Ref("dns_zone/z"), 5.0)
    assert member == own
    assert known.watched(row("role/r"), None) is None
    assert known.watched(row("agent/a"), None) is None, "its loop does not run here"
