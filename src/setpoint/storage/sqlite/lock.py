"""One enforcing process per folder, held by the kernel: it ends with the process, however that ends."""

import fcntl
import os
from pathlib import Path
from typing import Self

from setpoint.engine.errors import Denied

NAME = "setpoint.lock"


class FolderLock:
    """Held from the moment it exists until `release`."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = _holder(self._file)
            self.release()
            raise Denied(
                f"another setpoint process ({holder}) has this folder: {folder}; "
                "stop it, or use --data with another folder"
            ) from error
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, str(os.getpid()).encode(), 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Let go. The file stays: removing it could take it from under the next holder."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def holder_of(folder: Path) -> str:
    """The process that enforces in this folder now, as `pid 4711`; empty where there is none."""
    try:
        file = os.open(folder / NAME, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        # Shared: two that only ask are not in each other's way.
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(file)
    finally:
        os.close(file)
    return ""


def _holder(file: int) -> str:
    # Between taking the lock and writing its number the holder has none.
    return f"pid {os.pread(file, 32, 0).decode(errors='replace') or 'not known yet'}"
