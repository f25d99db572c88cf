"""A backup of the store of one moment, and the store that is restored from it: by the product's own hands."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from setpoint.storage import memory_archive
from setpoint.storage.backup import Writing, first_change, placeless, rows_in, verified
from setpoint.storage.memory import MemoryStore
from simulation.kernel import SimLoop

FILE = "backup.gz"


@dataclass
class Vault:
    """Keeps the file's bytes: a world leaves nothing on the disk."""

    loop: SimLoop
    kept: bytes = b""

    def save(self, store: MemoryStore) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder, FILE)
            with Writing(path, self.loop.now()) as writing:
                for table, body in memory_archive.every_row(store):
                    writing.put(table, body)
                found = writing.finish()
            self.kept = path.read_bytes()
        self.loop.note("backup", found.rows, "rows")

    async def restored(self) -> MemoryStore:
        """A store as it was, and frozen."""
        with TemporaryDirectory() as folder:
            path = Path(folder, FILE)
            path.write_bytes(self.kept)  # noqa: ASYNC240 - no time passes here
            last = first_change(verified(path), self.loop.now())
            return await memory_archive.restored(placeless(rows_in(path)), last, self.loop.now)
