"""Builds the console before it is packed: a wheel brings it ready to be served."""

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ConsoleHook(BuildHookInterface[Any]):
    """Does nothing for an install that is edited in place: there `make console` does it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version == "editable" or not (root / "console" / "package.json").exists():
            return
        subprocess.run([root / "scripts" / "console"], check=True)  # noqa: S603 - our own script
