"""From costs to a judgement: medians, ratios, slopes, and when a number is too unsteady to mean anything."""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

STEADY: Final = 0.30  # A ratio that wanders by more than this is not judged.

Costs = Sequence[float]
"""CPU seconds of one contestant, a number for each round; none where it could not take part."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What a number must be: at least a limit, or at most."""

    sense: Literal[">=", "<="]
    limit: float

    def __str__(self) -> str:
        return f"{self.sense} {self.limit:,g}"

    def met_by(self, number: float) -> bool:
        return number >= self.limit if self.sense == ">=" else number <= self.limit


@dataclass(frozen=True, slots=True)
class Comparison:
    """One goal: how many times the peer's cost is ours, or ours the floor's."""

    name: str
    ours: str
    goal: Goal
    peer: str = ""
    floor: str = ""

    @property
    def sides(self) -> tuple[str, str]:
        """Whose cost is divided by whose: what must be large is the peer's, what must be small is ours."""
        return (self.peer, self.ours) if self.goal.sense == ">=" else (self.ours, self.floor)

    @property
    def needs(self) -> Iterable[str]:
        return self.sides


@dataclass(frozen=True, slots=True)
class Slope:
    """One goal: how cost grows with size, as the exponent of a power."""

    name: str
    sizes: Mapping[str, int]  # Of each contestant, the smallest first.
    goal: Goal
    peer: str = ""
    floor: str = ""

    @property
    def ours(self) -> str:
        return self.sides[0]

    @property
    def sides(self) -> tuple[str, str]:
        """The largest and the smallest: how often one is the other must be steady for the slope to be."""
        smallest, *_, largest = self.sizes
        return largest, smallest

    @property
    def needs(self) -> Iterable[str]:
        return self.sizes


Question = Comparison | Slope


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. Costs are medians in seconds; `met` is None where nothing can be said."""

    name: str
    ours: float | None
    peer: float | None
    floor: float | None
    ratio: float | None
    spread: float | None
    goal: str
    met: bool | None
    doubt: str = ""


def answer(question: Question, costs: Mapping[str, Costs], missing: Mapping[str, str]) -> Row:
    """The row for a question, as far as it can be answered."""
    over, under = question.sides
    ratios = [one / other for one, other in zip(costs.get(over, ()), costs.get(under, ()), strict=False)]
    absent = "; ".join(f"{name}: {missing[name]}" for name in question.needs if name in missing)
    doubt = absent or unsteadiness(ratios)
    numbers = slopes(question.sizes, costs) if isinstance(question, Slope) else ratios
    found = middle(numbers)
    return Row(
        name=question.name,
        ours=middle(costs.get(question.ours, ())),
        peer=middle(costs.get(question.peer, ())),
        floor=middle(costs.get(question.floor, ())),
        ratio=found,
        spread=spread(ratios) if ratios else None,
        goal=str(question.goal),
        met=None if doubt or found is None else question.goal.met_by(found),
        doubt=doubt,
    )


def middle(costs: Costs) -> float | None:
    return statistics.median(costs) if costs else None


def spread(ratios: Sequence[float]) -> float:
    """How wide the middle half of the rounds is, as a share of the median: one bad round is no doubt."""
    low, _, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return (high - low) / statistics.median(ratios)


def unsteadiness(ratios: Sequence[float]) -> str:
    """Why these ratios cannot be judged, or nothing."""
    if not ratios:
        return "no round was run"
    if spread(ratios) <= STEADY:
        return ""
    return f"the ratio wanders by {spread(ratios):.0%}, more than {STEADY:.0%}"


def slopes(sizes: Mapping[str, int], costs: Mapping[str, Costs]) -> list[float]:
    """For each round the exponent: the straight line through log cost over log size."""
    if any(not costs.get(name) for name in sizes):
        return []
    across = [math.log(size) for size in sizes.values()]
    rounds = zip(*(costs[name] for name in sizes), strict=True)
    return [statistics.linear_regression(across, [math.log(cost) for cost in each]).slope for each in rounds]
