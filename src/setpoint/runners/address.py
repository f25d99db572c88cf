"""Which runner the settings ask for: `embedded`, or `temporal://host:port/namespace`."""

import re
from typing import Final

from msgspec import Struct

from setpoint.engine.errors import Rejected

RUNNER: Final = r"^(embedded|temporal://([\w.-]+:\d{1,5})/([\w.-]+))$"
"""Every way to write the setting."""


class Address(Struct, frozen=True):
    """One namespace of one Temporal server."""

    server: str
    namespace: str


def read_runner(written: str) -> Address | None:
    """Where the Temporal server is; None for the embedded runner, which needs none."""
    found = re.match(RUNNER, written)
    if found is None:
        raise Rejected(f"a runner is embedded or temporal://host:port/namespace, not {written!r}")
    return Address(found[2], found[3]) if found[2] else None
