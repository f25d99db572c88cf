"""Where a tenant says that an account is: behind us it is refused when it is declared, and at the socket."""

import socket
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from aiohttp import web

from setpoint.engine.entity import Declared, Entity, Ref, Scope, Status
from setpoint.engine.errors import Transient
from setpoint.kinds import ALL
from setpoint.kinds.provider import Provider
from setpoint.providers.accounts import Accounts
from setpoint.providers.endpoint import endpoint_guard, judged, never_reached
from setpoint.providers.lookups import LookUps
from setpoint.providers.outbound import Guard
from setpoint.providers.secrets import FolderSecrets
from setpoint.providers.wire import account_wire
from setpoint.settings import Settings

from .test_hetzner_trouble import answering
from .test_outbound import LOOPBACKS, PRIVATE, PUBLIC, Server

ALONE, MANY = Settings(), Settings(database="postgresql://db/setpoint")
NOWHERE_PRIVATE = endpoint_guard(MANY, LookUps())


def spelt(address: str) -> str:
    return f"[{address}]" if ":" in address else address


@pytest.mark.parametrize("host", [*map(spelt, PRIVATE), *LOOPBACKS, "LOCALHOST", "localhost.", "a.localhost"])
def test_an_address_behind_us_is_known_by_its_text(host: str) -> None:
    why = never_reached(f"http://{host}:8080/v1", NOWHERE_PRIVATE)
    assert "is not a public address; the setting provider_networks names others" in why


@pytest.mark.parametrize(
    "url",
    [
        *(f"https://{spelt(address)}/v1" for address in PUBLIC),
        "https://api.hetzner.cloud/v1",
        "https://rebind.example:8443",
        "https://xn--hxajbheg2az3al.example",
    ],
)
def test_what_is_public_or_a_name_may_be_declared(url: str) -> None:
    assert never_reached(url, NOWHERE_PRIVATE) == ""


@pytest.mark.parametrize("url", ["http://[", "https://", "http://:80/", "http://[nonsense]/"])
def test_what_is_no_address_is_told_so(url: str) -> None:
    assert never_reached(url, NOWHERE_PRIVATE).startswith(("it is no address", "it names no host"))


def test_a_cloud_beside_us_is_reached_where_all_is_on_one_machine() -> None:
    assert never_reached("http://127.0.0.1:7411/v1", endpoint_guard(ALONE, LookUps())) == ""
    assert never_reached("http://[::1]:7411/v1", endpoint_guard(ALONE, LookUps())) == ""
    for elsewhere in ("http://10.0.0.1", "http://169.254.169.254", "http://192.168.0.1", "http://0.0.0.0"):
        assert "provider_networks" in never_reached(elsewhere, endpoint_guard(ALONE, LookUps()))
    named = Settings(database="postgresql://db/setpoint", provider_networks="10.20.0.0/16")
    assert never_reached("http://10.20.0.1", endpoint_guard(named, LookUps())) == ""


def test_only_providers_are_judged_by_it() -> None:
    spec = Provider(family="hetzner_cloud", credential="secret://x", endpoint="http://10.0.0.1/v1")
    changed = [kind for kind, before in zip(judged(ALL, NOWHERE_PRIVATE), ALL, strict=True) if kind != before]
    assert [kind.name for kind in changed] == ["provider"]
    (provider,) = changed
    assert provider.check is not None
    ((field, why),) = provider.check(spec)
    assert (field, why.partition(" ")[0]) == ("endpoint", "10.0.0.1")
    assert provider.check(Provider(family="hetzner_cloud", credential="secret://x")) == ()


@pytest.fixture
async def inside() -> AsyncIterator[Server]:
    """Something that is not for tenants, on loopback, and what it was asked."""
    heard: list[str] = []

    async def respond(request: web.BaseRequest) -> web.Response:
        heard.append(request.headers.get("Authorization", ""))
        return web.Response(status=503)

    async with answering(respond) as url:
        yield int(url.rpartition(":")[2]), heard


async def swept(folder: Path, url: str, guard: Guard) -> str:
    """What a sweep of an account at this address says when it fails."""
    (folder / "hetzner").write_text("t")
    (folder / "hetzner.hosts").write_text(urlsplit(url).netloc)  # So that the socket is what refuses.
    declared = Declared(ref=Ref("provider/1"), kind="provider", scope=Scope("acme"), name="hetzner", spec={})
    spec = Provider(family="hetzner_cloud", credential="secret://hetzner", endpoint=url)
    accounts = Accounts(FolderSecrets(folder), time.monotonic, 5.0, wire=partial(account_wire, guard))
    try:
        account = await accounts.account(Entity(declared, spec, Status(ref=declared.ref)))
        with pytest.raises(Transient) as caught:
            await account.sweep()
    finally:
        await accounts.close()
    assert not caught.value.landed
    return str(caught.value)


@pytest.mark.parametrize("host", LOOPBACKS)
async def test_no_credential_is_sent_to_what_is_behind_us(tmp_path: Path, inside: Server, host: str) -> None:
    port, heard = inside
    await swept(tmp_path, f"http://{host}:{port}/v1", NOWHERE_PRIVATE)
    assert heard == []


async def test_a_network_that_is_named_is_reached(tmp_path: Path, inside: Server) -> None:
    port, heard = inside
    assert "answered 503" in await swept(
        tmp_path, f"http://127.0.0.1:{port}/v1", endpoint_guard(ALONE, LookUps())
    )
    assert heard == ["Bearer t"]


@pytest.mark.parametrize("answers", [["127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"]], ids=["4", "6", "mapped"])
async def test_a_name_that_leads_behind_us_is_refused_at_the_socket(
    tmp_path: Path, inside: Server, monkeypatch: pytest.MonkeyPatch, answers: list[str]
) -> None:
    port, heard = inside
    resolved = named(monkeypatch, {"cloud.example": answers})
    url = f"http://cloud.example:{port}/v1"
    assert never_reached(url, NOWHERE_PRIVATE) == ""
    assert "the setting provider_networks names others" in await swept(tmp_path, url, NOWHERE_PRIVATE)
    assert (heard, resolved) == ([], ["cloud.example"])


def named(monkeypatch: pytest.MonkeyPatch, names: dict[str, list[str]]) -> list[str]:
    """These names lead there; returns which of them were asked for."""
    usual, asked = socket.getaddrinfo, list[str]()

    def answered(host: Any, port: Any, *rest: Any, **more: Any) -> Any:
        if host not in names or more.get("flags"):
            return usual(host, port, *rest, **more)
        asked.append(host)
        return [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (address, port, 0, 0))
            if ":" in address
            else (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in names[host]
        ]

    monkeypatch.setattr(socket, "getaddrinfo", answered)
    return asked
