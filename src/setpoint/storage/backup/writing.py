"""A backup on its way: under another name until it is whole, on the disk, and was read back."""

import gzip
import hashlib
import os
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

import msgspec

from setpoint.engine.errors import Denied, Rejected
from setpoint.engine.rows import Installation
from setpoint.storage.backup.lines import FORMAT, Footer, Header, schema
from setpoint.storage.backup.reading import Backup, verified
from setpoint.storage.form import decoded

LEVEL: Final = 5


class Writing:
    """Rows are put one by one, in the order of ROWS; then `finish`. What is left unfinished is removed."""

    def __init__(self, path: Path, now: float) -> None:
        if path.exists():
            raise Rejected(f"{path} exists, and a backup is never written over; choose another name")
        self.path, self.now = path, now
        self._draft = path.with_name(path.name + ".unfinished")
        self._counts: Counter[str] = Counter()
        self._hash = hashlib.sha256()
        try:
            self._draft.unlink(missing_ok=True)
            file = os.open(self._draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise Denied(f"{path} cannot be written: {error.strerror}") from error
        self._file = os.fdopen(file, "wb")
        self._packed = gzip.GzipFile("", "wb", LEVEL, self._file, now)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._file.close()
        self._draft.unlink(missing_ok=True)

    def put(self, table: str, body: bytes) -> None:
        """One row as it is kept."""
        if not self._counts:
            if table != "installation":
                raise _nothing()
            who = decoded(Installation, body).id
            self._line(Header(format=FORMAT, schema=dict(schema()), installation=who, taken_at=self.now))
        self._counts[table] += 1
        self._write(b'{"table":"%b","body":%b}\n' % (table.encode(), body))

    def finish(self) -> Backup:
        """The file under its name, and what is in it; Rejected where what was written cannot be read back."""
        if not self._counts:
            raise _nothing()
        self._line(Footer(counts=dict(self._counts), sha256=self._hash.hexdigest()))
        self._packed.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        found = verified(self._draft)
        self._draft.rename(self.path)
        _settle(self.path.parent)
        return found

    def _line(self, line: Header | Footer) -> None:
        self._write(msgspec.json.encode(line) + b"\n")

    def _write(self, line: bytes) -> None:
        self._hash.update(line)
        self._packed.write(line)


def _nothing() -> Rejected:
    return Rejected("there is nothing to back up: no control plane ran on this database yet")


def _settle(folder: Path) -> None:
    """A name is as durable as its folder."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
