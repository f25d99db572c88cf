"""Finding a secret in what is kept and told, in whatever spelling it got there."""

import base64
import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, quote_plus

import asyncpg  # type: ignore[import-untyped]

OPEN = ("admin.token", "master.key", "people.key")
"""Files of the data folder that are secrets themselves, closed to others."""


@dataclass(frozen=True)
class Hit:
    """A secret, found where it does not belong."""

    canary: str
    spelling: str
    place: str


def spellings(secret: str) -> Iterator[tuple[str, bytes]]:
    """Every way in which these very characters may be written down."""
    raw = secret.encode()
    yield "plain", raw
    for shift in range(3):
        # Inside something longer: what its neighbours do not decide.
        for name, way in (("base64", base64.b64encode), ("base64url", base64.urlsafe_b64encode)):
            coded = way(b"\x00" * shift + raw)
            cut = (shift * 4 + 2) // 3
            yield f"{name}+{shift}", coded[cut : -4 if coded.endswith(b"=") else None]
    yield "hex", raw.hex().encode()
    yield "HEX", raw.hex().upper().encode()
    yield "url", quote(secret, safe="").encode()
    yield "form", quote_plus(secret).encode()
    yield "json", json.dumps(secret)[1:-1].encode()
    yield "json, unescaped", json.dumps(secret, ensure_ascii=False)[1:-1].encode()
    yield "repr", repr(secret)[1:-1].encode()
    yield "utf-16", secret.encode("utf-16-le")


def found(secrets: Mapping[str, str], places: Iterable[tuple[str, bytes]]) -> list[Hit]:
    """Each of the secrets in each of the places, however spelled."""
    wanted = [
        (canary, name, spelling) for canary, secret in secrets.items() for name, spelling in spellings(secret)
    ]
    assert all(len(spelling) >= 8 for _, _, spelling in wanted), "too short to be told from chance"
    return [
        Hit(canary, name, place)
        for place, content in places
        for canary, name, spelling in wanted
        if spelling in content
    ]


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of a data folder that is not a secret itself: databases, their side files, and the rest."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in OPEN and path.parent.name != "secrets":
            yield str(path.relative_to(folder)), path.read_bytes()


def unpacked(backup: Path) -> tuple[str, bytes]:
    return "backup", gzip.decompress(backup.read_bytes())


async def dump(url: str) -> list[tuple[str, bytes]]:
    """Every row of every table, as it is."""
    session = await asyncpg.connect(url)
    try:
        tables = await session.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        rows = []
        for (table,) in tables:
            found = await session.fetch(f'SELECT * FROM "{table}"')  # noqa: S608 - a table's own name
            rows.append((table, b"\n".join(_bytes(value) for row in found for value in row.values())))
    finally:
        await session.close()
    assert len(rows) > 20
    return rows


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()
