"""Probes that never fail, webhooks that can be believed, secrets that stay where they are."""

import asyncio
import base64
import hashlib
import hmac
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from processes import free_port
from setpoint.capabilities.probe import Probed
from setpoint.capabilities.webhook import Message
from setpoint.capabilities.world import Destination
from setpoint.engine.entity import Declared, Entity, Ref, Scope, Status
from setpoint.engine.errors import Missing, Rejected, Transient
from setpoint.kinds.provider import Provider
from setpoint.providers.accounts import Accounts
from setpoint.providers.prober import Prober
from setpoint.providers.secrets import FolderSecrets
from setpoint.providers.webhooks import Webhooks

from .test_hetzner_trouble import answering

NOW = 1_800_000_000.0
SECRET = "shared-by-sender-and-receiver"  # noqa: S105 - opens nothing

ASKER = Ref("provider/1")

HERE = Destination(url="http://127.0.0.1:9/v1")


@pytest.fixture
async def prober() -> AsyncIterator[Prober]:
    prober = Prober(time.monotonic)
    yield prober
    await prober.close()


@pytest.mark.parametrize("status", [200, 204, 301, 404, 500])
async def test_a_probe_finds_what_is_answered_and_follows_nothing(prober: Prober, status: int) -> None:
    asked = []

    async def respond(request: web.BaseRequest) -> web.Response:
        asked.append(request.path)
        return web.Response(status=status, headers={"Location": "/elsewhere"})

    async with answering(respond) as url:
        found = await prober.http(f"{url}/health", 5)
    assert (found.up, found.http_status, asked) == (True, status, ["/health"])
    assert 0 <= found.milliseconds < 5000


async def test_a_probe_of_what_does_not_answer_in_time_is_down(prober: Prober) -> None:
    enough = asyncio.Event()

    async def respond(_: web.BaseRequest) -> web.Response:
        await enough.wait()
        return web.Response()

    async with answering(respond) as url:
        assert (await prober.http(url, 0.05)).error == "no answer in time"
        enough.set()


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{free}/",
        "http://no-such-name.invalid/",
        "nonsense",
        "http://",
        "http://[",
        "ftp://x/",
    ],
)
async def test_a_probe_of_nothing_is_a_finding(prober: Prober, url: str) -> None:
    found = await prober.http(url.format(free=free_port()), 2)
    assert not found.up
    assert found.error
    assert found.http_status == 0


async def test_a_tcp_probe_finds_whether_somebody_listens(prober: Prober) -> None:
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        assert (await prober.tcp("127.0.0.1", port, 2)).up


@pytest.mark.parametrize(
    ("host", "port"),
    [
        ("127.0.0.1", 0),
        ("127.0.0.1", 70_000),
        ("no-such-name.invalid", 80),
        ("a" * 300, 80),
        ("x..y", 80),
        ("", 9),
    ],
)
async def test_a_tcp_probe_of_nothing_is_a_finding(prober: Prober, host: str, port: int) -> None:
    found: Probed = await prober.tcp(host, port, 2)
    assert not found.up
    assert found.error


@pytest.fixture
async def webhooks() -> AsyncIterator[Webhooks]:
    webhooks = Webhooks(lambda: NOW)
    yield webhooks
    await webhooks.close()


