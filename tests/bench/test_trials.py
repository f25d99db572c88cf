"""Our own contestants at tiny sizes: each does the whole of its job, or is found out."""

from collections.abc import Callable

import pytest

from bench.contest import hold
from bench.converge import ours
from bench.queue import drain, fresh, goals, interval
from bench.start import served, shown
from bench.store import writes
from bench.trial import Counts, Trial
from setpoint.engine.agenda import Agenda, Due

SIZE = 100


@pytest.mark.parametrize(
    ("made", "right"),
    [
        (drain.agenda, drain.right(SIZE)),
        (drain.even, drain.right(SIZE)),
        (drain.asyncio_queue, drain.right(SIZE)),
        (interval.agenda, interval.right(SIZE)),
        (interval.handled, interval.right(SIZE)),
        (interval.wheel, interval.right(SIZE)),
        (fresh.behind, fresh.right()),
        (writes.sqlite_single, {"rows": SIZE}),
        (writes.sqlite_batched, {"rows": SIZE}),
        (writes.sqlite_together, {"rows": SIZE}),
        (writes.file_append, {"rows": SIZE}),
        (writes.file_synced, {"rows": SIZE}),
    ],
)
def test_a_run_does_its_job_however_often(made: Callable[[int], Trial], right: Counts) -> None:
    trial = made(SIZE)
    try:
        assert [trial.counts(trial.run()) for _ in range(2)] == [right, right]
    finally:
        trial.close()


@pytest.mark.parametrize(
    ("made", "right"),
    [
        (shown.ours_help, {"told": 1}),
        (shown.ours_version, {"told": 1}),
        (shown.ours_get, {"told": 1}),
        (shown.bare, {"told": 1}),
        (served.ours_fresh, {"served": 1}),
        (served.ours_again, {"served": 1}),
        (served.bare, {"served": 1}),
    ],
)
def test_what_was_started_answered_and_is_counted(made: Callable[[int], Trial], right: Counts) -> None:
    trial = made(1)
    began = trial.cpu()
    assert trial.counts(trial.run()) == right
    assert trial.cpu() > began


def test_postgresql_writes_what_it_was_given() -> None:
    trial = writes.postgres_batched(SIZE)
    try:
        assert trial.counts(trial.run()) == {"rows": SIZE}
    finally:
        trial.close()


def test_with_nothing_in_front_something_fresh_is_the_first() -> None:
    trial = fresh.behind(1)
    assert trial.counts(trial.run()) == fresh.right()


@pytest.mark.parametrize(
    ("made", "lie"), [(drain.agenda, drain.right(SIZE)), (interval.handled, interval.right(SIZE))]
)
def test_an_agenda_that_loses_a_key_is_found_out(
    made: Callable[[int], Trial], lie: Counts, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = Agenda.take

    def forgetful(self: Agenda, now: float) -> Due | None:
        due = honest(self, now)
        if due is not None and due.ref.endswith("0000007"):
            self.done(due.ref, now)
            return honest(self, now)
        return due

    trial = made(SIZE)
    monkeypatch.setattr(Agenda, "take", forgetful)
    # A key that is never handled is one too few, or one that is not due again.
    assert trial.counts(trial.run()) != lie


def test_a_store_that_keeps_less_than_it_was_given_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = writes.batched

    async def sloppy(store: writes.Store, rows: writes.Rows) -> None:
        await honest(store, rows[:-1])

    monkeypatch.setattr(writes, "batched", sloppy)
    trial = writes.sqlite_batched(SIZE)
    try:
        assert trial.counts(trial.run()) == {"rows": SIZE - 1}
    finally:
        trial.close()


def test_a_peer_is_beaten_or_named_as_missing() -> None:
    for row in hold(goals.on_intervals(tuple(goals.PEERS), 200), rounds=2):
        assert row.ours is not None
        assert row.ratio is not None or "No module named" in row.doubt
        assert "wrong" not in row.doubt


def test_what_go_does_is_told_as_recorded_and_not_judged() -> None:
    recorded = goals.recorded(2e-6)
    assert [row.judged for row in recorded] == [False, False]
    assert all(row.doubt.startswith("recorded") for row in recorded)


def test_what_is_declared_stands_at_the_cloud_when_ours_has_converged() -> None:
    trial = ours.up(3)
    try:
        before = trial.cpu()
        assert trial.counts(trial.run()) == {"records": 3}
        assert trial.cpu() >= before
    finally:
        trial.close()
