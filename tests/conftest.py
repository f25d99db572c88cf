"""Puts this folder on the path, so that every test below it can import the harness and the kits."""

import pytest

pytest.register_assert_rewrite("harness", "processes")
