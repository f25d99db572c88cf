"""Which holds are right, by the table of limits in the safety rules and by nothing of our own guards.

It knows what people declared and when, what was really done, and the plan that was judged. A hold that the
table does not ask for is a false one; a hold that it asks for and that is not there is a missed one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from statistics import median
from typing import Final

from days.script import DAY, HOUR
from setpoint.engine.record import Recorded
from setpoint.engine.rows import Act, ActState

PASSING: Final = frozenset({"unsettled", "second_look", "waiting"})
"""Waiting for the answer of a call or for a second look: seconds, and part of every change."""
DESTROYING: Final = frozenset({"delete", "replace", "park"})


@dataclass(frozen=True)
class Hold:
    """Something that was withheld: by which guard, and why that was right, if it was.

    One that was missed has no message: nothing was withheld.
    """

    at: float
    domain: str
    guard: str
    message: str
    right: str

    @property
    def fault(self) -> str:
        """Nothing, where it is there and right."""
        return "" if self.right and self.message else "false" if self.message else "missed"


@dataclass
class Domain:
    """What the operator did to one domain, in the order it was done."""

    events: list[tuple[float, str, int]] = field(default_factory=list)

    def declared(self, at: float, size: int) -> None:
        self.events.append((at, "declared", size))

    def deleted(self, at: float, count: int) -> None:
        """By name: left out of what counts as a shrink."""
        self.events.append((at, "deleted", count))

    def approved(self, at: float) -> None:
        """Who approves a plan approves the set that it leads to: that is the accepted one from now on."""
        self.events.append((at, "approved", 0))

    def accepted(self, at: float) -> int:
        """The largest set accepted within the 24 hours before."""
        sizes: list[int] = []
        for when, what, number in self.events:
            if at - DAY < when <= at:
                sizes = {
                    "declared": [*sizes, number],
                    "deleted": [size - number for size in sizes],
                    "approved": sizes[-1:],
                }[what]
        return max(sizes, default=0)


def deletes_per_pass(owned: int) -> int:
    return max(min(3, ceil(owned / 2)), min(10, owned // 10))


def deletes_per_hour(owned: int) -> int:
    return ceil(owned / 2) if owned <= 10 else max(6, 2 * deletes_per_pass(owned))


@dataclass(frozen=True)
class Judged:
    """The plan that was judged, and what came before it."""

    at: float
    desired: int
    owned: int
    deletes: int
    changes: int
    spent: int
    fleet: int
    accepted: int
    sizes: tuple[int, ...]
    outage: bool

    def shrunken(self) -> str:
        fewer = self.accepted - self.desired
        if fewer > 3 and fewer > 0.2 * self.accepted:
            return f"{self.desired} declared, {self.accepted} within the last day"
        return ""

    def empty(self) -> str:
        return f"nothing declared, {self.owned} there" if not self.desired and self.owned else ""

    def budget(self) -> str:
        size = self.owned + self.spent  # As it was before anything of this hour went.
        cycle, hour = deletes_per_pass(size), deletes_per_hour(size)
        if self.deletes > cycle:
            return f"{self.deletes} deletes of {self.owned}, {cycle} may go at once"
        if self.deletes and self.spent + self.deletes > hour:
            return f"{self.deletes} deletes after {self.spent} within the hour, {hour} may go"
        return ""

    def nothing_left(self) -> str:
        return f"all {self.owned} would go" if 0 < self.owned <= self.deletes and not self.desired else ""

    def unusual(self) -> str:
        usual = median(self.sizes) if len(self.sizes) >= 5 else 0
        if usual and self.changes > 10 and self.changes > 3 * usual and self.deletes:
            return f"{self.changes} changes where {usual:g} are usual"
        return ""

    def fleet_wide(self) -> str:
        return (
            f"{self.fleet} deletes of one organization within the hour, 50 may go" if self.fleet > 50 else ""
        )

    def troubled(self) -> str:
        return "the vendor was away within the hour" if self.outage else ""


ASKED: Final = {
    "shrunken_intent": Judged.shrunken,
    "empty_intent": Judged.empty,
    "lost_group": Judged.empty,
    "delete_budget": Judged.budget,
    "leaves_nothing": Judged.nothing_left,
    "unusual_plan": Judged.unusual,
    "fleet_budget": Judged.fleet_wide,
    "failure_brake": Judged.troubled,
    "back_off": Judged.troubled,
}
"""Guard -> when the table asks for it. The others have no place in these days: nobody else writes, nothing is
paused or protected, the vendor tells the truth, and every item of a domain weighs the same."""
NEEDED: Final = ("shrunken_intent", "empty_intent", "delete_budget", "leaves_nothing")
"""Guards whose absence is looked for, wherever something is destroyed that nobody asked for by name."""


def holds_in(
    passes: Sequence[Recorded], acts: Sequence[Act], domain: Domain, outages: Sequence[tuple[float, float]]
) -> Iterator[Hold]:
    """Every hold of one domain, the oldest first; the same one pass after pass counts once.

    `acts` are those of all domains.
    """
    done = sorted((a for a in acts if a.state is not ActState.FAILED), key=lambda act: act.began_at)
    before: set[tuple[str, tuple[str, ...]]] = set()
    sizes: list[int] = []
    last: set[str] = set()
    for recorded in sorted(passes, key=lambda each: each.at):
        going = tuple(sorted(a.item for a in recorded.case.plan.actions if a.destructive))
        judged = _judged(recorded, done, domain, outages, sizes)
        for hold in recorded.verdict.holds:
            if hold.guard not in PASSING and (hold.guard, going) not in before:
                asked = ASKED.get(hold.guard)
                yield Hold(
                    recorded.at, recorded.ref, hold.guard, hold.message, asked(judged) if asked else ""
                )
        yield from _missed(recorded, judged)
        before = {(hold.guard, going) for hold in recorded.verdict.holds}
        lines = {action.line for action in recorded.case.plan.actions}
        if not lines <= last:  # What is left of a plan is not another one.
            sizes = [*sizes, len(lines)][-20:]
        last = lines


def _missed(recorded: Recorded, judged: Judged) -> Iterator[Hold]:
    destroyed = any(action.destructive and not action.explicit for action in recorded.verdict.allowed)
    if destroyed and not recorded.verdict.approval:
        for guard in NEEDED:
            if right := ASKED[guard](judged):
                yield Hold(recorded.at, recorded.ref, guard, "", right)


def _judged(
    recorded: Recorded,
    done: Sequence[Act],
    domain: Domain,
    outages: Sequence[tuple[float, float]],
    sizes: Sequence[int],
) -> Judged:
    at, plan = recorded.case.now, recorded.case.plan  # It was recorded after its acts.
    hour = [act for act in done if at - HOUR < act.began_at < at]
    last = {act.item: act for act in hour if act.domain == recorded.ref}
    lost = [act for act in last.values() if act.verb in DESTROYING]  # What came back is not lost.
    destroyed = [action for action in plan.actions if action.destructive]
    return Judged(
        at=at,
        desired=plan.desired,
        owned=plan.actual,
        deletes=sum(1 for action in destroyed if not action.explicit),
        changes=len(plan.actions),
        spent=sum(1 for act in lost if not act.explicit and not act.approval),
        fleet=sum(1 for act in hour if act.verb in DESTROYING) + len(destroyed),
        accepted=domain.accepted(at),
        sizes=tuple(sizes),
        outage=any(begin <= at <= end + HOUR for begin, end in outages),
    )


def by_guard(holds: Iterable[Hold]) -> Counter[str]:
    """How many there were of each, those told apart that were false or missed."""
    return Counter(f"{hold.guard} ({hold.fault})" if hold.fault else hold.guard for hold in holds)
