"""Secrets of the installation itself, each in a file that only its owner can read."""

from pathlib import Path
from typing import Final

from setpoint.engine.errors import Denied
from setpoint.settings import Settings
from setpoint.system import new_secret

SHORTEST: Final = 32


def kept(file: Path) -> str:
    """The secret in this file, made when it is first asked for."""
    if not file.exists():
        # Whole or not at all: a crash must not leave an empty secret behind.
        draft = file.with_name(f"{file.name}.new")
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600)
        draft.write_text(new_secret())
        draft.rename(file)
    return file.read_text().strip()


def given(file: str, setting: str) -> str:
    """The secret in a file that a setting names, which has to be there."""
    try:
        return Path(file).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Denied(f"{setting}={file} cannot be read: {error}") from error


def people_key(settings: Settings) -> str:
    """What seals second factors. One that is named is never made up here: it would open nothing."""
    file = settings.people_key_file
    if not file:
        return kept(Path(settings.data) / "people.key")
    key = given(file, "people_key_file")
    if len(key) < SHORTEST:
        make = f"head -c 32 /dev/urandom | base64 > {file}"
        raise Denied(f"people_key_file={file} is too short; make one with: {make}")
    return key
