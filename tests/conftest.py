"""Puts this folder on the path, so that every test below it can import the harness and the kits."""

import gc
import signal
from types import FrameType

import pytest
from hypothesis import HealthCheck, settings

from setpoint.providers import passwords

KITS = ("rows", "commits", "slots", "together", "queries", "remembered", "history", "leases")

pytest.register_assert_rewrite("harness", "processes", *(f"conformance.store_{kit}" for kit in KITS))

REAL_KIB, QUICK_KIB = passwords.MEMORY_KIB, 256
"""Of memory for each hash of a password: in the product, and in all tests but those of that effort."""

# A busy machine is slow, not wrong: how long one example takes says nothing in any test.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def pytest_configure() -> None:
    """Ctrl-C ends the run, by a handler of our own.

    Where it is Python's own, asyncio swaps it at every test and fixture, and the swap spells out the last
    result: for one that holds a whole control plane, that takes longer than the test.
    """
    signal.signal(signal.SIGINT, _interrupt)
    gc.disable()  # What collecting makes stays to the end: looking for what is left of it finds nothing.
    passwords.MEMORY_KIB = QUICK_KIB


@pytest.fixture
def real_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes of passwords cost what they cost in the product."""
    monkeypatch.setattr(passwords, "MEMORY_KIB", REAL_KIB)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
