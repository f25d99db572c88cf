"""Somebody who can write the database takes lines out of the audit and mends the head."""

import json
import sqlite3
from pathlib import Path

import pytest

from .kit import Installation, on_sqlite
from .test_names_again import removed


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


@pytest.mark.parametrize("lines", [1, 2, 1000], ids=["one", "two", "all"])
def test_the_chain_of_the_installation_is_looked_at_too(tmp_path: Path, lines: int) -> None:
    """Accounts, sessions and who runs it are written down in no organization."""
    with on_sqlite(tmp_path) as first:
        name = first.organization("audit")
        for n in range(3):
            first.person(f"p{n}@{name}.example")
        seen = first.admin.good("GET", "/v1/audit:verify")
        assert (seen["intact"], seen["lines"] > 3) == (True, True), seen
        only_who_runs_it_verifies(first, name)
    with sqlite3.connect(tmp_path / "data" / "setpoint.db") as database:
        cut(database, "", lines)
    database.close()
    with on_sqlite(tmp_path) as again:
        seen = again.admin.good("GET", "/v1/audit:verify")
        ran = again.admin.cli("audit", "verify", "--installation")
        assert (seen["intact"], ran.code) == (False, 1), (seen, ran)
        assert "was shipped" in seen["why"]
        assert "the audit of the installation is broken" in ran.out
        assert again.admin.good("GET", f"/v1/organizations/{name}/audit:verify")["intact"] is True


def only_who_runs_it_verifies(installation: Installation, name: str) -> None:
    callers = [
        installation.service(name, "owner"),
        installation.service(name, "auditor"),
        installation.member(name, "ann", {"role": "owner"}),
        installation.nobody,
    ]
    assert [each.get("/v1/audit:verify").status for each in callers] == [403, 403, 403, 401]
    assert callers[0].cli("audit", "verify", "--installation").code != 0
    assert installation.admin.cli("audit", "verify", "--installation").code == 0


@pytest.mark.parametrize("lines", [1, 1000], ids=["one", "all"])
def test_the_chain_of_an_organization_that_is_gone_is_shipped_too(tmp_path: Path, lines: int) -> None:
    with on_sqlite(tmp_path) as first:
        name = first.organization("gone")
        removed(first, f"/v1/organizations/{name}")
    with sqlite3.connect(tmp_path / "data" / "setpoint.db") as database:
        cut(database, name, lines)
    database.close()
    with on_sqlite(tmp_path) as again:
        seen = again.admin.good("GET", f"/v1/organizations/{name}/audit:verify")
        ran = again.admin.cli("audit", "verify", organization=name)
        assert (seen["intact"], ran.code) == (False, 1), (seen, ran)
        assert "was shipped" in seen["why"]
