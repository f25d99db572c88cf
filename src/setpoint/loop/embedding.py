"""Loops inside somebody's own asyncio program: `await setpoint.loop.run(Flags(), enforce=True)`.

It is what `setpoint run` does, without a screen, signals or an exit code. Cancelling its task is how it ends:
the act under way is finished and on record, nothing more is begun, and the folder is free again.
"""

import asyncio
import inspect
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from setpoint.cli.exits import Exit
from setpoint.engine.entity import Status
from setpoint.engine.errors import Rejected
from setpoint.loop.commands import turns
from setpoint.loop.commands.report import News, heard
from setpoint.loop.commands.seal import seal
from setpoint.loop.commands.session import Place
from setpoint.loop.commands.turns import Ending, begun_only_while_wanted, endlessly
from setpoint.loop.keyed import Keyed
from setpoint.loop.notify import Notifier, targets_for
from setpoint.loop.station import Station, working

LOG: Final = logging.getLogger("setpoint.loop")


@dataclass(frozen=True, slots=True)
class LoopEvent:
    """Something that happened to a loop: `act.done`, `plan.held`, `entity.state_changed` and others."""

    loop: str
    type: str
    message: str
    at: float


OnEvent = Callable[[LoopEvent], Any]


async def run(
    *loops: Keyed,
    folder: str | Path | None = None,
    enforce: bool = False,
    once: bool = False,
    notify: str | Sequence[str] = (),
    on_event: OnEvent | None = None,
) -> dict[str, Status]:
    """Looks at these loops on their intervals until it is cancelled; changes something only with `enforce`.

    `once`: until each loop rests, is held or fails; returns how each stands. `folder` is where their state is
    kept: `.setpoint/<file>/` beside the file of the first loop, as `setpoint run` has it, unless it is given.
    `on_event` is called with every LoopEvent; what it raises is logged. Denied: another process runs them.
    """
    place = _place(loops)
    state = Path(folder) if folder is not None else place.folder
    targets = targets_for(loops, (notify,) if isinstance(notify, str) else tuple(notify))
    async with AsyncExitStack() as stack:
        station = await stack.enter_async_context(working(loops, state, enforce=enforce))
        end = Ending()
        station = begun_only_while_wanted(station, end)
        teller = _Teller(News(station), state, on_event)
        if enforce and any(targets.values()):
            teller.notifier = Notifier(targets, state, station.runtime.now, teller.say)
            stack.callback(teller.notifier.close)
        await teller.begin()
        work = asyncio.create_task(_work(place, station, teller, end, once=once), name="setpoint")
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            end.ask(Exit.INTERRUPTED)
            await _ended(work)
            raise
        return {name: (await station.entity(name)).status for name in station.loops}


@dataclass(slots=True)
class _Teller:
    """Hands on what happened."""

    news: News
    folder: Path
    on_event: OnEvent | None
    notifier: Notifier | None = None

    async def begin(self) -> None:
        await self.news.begin()

    async def tell(self) -> None:
        for event in await heard(self.news, self.folder, self.notifier):
            await self._hand_on(LoopEvent(self.news.loop_of(event), event.type, event.message, event.at))

    def say(self, what: str, fields: Mapping[str, object]) -> None:
        LOG.warning("%s: %s", what, ", ".join(f"{name}: {value}" for name, value in fields.items()))

    async def _hand_on(self, event: LoopEvent) -> None:
        if self.on_event is None:
            return
        try:
            answer = self.on_event(event)
            if inspect.isawaitable(answer):
                await answer
        except Exception:
            # A listener that fails is no reason to stop a loop.
            LOG.exception("on_event failed for %s of %s", event.type, event.loop)


async def _work(place: Place, station: Station, teller: _Teller, end: Ending, *, once: bool) -> None:
    try:
        if not once:
            await endlessly(station, teller, end, None)
            return
        for name in station.loops:
            await turns.once(place, station, name, (teller, end))
        if teller.notifier is not None:
            await teller.notifier.deliver()
    finally:
        await teller.tell()
        await seal(station.store, teller.folder, station.tenants)


async def _ended(work: "asyncio.Task[None]") -> None:
    """Waits for its own end; whoever cancels a second time does not wait for the act under way."""
    while not work.done():
        try:
            await asyncio.wait({work})
        except asyncio.CancelledError:
            work.cancel()
    if not work.cancelled() and work.exception() is not None:
        LOG.error("ended with an error", exc_info=work.exception())


def _place(loops: Sequence[Keyed]) -> Place:
    """The file of the first loop: so `setpoint why FILE` works beside the program."""
    if not loops:
        raise Rejected("run() was given no loop; write run(Flags())")
    try:
        return Place(Path(inspect.getfile(type(loops[0]))))
    except (OSError, TypeError):
        return Place(Path("loop.py"))
