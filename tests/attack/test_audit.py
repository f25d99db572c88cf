"""Somebody who can write the database takes lines out of the audit and mends the head."""

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]
import pytest

import postgres

from .conftest import STORES
from .kit import AnyJson, Installation, on_postgres, on_sqlite
from .test_names_again import removed


@dataclass(frozen=True)
class Place:
    """Where an installation is started, and started again, with somebody's hand in its database between."""

    folder: Path
    url: str

    def started(self) -> contextlib.AbstractContextManager[Installation]:
        return on_postgres(self.folder, self.url) if self.url else on_sqlite(self.folder)

    def ask(self, sql: str, *values: AnyJson) -> Sequence[Sequence[AnyJson]]:
        """Runs one statement; values are `?`."""
        if not self.url:
            with closing(sqlite3.connect(self.folder / "data" / "setpoint.db")) as database, database:
                return database.execute(sql, values).fetchall()

        async def asked() -> Sequence[Sequence[AnyJson]]:
            connection = await asyncpg.connect(self.url)
            numbered = "".join(
                f"${number}{part}" if number else part for number, part in enumerate(sql.split("?"))
            )
            found: Sequence[Sequence[AnyJson]] = await connection.fetch(numbered, *values)
            await connection.close()
            return found

        return asyncio.run(asked())


@pytest.fixture(params=STORES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return Place(tmp_path, asyncio.run(postgres.database()) if request.param == "postgres" else "")


def cut(place: Place, name: str, lines: int) -> None:
    """The last lines and the head, as if they had never been written."""
    rows = place.ask("SELECT revision, body FROM audit WHERE organization = ? ORDER BY revision", name)
    kept = rows[:-lines]
    last = kept[-1][0] if kept else 0
    place.ask("DELETE FROM audit WHERE organization = ? AND revision > ?", name, last)
    head = json.loads(place.ask("SELECT body FROM head WHERE organization = ?", name)[0][0])
    head["hash"] = json.loads(kept[-1][1])["hash"] if kept else ""
    head["revision"] = max(head["revision"], last)
    place.ask("UPDATE head SET body = ? WHERE organization = ?", json.dumps(head).encode(), name)


@pytest.mark.parametrize("lines", [1, 5, 1000], ids=["one", "five", "all"])
def test_a_chain_that_was_cut_together_with_its_head_is_noticed(place: Place, lines: int) -> None:
    with place.started() as first:
        name = first.organization("audit")
        for n in range(8):
            first.admin.put(f"/v1/organizations/{name}/projects/p{n}", {})
        assert first.admin.good("GET", f"/v1/organizations/{name}/audit:verify")["intact"] is True
    cut(place, name, lines)
    with place.started() as again:
        seen = again.admin.good("GET", f"/v1/organizations/{name}/audit:verify")
        ran = again.admin.cli("audit", "verify", organization=name)
        assert (seen["intact"], ran.code) == (False, 1), (seen, ran)
        assert "was shipped" in seen["why"]


@pytest.mark.parametrize("lines", [1, 2, 1000], ids=["one", "two", "all"])
def test_the_chain_of_the_installation_is_looked_at_too(place: Place, lines: int) -> None:
    """Accounts, sessions and who runs it are written down in no organization."""
    with place.started() as first:
        name = first.organization("audit")
        for n in range(3):
            first.person(f"p{n}@{name}.example")
        seen = first.admin.good("GET", "/v1/audit:verify")
        assert (seen["intact"], seen["lines"] > 3) == (True, True), seen
        only_who_runs_it_verifies(first, name)
    cut(place, "", lines)
    with place.started() as again:
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
def test_the_chain_of_an_organization_that_is_gone_is_shipped_too(place: Place, lines: int) -> None:
    with place.started() as first:
        name = first.organization("gone")
        removed(first, f"/v1/organizations/{name}")
    cut(place, name, lines)
    with place.started() as again:
        seen = again.admin.good("GET", f"/v1/organizations/{name}/audit:verify")
        ran = again.admin.cli("audit", "verify", organization=name)
        assert (seen["intact"], ran.code) == (False, 1), (seen, ran)
        assert "was shipped" in seen["why"]
