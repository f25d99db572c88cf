"""Where something runs: one small file, so that whoever waits for it, or a second terminal, finds it."""

import json
from pathlib import Path
from typing import Any, Final

AnyJson = Any
FILE: Final = Path(".setpoint") / "demo.json"


def write(file: Path, content: AnyJson) -> None:
    """Whole or not at all, and only its owner can read it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(file.name + ".new")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(content))
    draft.rename(file)


def read(file: Path = FILE) -> AnyJson | None:
    try:
        return json.loads(file.read_text())
    except (OSError, ValueError):
        return None
