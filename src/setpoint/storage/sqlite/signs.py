"""Signs of life in a file of their own: written often, and harmless to lose the last second of."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from setpoint.engine.entity import canonical
from setpoint.engine.rows import Sign
from setpoint.storage.sqlite.connection import connect
from setpoint.storage.sqlite.statements import statements

NAME: Final = "signs.db"


class Signs:
    """Blocks: for one thread of its own."""

    def __init__(self, folder: Path) -> None:
        self.connection = connect(folder / NAME, synchronous="NORMAL")
        try:
            self.connection.execute(statements()["create_sign"])
        except sqlite3.Error:
            self.connection.close()
            raise

    def put(self, signs: Sequence[Sign]) -> None:
        """Keep the newest of each ref."""
        values = [{"ref": sign.ref, "at": sign.at, "body": canonical(sign)} for sign in signs]
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.executemany(statements()["put_sign"], values)
            self.connection.execute("COMMIT")
        except sqlite3.Error:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        self.connection.close()
