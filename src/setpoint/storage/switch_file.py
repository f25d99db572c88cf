"""The switch that needs no API: two names of one file in the data folder, and under one nothing acts.

Renamed and never made: on a full disk a new file may be refused, a new name for one that is there is not. Its
words are written over room that it has already. Also what has no words stops, as one that `touch` made.
"""

import contextlib
import os
from pathlib import Path

from msgspec import Struct, ValidationError, json
from msgspec.structs import replace

RUNNING = "setpoint.running"
STOPPED = "setpoint.stopped"
ROOM = 1024
CURE = "setpoint resume --data DIR"


class Said(Struct, frozen=True):
    """Who stopped everything here, and why; `id` tells the file of one folder from that of another."""

    id: str = ""
    by: str = "the switch file"
    reason: str = "no reason was written"

    @property
    def source(self) -> str:
        return f"{self.by} ({self.reason}; next: {CURE})"


class SwitchFile(Struct, frozen=True):
    """Of one data folder."""

    folder: Path

    def prepare(self, identity: str) -> None:
        """Makes room while there is some. A folder that cannot be written keeps what it has."""
        if not self._is_there(RUNNING) and not self._is_there(STOPPED):
            with contextlib.suppress(OSError):
                self._write(RUNNING, Said(id=identity))

    def stopped(self) -> str:
        """Who stops everything and why, or nothing: one look at the folder while nobody does."""
        return self.said().source if self._is_there(STOPPED) else ""

    def said(self) -> Said:
        """The words of the file, under whichever name it has; one without words still has its meaning."""
        known = self._read(STOPPED)
        return known if known.id else replace(known, id=self._read(RUNNING).id)

    def stop(self, by: str, reason: str) -> None:
        """Nothing begins after this returns. The words are worth less than the stop."""
        name = STOPPED if self._is_there(STOPPED) else RUNNING
        if self._is_there(name):
            with contextlib.suppress(OSError):
                self._write(name, Said(id=self._read(name).id, by=by, reason=reason))
            (self.folder / name).replace(self.folder / STOPPED)
        else:
            self._write(STOPPED, Said(by=by, reason=reason))
        self._settle()

    def resume(self) -> bool:
        """Whether it was stopped."""
        if not self._is_there(STOPPED):
            return False
        if self._is_there(RUNNING):
            (self.folder / STOPPED).unlink()
        else:
            (self.folder / STOPPED).replace(self.folder / RUNNING)
        self._settle()
        return True

    def _is_there(self, name: str) -> bool:
        """A folder that does not answer may be stopped, so it is."""
        try:
            (self.folder / name).stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return name == STOPPED
        return True

    def _read(self, name: str) -> Said:
        try:
            return json.decode((self.folder / name).read_bytes().strip(b" \n\0"), type=Said)
        except (OSError, ValueError, ValidationError):
            return Said()

    def _write(self, name: str, said: Said) -> None:
        """Over what is there, and never shorter: it needs no room that it does not have."""
        short = replace(said, by=said.by[:100], reason=said.reason[:200])
        file = os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.pwrite(file, json.encode(short).ljust(ROOM), 0)
            os.fsync(file)
        finally:
            os.close(file)

    def _settle(self) -> None:
        """A power cut does not undo it. A disk that cannot promise that is no reason to go on."""
        with contextlib.suppress(OSError):
            folder = os.open(self.folder, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
