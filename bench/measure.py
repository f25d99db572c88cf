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
    """How many times the other's cost is ours, or ours the other's. Without a goal it is told, not judged."""

    name: str
    ours: str
    goal: Goal | None
    peer: str = ""
    floor: str = ""

    @property
    def sides(self) -> tuple[str, str]:
        """Whose cost is divided by whose: what must be large is the other's, what must be small is ours."""
        other = self.peer or self.floor
        small = self.goal is not None and self.goal.sense == "<="
        return (self.ours, other) if small else (other, self.ours)

    @property
    def needs(self) -> Iterable[str]:
        return self.sides


@dataclass(frozen=True, slots=True)
class Slope:
    """One goal: how cost grows with size, as the exponent of a power."""

    name: str
    sizes: Mapping[str, int]  # Of each contestant, the smallest first.
    goal: Goal | None
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
    """One line of the table. Costs are medians in seconds, other figures say what they count.

    Where nothing can be said `met` is None and `doubt` says why; without a goal `doubt` is a remark.
    """

    name: str
    ours: float | None
    peer: float | None
    floor: float | None
    ratio: float | None
    spread: float | None
    goal: str
    met: bool | None
    doubt: str = ""
    unit: str = "s"

    @property
    def judged(self) -> bool:
        return bool(self.goal)


@dataclass(frozen=True, slots=True)
class Figure:
    """One number that was counted or timed once; `beside` is what it is a share of."""

    name: str
    number: float
    unit: str
    goal: Goal | None = None
    beside: float | None = None
    doubt: str = ""


def row_of(figure: Figure) -> Row:
    """The row for a figure; judged as it is, or as a share."""
    found = figure.number if figure.beside is None else figure.number / figure.beside
    judged = figure.goal is not None and not figure.doubt
    return Row(
        name=figure.name,
        ours=figure.number,
        peer=None,
        floor=figure.beside,
        ratio=None if figure.beside is None else found,
        spread=None,
        goal="" if figure.goal is None else str(figure.goal),
        met=figure.goal.met_by(found) if judged and figure.goal is not None else None,
        doubt=figure.doubt,
        unit=figure.unit,
    )


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
        goal="" if question.goal is None else str(question.goal),
        met=None if doubt or found is None or question.goal is None else question.goal.met_by(found),
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
