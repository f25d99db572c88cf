"""The ear that stands beside control planes of other processes hears what it is there for."""

import base64
from collections.abc import Callable
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from providers.test_hetzner_trouble import answering
from stranger import Stranger


async def asked(stranger: Stranger, path: str, said: str) -> None:
    """One answer, as a client with this ear reads it."""

    async def respond(request: web.BaseRequest) -> web.Response:
        return web.Response(text=said)

    async with (
        answering(respond) as url,
        aiohttp.ClientSession(trace_configs=[stranger.tracing()]) as session,
        session.get(url + path) as answer,
    ):
        await answer.read()


@pytest.mark.parametrize(
    ("path", "said", "hits"),
    [
        ("/v1/organizations/acme/hosts", "{name}", 1),
        ("/v1/organizations/acme/hosts", "{secret}", 1),
        ("/v1/organizations/acme/hosts", "something", 0),
        ("/v1/organizations/{name}/hosts", "{name}", 0),
        ("/v1/organizations/{name}/hosts", "{secret}", 1),
        ("/v1/organizations", "{name}", 0),
    ],
)
async def test_its_name_is_for_whoever_asks_for_it_and_its_secret_for_nobody(
    tmp_path: Path, path: str, said: str, hits: int
) -> None:
    stranger = Stranger.of(tmp_path)
    words = {"name": stranger.name, "secret": stranger.secret}
    await asked(stranger, path.format(**words), said.format(**words))
    assert len(stranger.hits) == hits


@pytest.mark.parametrize(
    ("file", "leak"),
    [
        ("up.log", lambda s: f"looked at acme and {s.name}"),
        ("up.log", lambda s: f"opened {s.secret}"),
        ("data/setpoint.db", lambda s: f"row {s.secret}"),
        ("data/setpoint.db-wal", lambda s: base64.b64encode(s.secret.encode()).decode()),
    ],
)
async def test_a_leak_into_a_file_is_found(
    tmp_path: Path, file: str, leak: Callable[[Stranger], str]
) -> None:
    stranger, place = Stranger.of(tmp_path), tmp_path / file
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"about {stranger.name} alone")
    async with aiohttp.ClientSession() as session:
        await stranger.overheard(session, [], tmp_path)
        place.write_text(leak(stranger))
        with pytest.raises(AssertionError, match=stranger.name):
            await stranger.overheard(session, [], tmp_path)


async def test_it_is_the_same_after_a_restart(tmp_path: Path) -> None:
    assert Stranger.of(tmp_path) == Stranger.of(tmp_path)
