"""Chance for tests that kill, cut and break at any moment: another one in every run, or the one asked for."""

import os
import random


def fresh_chance() -> random.Random:
    """Its seed is shown with a failure; `SETPOINT_SEED=N` gives the same one again."""
    seed = int(os.environ.get("SETPOINT_SEED") or random.getrandbits(32))
    print(f"SETPOINT_SEED={seed}")  # noqa: T201 - whoever reads of a failure needs it
    return random.Random(seed)  # noqa: S311 - moments and victims
