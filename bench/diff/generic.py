"""Libraries that compare any two values: each gets what is there and what is wanted, and lists the changes.

A library is imported where it is used: whoever lacks one can still be compared with the others.
"""

from collections import Counter
from typing import Any

from bench.diff import resources
from bench.diff.drift import Drift
from bench.trial import Counts, Trial


def deepdiff(size: int) -> Trial:
    from deepdiff import DeepDiff  # noqa: PLC0415

    drift = Drift(size)
    desired, actual = resources.declared(drift), resources.observed(drift)

    def counts(found: Any) -> Counts:
        return {
            "create": len(found["dictionary_item_added"]),
            "update": len(found["values_changed"]),
            "delete": len(found["dictionary_item_removed"]),
        }

    return Trial(lambda: DeepDiff(actual, desired), counts)


def dictdiffer(size: int) -> Trial:
    from dictdiffer import ADD, CHANGE, diff  # noqa: PLC0415

    drift = Drift(size)
    desired, actual = resources.declared(drift), resources.observed(drift)
    verbs = {ADD: "create", CHANGE: "update"}

    def counts(found: list[Any]) -> Counts:
        counted: Counter[str] = Counter()
        for verb, _, changes in found:
            counted[verbs.get(verb, "delete")] += 1 if verb == CHANGE else len(changes)
        return dict(counted)

    return Trial(lambda: list(diff(actual, desired)), counts)


def jsonpatch(size: int) -> Trial:
    from jsonpatch import make_patch  # noqa: PLC0415

    drift = Drift(size)
    desired, actual = resources.declared(drift), resources.observed(drift)
    verbs = {"add": "create", "replace": "update", "remove": "delete"}

    def counts(found: Any) -> Counts:
        return dict(Counter(verbs[change["op"]] for change in found))

    return Trial(lambda: make_patch(actual, desired), counts)
