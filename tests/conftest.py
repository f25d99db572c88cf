"""Puts this folder on the path, so that every test below it can import the harness and the kits."""

import pytest

KITS = ("rows", "commits", "slots", "together", "queries", "remembered", "history", "leases")

pytest.register_assert_rewrite("harness", "processes", *(f"conformance.store_{kit}" for kit in KITS))