async def test_a_delivery_can_be_verified_by_whoever_has_the_secret(webhooks: Webhooks) -> None:
    got: list[tuple[Any, bytes]] = []

    async def respond(request: web.BaseRequest) -> web.Response:
        got.append((request.headers.copy(), await request.read()))
        return web.Response(status=204)

    async with answering(respond) as url:
        message = Message(id="msg-1", url=f"{url}/hook", body=b'{"alert": "x"}', secret=SECRET)
        await webhooks.send(message)
        await webhooks.send(message)
    ((headers, body), again) = got
    assert (headers["webhook-id"], headers["webhook-timestamp"]) == ("msg-1", str(int(NOW)))
    assert again[0]["webhook-id"] == "msg-1"
    for secret, good in ((SECRET.encode(), True), (b"other", False)):
        signed = b".".join([headers["webhook-id"].encode(), headers["webhook-timestamp"].encode(), body])
        expected = base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
        assert (headers["webhook-signature"] == f"v1,{expected}") == good
    assert SECRET not in str(got)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        *((status, None) for status in (200, 201, 202, 204)),
        *((status, Rejected) for status in (301, 302, 307, 400, 401, 404, 410, 422)),
        *((status, Transient) for status in (408, 409, 425, 429, 500, 502, 503)),
    ],
)
async def test_what_a_receiver_answers_decides_whether_to_try_again(
    webhooks: Webhooks, status: int, expected: type[Exception] | None
) -> None:
    async def respond(request: web.BaseRequest) -> web.Response:
        assert request.path == "/hook"
        return web.Response(status=status, headers={"Location": "/elsewhere"})

    async with answering(respond) as url:
        sending = webhooks.send(Message(id="1", url=f"{url}/hook", body=b"{}", secret=SECRET))
        if expected is None:
            await sending
            return
        with pytest.raises(expected, match=str(status)):
            await sending


async def test_a_receiver_that_is_not_there_is_tried_again(webhooks: Webhooks) -> None:
    with pytest.raises(Transient):
        await webhooks.send(
            Message(id="1", url=f"http://127.0.0.1:{free_port()}/", body=b"{}", secret=SECRET)
        )


@pytest.mark.parametrize(
    "name",
    [
        "hetzner",
        "secret://nothing",
        "secret://../admin.token",
        "secret://a/b",
        "secret://",
        "secret://..",
        "file://x",
    ],
)
async def test_only_a_secrets_own_name_opens_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "secrets" / "a").mkdir(parents=True)
    (tmp_path / "admin.token").write_text("admin")
    (tmp_path / "secrets" / "a" / "b").write_text("below")
    (tmp_path / "secrets" / "hetzner").write_text(" token\n")
    secrets = FolderSecrets(tmp_path / "secrets")
    assert (await secrets.open("acme", "secret://hetzner", ASKER, HERE)).value == "token"
    with pytest.raises(Missing):
        await secrets.open("acme", name, ASKER, HERE)


async def test_a_file_of_one_organization_opens_for_that_one_alone(tmp_path: Path) -> None:
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "hetzner").write_text("for acme")
    secrets = FolderSecrets(tmp_path)
    assert (await secrets.open("acme", "secret://hetzner", ASKER, HERE)).value == "for acme"
    for other, name in (("other", "hetzner"), ("other", "acme/hetzner"), ("other", "../acme/hetzner")):
        with pytest.raises(Missing):
            await secrets.open(other, f"secret://{name}", ASKER, HERE)
    (tmp_path / "hetzner").write_text("for everybody")
    assert (await secrets.open("other", "secret://hetzner", ASKER, HERE)).value == "for everybody"
    assert (await secrets.open("acme", "secret://hetzner", ASKER, HERE)).value == "for acme"
    for organization in ("../acme", "a/b", "..", "."):
        with pytest.raises(Missing):
            await secrets.open(organization, "secret://hetzner", ASKER, HERE)


async def test_a_secret_that_is_no_text_is_missing(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(Missing):
        await FolderSecrets(tmp_path).open("acme", "secret://binary", ASKER, HERE)


async def test_an_account_is_shared_until_its_credential_changes(tmp_path: Path) -> None:
    (tmp_path / "hetzner").write_text("first")
    accounts = Accounts(FolderSecrets(tmp_path), time.monotonic, 5.0)
    spec = Provider(family="hetzner_cloud", credential="secret://hetzner")
    declared = Declared(ref=Ref("provider/1"), kind="provider", scope=Scope("acme"), name="hetzner", spec={})
    provider = Entity(declared, spec, Status(ref=declared.ref))
    first = await accounts.account(provider)
    assert await accounts.account(provider) is first
    assert await accounts.newest(provider) is first
    await accounts.proven(provider)
    (tmp_path / "hetzner").write_text("second")
    assert await accounts.account(provider) is not first
    await accounts.close()
