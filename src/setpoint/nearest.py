"""Which known word was probably meant: the nearest, where one is near."""

from collections.abc import Iterable
from typing import Final

NEAR: Final = 2
"""So many letters left out, put in, changed or swapped are a slip."""
ALIKE: Final = 0.6


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word within two slips of this one; failing that, one that is much alike; else nothing."""
    wanted, words = word.lower()[:64], list(known)
    slips = sorted((distance(wanted, each.lower()), each) for each in words if _similar(wanted, each))
    if slips and slips[0][0] <= NEAR and slips[0][0] < max(len(wanted), 2):
        return slips[0][1]
    from difflib import get_close_matches  # noqa: PLC0415 - needed only after a mistake

    alike = get_close_matches(wanted, words, 1, ALIKE)
    return alike[0] if alike else ""


def distance(one: str, other: str) -> int:
    """How many slips lie between them; two neighbours swapped are one."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one):
        following = [i + 1]
        for j, right in enumerate(other):
            best = min(following[j] + 1, row[j + 1] + 1, row[j] + (left != right))
            if i and j and left == other[j - 1] and one[i - 1] == right:
                best = min(best, before[j - 1] + 1)
            following.append(best)
        before, row = row, following
    return row[-1]


def _similar(wanted: str, each: str) -> bool:
    return abs(len(wanted) - len(each)) <= NEAR
