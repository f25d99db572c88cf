"""Bugs, each of which the simulation must find, or it checks nothing.

A bug is planted into the live program of one process: in place of a function, or into what a replica commits.
None quotes a line of the source. One whose function is gone or is called otherwise ends the search with an
error, and one that no world reaches is told apart from one that is not found.
"""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from msgspec.structs import replace

from setpoint.api.signs import Signs
from setpoint.drive import frozen
from setpoint.engine import consent, journal, reconcile
from setpoint.engine.doubts import damage, truth
from setpoint.engine.entity import Declared
from setpoint.engine.errors import Transient
from setpoint.engine.journal import Journal
from setpoint.engine.ledger import Protection
from setpoint.engine.plan import Verb
from setpoint.engine.reconcile import Reconciler
from setpoint.engine.rows import Act, ActState, Approval, Mode, Shard
from setpoint.engine.store import Change, Expect, Put
from setpoint.kinds.dns_zone import ZoneLoop
from setpoint.kinds.host import HostLoop
from setpoint.providers import wire
from setpoint.providers.hetzner import listing
from setpoint.storage import lease
from setpoint.storage.backup import restoring
from simulation.plant import Bug, edit_commits, plant

BUGS: dict[str, Bug] = {}


def bug(*strong: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Enters a bug into the table; it is looked for in worlds in which these faults are strong."""

    def enter(planting: Callable[[], None]) -> Callable[[], None]:
        BUGS[planting.__name__] = Bug(planting.__name__, strong, planting)
        return planting

    return enter


# What a look is worth.


@bug("broken_page")
def a_list_that_is_not_counted() -> None:
    async def listed(original: Any, transport: Any, path: str, noun: str, params: Any = None) -> Any:
        pages: list[Any] = []

        async def call(*args: Any, **named: Any) -> Any:
            pages.append(await transport.call(*args, **named))
            return pages[-1]

        try:
            return await original(SimpleNamespace(call=call), path, noun, params)
        except Transient:
            if not pages or pages[-1]["meta"]["pagination"]["next_page"] is not None:
                raise
            return [item for page in pages for item in page[noun]]

    plant(listing.listed, listed)
    _order_without_asking()


@bug()
def a_mark_that_is_not_looked_at() -> None:
    plant(ZoneLoop._is_ours, lambda *_: True)


@bug("empty", "hidden")
def forgotten_by_a_listing_alone() -> None:
    async def still_there(*_: Any) -> frozenset[str]:
        return frozenset()

    plant(Reconciler._still_there, still_there)


@bug("empty", "hidden")
def no_second_look() -> None:
    plant(reconcile._needs_second_look, lambda *_: False)
    _order_without_asking()


@bug("lost", "late")
def what_may_still_land_has_failed() -> None:
    plant(journal.settled, lambda original, *args: original(*args) or _unless_unknown(*args))
    _order_without_asking()


# What is written before and after a call.


@bug("paused", "paused_there", "store_away")
def no_fence_at_a_begin() -> None:
    edit_commits(lambda change: _begin_without(change, lambda expect: expect.row is Shard))


@bug()
def no_generation_at_a_begin() -> None:
    edit_commits(lambda change: _begin_without(change, lambda expect: _is_generation(expect, change)))


@bug("paused_there")
def no_levers_at_a_begin() -> None:
    def is_lever(expect: Expect, change: Change) -> bool:
        return expect.row not in (Shard, Protection) and not _is_generation(expect, change)

    edit_commits(lambda change: _begin_without(change, lambda expect: is_lever(expect, change)))


@bug("paused_there")
def a_protection_may_be_set_too_late() -> None:
    edit_commits(lambda change: _begin_without(change, lambda expect: expect.row is Protection))
    plant(damage.protection, lambda *_: None)


@bug("killed_there")
def nothing_written_before_a_call() -> None:
    edit_commits(lambda change: None if _begins(change) else change)


@bug()
def how_an_act_ended_is_not_written() -> None:
    edit_commits(lambda change: None if _ends(change) else change)


@bug()
def an_ended_act_is_ended_again() -> None:
    edit_commits(lambda change: replace(change, expects=()) if _ends(change) else change)


@bug("paused_there", "slow")
def called_after_its_time() -> None:
    async def in_time(_: Any, self: Journal, entity: Any, loop: Any, act: Act) -> None:
        await self.runtime.within(self.call_seconds, loop.act(entity, act))

    plant(Journal._in_time, in_time)
    plant(wire.require_time, lambda *_: None)


@bug("paused_there", "paused")
def frozen_before_it_was_sent() -> None:
    plant(wire.require_time, lambda *_: None)


# What people said.


@bug("store_lost", "store_refused")
def acknowledged_and_not_stored() -> None:
    edit_commits(lambda change: change, swallows=lambda change: bool(_rows(change, Declared)))


@bug("paused_there")
def an_approval_covers_whatever_comes() -> None:
    plant(consent._unspent, lambda _, approval, action: action.item not in approval.spent)


@bug()
def an_approval_is_never_used_up() -> None:
    def unspent(change: Change) -> Change:
        kept = tuple(each for each in change.writes if not isinstance(getattr(each, "row", None), Approval))
        return replace(change, writes=kept) if _begins(change) else change

    edit_commits(unspent)


@bug()
def newer_than_the_journal_and_not_held() -> None:
    plant(truth.newer_than_journal, lambda *_: None)


@bug()
def no_budget_for_deletes() -> None:
    plant(damage.delete_budget, lambda *_: None)


# What is left of a process or a database that ended.


@bug("paused", "paused_there", "killed")
def an_epoch_that_never_rises() -> None:
    plant(lease.next_epoch, lambda _, shard, now: max(shard.epoch, 1))


@bug()
def failed_over_and_not_noticed() -> None:
    def suspicion(original: Any, *args: Any) -> Any:
        doubt = original(*args)
        return None if doubt is None or doubt.mode is Mode.NO_DELETES else doubt

    plant(frozen.suspicion, suspicion)


@bug()
def restored_and_not_frozen() -> None:
    plant(restoring.first_change, lambda *_: Change())


@bug("store_away", "store_refused")
def signs_that_end_with_the_store() -> None:
    async def run(_: Any, self: Signs) -> None:
        while True:
            await asyncio.sleep(min(1.0, self.every / 2))
            await self.flush()

    plant(Signs.run, run)


def _order_without_asking() -> None:
    """A server is ordered without asking for its name first, which would hide that it is there."""

    async def target(original: Any, self: HostLoop, entity: Any, compute: Any, act: Act) -> Any:
        return None if act.verb is Verb.CREATE else await original(self, entity, compute, act)

    plant(HostLoop._target, target)


def _unless_unknown(act: Act, look: Any, *_: Any) -> ActState | None:
    return None if look is journal.UNKNOWN else ActState.FAILED


def _now() -> float:
    loop: Any = asyncio.get_running_loop()
    return float(loop.now())


def _rows(change: Change, row: type) -> list[Any]:
    return [each.row for each in change.writes if isinstance(each, Put) and isinstance(each.row, row)]


def _begins(change: Change) -> bool:
    return any(act.state is ActState.STARTED for act in _rows(change, Act))


def _ends(change: Change) -> bool:
    return any(act.ended_at for act in _rows(change, Act))


def _begin_without(change: Change, dropped: Callable[[Expect], bool]) -> Change:
    kept = tuple(expect for expect in change.expects if not dropped(expect))
    return replace(change, expects=kept) if _begins(change) else change


def _is_generation(expect: Expect, change: Change) -> bool:
    return expect.row is Declared and expect.key in {act.domain for act in _rows(change, Act)}
