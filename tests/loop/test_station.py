"""All loops of a file on one store: to look only, beside whoever works; to work, alone and on a new epoch."""

import asyncio
import stat
from pathlib import Path

import pytest

from setpoint.engine.audit import broken_at
from setpoint.engine.entity import Declared
from setpoint.engine.rows import Mode, Switch, Wake
from setpoint.engine.store import AUDIT_PAGE, DECLARED_ALL, WAKES_OF, Change, Put
from setpoint.loop import Denied, Rejected, trial
from setpoint.loop.station import Station, looking, working

from .things import Shelf, done

QUIET = 0.02


class Other(Shelf):
    """A second loop in the same file."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".setpoint" / "flags"


async def until_calm(station: Station, name: str) -> None:
    for _ in range(20):
        if await station.reconcile(name) != 0.0:
            return


async def test_it_works_on_a_folder_of_its_own(folder: Path) -> None:
    loop = Shelf({"a": 1, "b": 2}, {})
    async with working([loop], folder, enforce=True) as station:
        assert list(station.loops) == ["Shelf"]
        await until_calm(station, "Shelf")
        assert loop.found == {"a": 1, "b": 2}
        assert (await station.entity("Shelf")).status.state == "READY"
    check_private(folder)


def check_private(folder: Path) -> None:
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert (folder.parent / ".gitignore").read_text() == "*\n"


async def test_a_run_that_only_observes_changes_nothing_and_says_how_to(folder: Path) -> None:
    loop = Shelf({"a": 1, "b": 2}, {"old": 3})
    async with working([loop], folder, enforce=False) as station:
        await station.reconcile("Shelf")
        status = (await station.entity("Shelf")).status
        assert status.state == "HELD"
        assert status.reason.startswith("observe by this run, which only observes: nothing is changed")
        judged = await station.judged("Shelf")
        assert [hold.guard for hold in judged.verdict.holds][:1] == ["observe_only"]
        assert judged.verdict.allowed == ()
    assert loop.calls == []


async def test_what_was_looked_at_while_observing_counts_when_enforcing(folder: Path) -> None:
    class Hasty(Shelf):
        probation_gap = QUIET

    loop = Hasty({"a": 1}, {"old": 3})
    async with working([loop], folder, enforce=False) as station:
        for _ in range(2):
            await station.reconcile("Hasty")
            await asyncio.sleep(2 * QUIET)
    async with working([loop], folder, enforce=True) as station:
        await station.reconcile("Hasty")
    assert loop.calls[-1] == ("delete", "old")


async def test_a_second_one_that_works_is_refused_and_named(folder: Path) -> None:
    async with working([Shelf({})], folder, enforce=True):
        with pytest.raises(Denied, match="another setpoint process"):
            async with working([Shelf({})], folder, enforce=False):
                raise AssertionError("two of them")


async def test_looking_works_beside_one_that_works(folder: Path) -> None:
    loop = Shelf({"a": 1}, {"a": 0})
    async with working([loop], folder, enforce=True) as at_work, looking([loop], folder) as beside:
        judged = await beside.judged("Shelf")
        assert [(action.verb.value, action.item) for action in judged.plan.actions] == [("update", "a")]
        switch = Switch(key="all", mode=Mode.STOP, by="ann", reason="storm", since=1.0)
        await beside.store.commit(Change(writes=(Put(switch),)))
        await at_work.reconcile("Shelf")
        assert loop.calls == []
        assert (await beside.entity("Shelf")).status.reason.startswith("stop by ann (storm)")


async def test_looking_changes_nothing_and_needs_nothing_to_have_run(folder: Path) -> None:
    loop = Shelf({"a": 1}, {"b": 2})
    async with looking([loop], folder) as station:
        entity = await station.entity("Shelf")
        assert (entity.ref, entity.name, entity.status.state) == ("shelf/shelf", "Shelf", "PENDING")
        assert len((await station.judged("Shelf")).plan.actions) == 2
        assert await station.store.read(DECLARED_ALL, after="", limit=10) == []
    assert loop.calls == []


async def test_whoever_only_reads_leaves_no_folder_behind(folder: Path) -> None:
    async with looking([Shelf({"a": 1}, {})], folder, reads_only=True) as station:
        assert len((await station.judged("Shelf")).plan.actions) == 1
    assert not folder.parent.exists()
    async with working([Shelf({"a": 1}, {})], folder, enforce=True) as station:
        await until_calm(station, "Shelf")
    async with looking([Shelf({})], folder, reads_only=True) as station:
        assert (await station.entity("Shelf")).status.state == "READY"


async def test_each_start_is_a_new_epoch_and_declares_nothing_twice(folder: Path) -> None:
    rows: list[Declared] = []
    epochs: list[object] = []
    for _ in range(3):
        async with working([Shelf({})], folder, enforce=True) as station:
            fence = station.ownership.fence(station.refs["Shelf"])
            epochs.append(fence.value)
            rows += await station.store.read(DECLARED_ALL, after="", limit=10)
    assert sorted(set(epochs), key=str) == epochs
    assert rows[0] == rows[1] == rows[2]
    assert (rows[0].generation, rows[0].spec) == (1, {})


async def test_a_loop_that_left_the_file_is_not_run_and_loses_nothing(folder: Path) -> None:
    shelf, other = Shelf({"a": 1}, {}), Other({"b": 1}, {})
    async with working([shelf, other], folder, enforce=True) as station:
        await until_calm(station, "Shelf")
        await until_calm(station, "Other")
    async with working([shelf], folder, enforce=True) as station:
        drive = station.scheduler(lambda *_: None).drive()
        await drive.turns.load(drive.agenda)
        await until_calm(station, "Shelf")
        declared = await station.store.read(DECLARED_ALL, after="", limit=10)
        assert [row.name for row in declared] == ["Other", "Shelf"]
        assert [each for each in ("shelf/shelf", "other/other") if each in drive.agenda] == ["shelf/shelf"]
    assert other.found == {"b": 1}


async def test_the_scheduler_runs_each_loop_when_it_is_due_and_when_it_is_woken(folder: Path) -> None:
    class Quick(Shelf):
        every = 0.05

    quick, other = Quick({"a": 1}, {}), Other({"b": 1}, {})
    async with working([quick, other], folder, enforce=True) as station:
        scheduler = station.scheduler(lambda what, about: None)
        drive = scheduler.drive()
        running = asyncio.create_task(drive.run())
        async with asyncio.timeout(60):
            while quick.found != {"a": 1} or other.found != {"b": 1}:  # noqa: ASYNC110 - whenever it is due
                await asyncio.sleep(0.01)
            quick.found = {}
            while quick.found != {"a": 1}:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        drive.stop()
        await running
        assert await station.store.read(WAKES_OF, ref=station.ref("Other")) == []


async def test_everything_that_was_done_is_on_record(folder: Path) -> None:
    async with working([Shelf({"a": 1, "b": 2}, {})], folder, enforce=True) as station:
        await until_calm(station, "Shelf")
        assert station.tenants == ("", "Shelf")
        lines = await station.store.read(AUDIT_PAGE, organization="Shelf", after=0, limit=100)
        assert broken_at(lines) is None
        assert [line.action for line in lines] == ["intent.declared"] + ["act.started", "act.done"] * 2


async def test_limits_and_intervals_are_those_of_each_loop(folder: Path) -> None:
    class Strict(Shelf):
        every = "5m"
        deletes_ceiling = 2
        at_once = 3
        deadline = "40s"

    async with working([Strict({}), Other({})], folder, enforce=True) as station:
        strict, other = await station.entity("Strict"), await station.entity("Other")
        standards = station.reconciler.standards
        assert (standards.every("strict"), standards.every("other")) == (300.0, 30.0)
        assert standards.limits(strict.declared).deletes_ceiling == 2
        assert standards.limits(other.declared).deletes_ceiling == 10
        assert (station.kinds["strict"].at_once, station.kinds["other"].at_once) == (3, 1)
        assert station.reconciler.journal.call_seconds > 40
        assert station.limits("Strict").deletes_ceiling == 2


async def test_a_bad_loop_opens_nothing_for_good(folder: Path) -> None:
    bad = type("Bad", (Shelf,), {"every": "x"})({})
    with pytest.raises(Rejected, match="loop Bad has a mistake"):
        async with working([bad], folder, enforce=True):
            raise AssertionError("it ran")
    async with working([Shelf({})], folder, enforce=True) as station:
        assert list(station.loops) == ["Shelf"]


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / ".setpoint").write_text("a file")
    with pytest.raises(Denied, match="cannot be used"):
        async with working([Shelf({})], tmp_path / ".setpoint" / "flags", enforce=True):
            raise AssertionError("it ran")


async def test_named_points_of_the_act_protocol_are_reached(folder: Path) -> None:
    reached: list[str] = []
    async with working([Shelf({"a": 1}, {})], folder, enforce=True, reached=reached.append) as station:
        await until_calm(station, "Shelf")
    assert reached[:6] == [
        "begin.before_commit",
        "begin.after_commit",
        "call.before",
        "call.after",
        "finish.before_commit",
        "finish.after_commit",
    ]


async def test_a_loop_is_woken_once_when_it_is_first_declared() -> None:
    async with trial(Shelf({"a": 1})) as t:
        wakes: list[Wake] = await t.station.store.read(WAKES_OF, ref=t.station.ref("Shelf"))
        assert [wake.reason for wake in wakes] == ["declared"]
        await t.run_once()
        assert await t.station.store.read(WAKES_OF, ref=t.station.ref("Shelf")) == []
        assert done(t.acts) == []
