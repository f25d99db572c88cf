"""Who this agent is, kept beside it: a restart does not need the one-time token again."""

import contextlib
import os
from pathlib import Path

import msgspec

from setpoint.system import new_secret


class Identity(msgspec.Struct, frozen=True):
    """The key that the enrolment token was exchanged for."""

    agent: str
    key: str


def load(folder: Path) -> Identity | None:
    try:
        return msgspec.json.decode((folder / "identity.json").read_bytes(), type=Identity)
    except (FileNotFoundError, msgspec.DecodeError):
        # A file torn by a crash is no identity; the token may still be good.
        return None


def once(folder: Path) -> str:
    """A secret of this agent's own, made before it first asks: with it a lost answer is asked for again."""
    kept = folder / "enrolment.once"
    with contextlib.suppress(FileNotFoundError):
        return kept.read_text()
    _write(kept, new_secret().encode())
    return kept.read_text()


def save(folder: Path, identity: Identity) -> None:
    _write(folder / "identity.json", msgspec.json.encode(identity))


def _write(path: Path, body: bytes) -> None:
    """Whole or not at all, and only its owner can read it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    with draft.open("wb") as file:
        file.write(body)
        file.flush()
        # The token cannot be used again: a power cut must not leave an empty file under the final name.
        os.fsync(file.fileno())
    draft.rename(path)
