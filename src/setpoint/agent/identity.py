"""Who this agent is, kept beside it: a restart does not need the one-time token again."""

import os
from pathlib import Path

import msgspec


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


def save(folder: Path, identity: Identity) -> None:
    """Whole or not at all, and only its owner can read it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = folder / "identity.json.new"
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    with draft.open("wb") as file:
        file.write(msgspec.json.encode(identity))
        file.flush()
        # The token cannot be used again: a power cut must not leave an empty file under the final name.
        os.fsync(file.fileno())
    draft.rename(folder / "identity.json")
