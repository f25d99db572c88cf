"""A foreign organization in a control plane of other processes, and what must be nowhere at its end.

Its name must be in no answer about others, its secret in no file, table, log, answer or metric at all.
"""

import asyncio
import contextlib
import json
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from api.canaries import dump, files, found
from foreign import belongings, name_of_nobody

OTHERS = "/v1/organizations/"
KEPT = "stranger.json"
TRIES = 100
"""A worker makes the key that a secret is sealed with; until then nothing is sealed."""


@dataclass(frozen=True)
class Stranger:
    name: str
    secret: str
    hits: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, folder: Path) -> "Stranger":
        """The one of this folder: the same after each restart."""
        place = folder / KEPT
        if not place.exists():
            said = {"name": name_of_nobody(), "secret": f"canary-{secrets.token_hex(20)}"}
            place.write_text(json.dumps(said))
        return cls(**json.loads(place.read_text()))

    async def settle(self, session: aiohttp.ClientSession, url: str, *, seals: bool = True) -> None:
        """Declares all that it has, unless it is there already. `seals`: whether a worker makes keys here."""
        home = f"{url}{OTHERS}{self.name}"
        async with session.get(f"{home}/secrets/{self.name}") as answer:
            if answer.status == 200:
                return
        items = {"items": belongings(self.name), "owner": self.name}
        async with session.post(f"{home}/declarations", json=items) as answer:
            assert answer.ok, await answer.text()
        said = ""
        for _ in range(TRIES if seals else 0):
            async with session.put(f"{home}/secrets/{self.name}", json={"value": self.secret}) as answer:
                said = await answer.text()
                if answer.ok:
                    return
            await asyncio.sleep(0.1)
        assert not seals, f"nothing can be sealed here: {said}"

    def tracing(self) -> aiohttp.TraceConfig:
        """An ear for a client: every answer that it reads is searched."""

        async def heard(_: Any, __: Any, said: aiohttp.TraceResponseChunkReceivedParams) -> None:
            self._listen(f"{said.method} {said.url}", said.url.path_qs, said.chunk)

        async def ended(_: Any, __: Any, said: aiohttp.TraceRequestEndParams) -> None:
            self._listen(f"{said.method} {said.url}", said.url.path_qs, repr(said.response.headers).encode())

        config = aiohttp.TraceConfig()
        config.on_response_chunk_received.append(heard)
        config.on_request_end.append(ended)
        return config

    def _listen(self, asked: str, path: str, said: bytes) -> None:
        if self.secret.encode() in said:
            self.hits.append(f"{asked}: its secret")
        if self.name.encode() in said and self.name not in path and path.startswith(OTHERS):
            self.hits.append(f"{asked}: {said!r:.300}")

    async def overheard(
        self, session: aiohttp.ClientSession, urls: Iterable[str], folder: Path, database: str = ""
    ) -> None:
        """Nothing of it was told to anybody else; searched for while everything is still there."""
        for url in urls:
            # Whoever was killed tells nothing any more.
            with contextlib.suppress(OSError, TimeoutError, aiohttp.ClientError):
                async with session.get(f"{url}/metrics", timeout=aiohttp.ClientTimeout(total=5)) as answer:
                    told = await answer.text()
                    self.hits.extend([f"{url}/metrics"] if self.name in told else [])
        places = [*files(folder), *(await dump(database) if database else ())]
        kept = found({"secret": self.secret}, [each for each in places if each[0] != KEPT])
        lines = [line for name, said in places if name.endswith(".log") for line in said.splitlines()]
        # Ids are random letters: one of them may hold the word.
        mixed = [line for line in lines if self.name.encode() in line and re.search(rb"\bacme\b", line)]
        assert [*self.hits, *kept, *mixed] == [], f"of {self.name}"
