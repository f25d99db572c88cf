"""Taking one guard out of the table, to see that what it holds then goes wrong."""

import pytest

from setpoint.engine import guards

WHOLE = guards.GUARDS


def without(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """The table without these rows; every name must be one of them."""
    assert set(names) <= {guard.name for guard in WHOLE}
    monkeypatch.setattr(guards, "GUARDS", tuple(guard for guard in WHOLE if guard.name not in names))
