"""Planning again with nothing new: our columns, the loop of source document 004, and two arrays of numpy."""

from typing import Any

from bench.diff import resources
from bench.diff.drift import Drift
from bench.trial import Counts, Trial
from setpoint.engine.columns import Columns, fingerprint


def columns(size: int) -> Trial:
    held = Columns()
    for number in range(size):
        key, digest = resources.key_of(number), fingerprint(number)
        held.want(key, digest)
        held.saw(key, digest)
    return Trial(held.rescan, lambda found: {"different": len(found)})


def naive(size: int) -> Trial:
    """As printed in the document, corrected: `&` of dicts needs their keys. Nothing is applied."""
    drift = Drift(size)
    desired, observed = (list(resources.declared(drift).values()) for _ in range(2))

    def run() -> int:
        desired_set = {r["key"]: r for r in desired}
        observed_set = {r["key"]: r for r in observed}
        to_create = desired_set.keys() - observed_set.keys()
        to_delete = observed_set.keys() - desired_set.keys()
        to_update = {k for k in desired_set.keys() & observed_set.keys() if desired_set[k] != observed_set[k]}
        return len(to_create) + len(to_delete) + len(to_update)

    return Trial(run, lambda found: {"different": found})


def arrays(size: int) -> Trial:
    """The floor: two columns of 64-bit numbers, half as wide as ours."""
    import numpy as np  # noqa: PLC0415

    wanted = np.random.default_rng(7).integers(1, 2**63, size=size, dtype=np.uint64)
    seen = wanted.copy()

    def counts(found: Any) -> Counts:
        return {"different": int(found.sum())}

    return Trial(lambda: wanted != seen, counts)
