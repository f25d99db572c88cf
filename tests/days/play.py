"""One day from its script to its account: what was planned, what was held, and whether that was right."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Final, Literal

from days.oracle import Hold, holds_in
from days.script import MINUTE, Day, Step
from days.site import GROUP, RECORDS, LoopSite, PlatformSite, Site, acts_in, held_plans, passes_of, refs_in
from simulation.kernel import SimLoop, played

LOOKS_EVERY: Final = 10 * MINUTE
"""The operator looks into the inbox so often."""
Where = Literal["loop", "platform"]


@dataclass(frozen=True)
class Account:
    """What became of one day."""

    where: Where
    seed: int
    plans: int
    held: int
    acts: int
    steps: Counter[str]
    holds: tuple[Hold, ...]
    wrong: tuple[str, ...]

    @property
    def faults(self) -> tuple[Hold, ...]:
        """Holds that were false, and those that were missed."""
        return tuple(hold for hold in self.holds if hold.fault)


@dataclass
class Operator:
    """Goes through the day step by step, and says yes to what is held unless the file was mistaken."""

    site: Site
    day: Day
    outages: list[tuple[float, float]] = field(default_factory=list)
    mistaken: bool = False
    size: int = 0

    async def live(self) -> tuple[str, ...]:
        began = self.site.now
        for step in self.day.ordered:
            await self._idle(began + step.at)
            await self._do(step)
        await self._idle(began + self.day.ends)
        return tuple(self.site.wrong(self.day.wanted, self.size))

    async def _idle(self, until: float) -> None:
        while (left := until - self.site.now) > 0:
            await self.site.wait(min(left, LOOKS_EVERY))
            if not self.mistaken:
                await self._approve()

    async def _do(self, step: Step) -> None:
        site, now = self.site, self.site.now
        if step.wanted is not None:
            self.mistaken = step.mistaken
            if step.deleted and site.deletes_by_name:
                site.domains[RECORDS].deleted(now, len(step.deleted))
            site.domains[RECORDS].declared(now, len(step.wanted))
            await site.declare(step.wanted, step.deleted)
        if step.size is not None and GROUP in site.domains:
            self.size = step.size
            site.domains[GROUP].declared(now, step.size)
            await site.scale(step.size)
        if step.outage:
            self.outages.append((now, now + step.outage))
            await site.outage(step.outage)
        if step.restart:
            await site.restart()

    async def _approve(self) -> None:
        for plan in held_plans(self.site):
            self.site.domain_of(plan.ref).approved(self.site.now)
            await self.site.approve(plan)


def played_on(where: Where, day: Day, seed: int) -> Account:
    """Plays it; the same seed plays the same day."""
    return _on_platform(day, seed) if where == "platform" else asyncio.run(_on_loop(day, seed))


async def _on_loop(day: Day, seed: int) -> Account:
    site = await LoopSite(seed).open()
    operator = Operator(site, day)
    wrong = await operator.live()
    await site.close()
    return _account("loop", seed, operator, wrong)


def _on_platform(day: Day, seed: int) -> Account:
    loop = SimLoop(seed)
    accounts: list[Account] = []

    async def story() -> None:
        operator = Operator(await PlatformSite(loop).open(), day)
        accounts.append(_account("platform", seed, operator, await operator.live()))

    try:
        played(loop, story())
    finally:
        loop.forget()
    return accounts[0]


def _account(where: Where, seed: int, operator: Operator, wrong: tuple[str, ...]) -> Account:
    site = operator.site
    holds = [
        hold
        for ref in refs_in(site)
        for hold in holds_in(passes_of(site, ref), acts_in(site), site.domain_of(ref), operator.outages)
    ]
    passes = [recorded for ref in refs_in(site) for recorded in passes_of(site, ref)]
    plans = {(recorded.ref, recorded.at) for recorded in passes if recorded.case.plan.actions}
    return Account(
        where=where,
        seed=seed,
        plans=len(plans),
        held=len({(hold.domain, hold.at) for hold in holds if hold.message}),
        acts=len(acts_in(site)),
        steps=Counter(step.why.partition(" ")[0] if step.size else step.why for step in operator.day.steps),
        holds=tuple(sorted(holds, key=lambda hold: hold.at)),
        wrong=wrong,
    )
