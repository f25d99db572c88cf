"""Somebody who can write the database takes lines out of the audit and mends the head."""

import json
import sqlite3
from pathlib import Path

import pytest

from .kit import on_sqlite


def cut(database: sqlite3.Connection, name: str, lines: int) -> None:
    """The last lines and the head, as if they had never been written."""
    rows = database.execute(
        "SELECT revision, body FROM audit WHERE organization = ? ORDER BY revision", (name,)
    ).fetchall()
    kept = rows[:-lines]
    database.execute(
        "DELETE FROM audit WHERE organization = ? AND revision > ?", (name, kept[-1][0] if kept else 0)
    )
    head = json.loads(database.execute("SELECT body FROM head WHERE organization = ?", (name,)).fetchone()[0])
    head["hash"] = json.loads(kept[-1][1])["hash"] if kept else ""
    head["revision"] = max(head["revision"], kept[-1][0] if kept else 0)
    database.execute("UPDATE head SET body = ? WHERE organization = ?", (json.dumps(head).encode(), name))


@pytest.mark.parametrize("lines", [1, 5, 1000], ids=["one", "five", "all"])
def test_a_chain_that_was_cut_together_with_its_head_is_noticed(tmp_path: Path, lines: int) -> None:
    with on_sqlite(tmp_path) as first:
        name = first.organization("audit")
        for n in range(8):
            first.admin.put(f"/v1/organizations/{name}/projects/p{n}", {})
        assert first.admin.good("GET", f"/v1/organizations/{name}/audit:verify")["intact"] is True
    with sqlite3.connect(tmp_path / "data" / "setpoint.db") as database:
        cut(database, name, lines)
    database.close()
    with on_sqlite(tmp_path) as again:
        seen = again.admin.good("GET", f"/v1/organizations/{name}/audit:verify")
        ran = again.admin.cli("audit", "verify", organization=name)
        assert (seen["intact"], ran.code) == (False, 1), (seen, ran)
        assert "was shipped" in seen["why"]
