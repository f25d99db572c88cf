"""Where tenants send us: what is public is reached, what is behind us is not, however it is spelt."""

import socket
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from setpoint.capabilities.webhook import Message
from setpoint.engine.errors import Transient
from setpoint.providers.outbound import PORTS, Forbidden, Guard, networks
from setpoint.providers.prober import Prober
from setpoint.providers.webhooks import Webhooks
from setpoint.providers.wire import SocketWire

from .test_hetzner_trouble import answering

SECRET = "x"  # noqa: S105 - opens nothing
Server = tuple[int, list[str]]
ADDRESSES = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.254 127.0.0.1 127.255.255.254 169.254.0.1
169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.8 192.0.2.1 192.88.99.1 192.168.0.1
192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
255.255.255.255 :: ::1 ::127.0.0.1 ::10.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1
::ffff:169.254.169.254 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 2001::1
2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:db8::1 2002:7f00:1:: 2002:808:808::1
3fff::1 4000::1 5f00::1 fc00::1 fd00::1 fd12:3456:789a::1 fe80::1 fe80::1%eth0 fec0::1 ff00::1 ff02::1
ff0e::1 fdff:ffff::1 1fff::1
"""
PRIVATE = ADDRESSES.split()
PUBLIC = ["8.8.8.8", "1.1.1.1", "93.184.215.14", "172.32.0.1", "100.128.0.1", "2606:4700::1111"]
LOOPBACKS = [
    "127.0.0.1",
    "127.1",
    "0x7f.0.0.1",
    "0x7f000001",
    "2130706433",
    "0177.0.0.1",
    "localhost",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[0:0:0:0:0:ffff:7f00:1]",
    "0",
]


def test_there_are_sixty_addresses_behind_us() -> None:
    assert len(PRIVATE) >= 60


@pytest.mark.parametrize("address", PRIVATE)
def test_what_is_not_public_is_not_reached(address: str) -> None:
    with pytest.raises(Forbidden, match="not a public address"):
        Guard().check(address, 443)
    with pytest.raises(Forbidden):
        Guard().socket((socket.AF_INET6, socket.SOCK_STREAM, 0, "", (address, 443, 0, 0)))


@pytest.mark.parametrize("address", [*PUBLIC, *(f"::ffff:{each}" for each in PUBLIC if "." in each)])
def test_what_is_public_is_reached_at_its_usual_ports(address: str) -> None:
    Guard(ports=PORTS).check(address, 443)
    Guard().check(address, 25)
    with pytest.raises(Forbidden, match="port 25 is not one of 80, 443"):
        Guard(ports=PORTS).check(address, 25)


def test_a_network_that_is_named_is_reached_at_any_port_and_its_neighbours_are_not() -> None:
    guard = Guard(networks(["10.20.0.0/16", "fd00::/8"]), PORTS)
    guard.check("10.20.3.4", 8080)
    guard.check("::ffff:10.20.3.4", 8080)
    guard.check("fd12::1", 22)
    with pytest.raises(Forbidden):
        guard.check("10.21.0.1", 443)


@pytest.fixture
async def server() -> AsyncIterator[tuple[int, list[str]]]:
    """One that notes every request, on loopback."""
    heard: list[str] = []

    async def respond(request: web.BaseRequest) -> web.Response:
        heard.append(request.path)
        return web.Response(status=302, headers={"Location": "http://169.254.169.254/latest/meta-data"})

    async with answering(respond) as url:
        yield int(url.rpartition(":")[2]), heard


@pytest.mark.parametrize("host", LOOPBACKS)
async def test_loopback_is_not_reached_however_it_is_spelt(server: Server, host: str) -> None:
    port, heard = server
    webhooks = Webhooks(time.time, SocketWire(Guard(ports=PORTS)))
    prober = Prober(time.monotonic, SocketWire(Guard()), Guard())
    try:
        with pytest.raises(Transient):
            await webhooks.send(Message(id="1", url=f"http://{host}:{port}/x", body=b"{}", secret=SECRET))
        assert not (await prober.http(f"http://{host}:{port}/", 2)).up
        assert not (await prober.tcp(host.strip("[]"), port, 2)).up
    finally:
        await webhooks.close()
        await prober.close()
    assert heard == []


async def test_a_named_network_is_reached_and_no_redirect_is_followed(server: Server) -> None:
    port, heard = server
    guard = Guard(networks(["127.0.0.0/8"]))
    prober = Prober(time.monotonic, SocketWire(guard), guard)
    found = await prober.http(f"http://127.0.0.1:{port}/health", 5)
    assert (found.up, found.http_status, heard) == (True, 302, ["/health"])
    assert (await prober.tcp("127.0.0.1", port, 5)).up
    await prober.close()


async def test_a_name_that_changes_its_mind_is_judged_each_time(
    server: tuple[int, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Public when it is looked up first, ours when it is connected to: only what is connected to counts."""
    port, heard = server
    looked_up = socket.getaddrinfo
    answers = iter(["93.184.215.14", "127.0.0.1", "127.0.0.1", "127.0.0.1"])

    def rebinding(host: Any, *rest: Any, **more: Any) -> Any:
        changes = host == "rebind.example" and not more.get("flags")
        return looked_up(next(answers) if changes else host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    assert rebinding("rebind.example", port)[0][4][0] == "93.184.215.14"
    prober = Prober(time.monotonic, SocketWire(Guard()), Guard())
    assert not (await prober.tcp("rebind.example", port, 2)).up
    assert not (await prober.http(f"http://rebind.example:{port}/", 2)).up
    await prober.close()
    assert heard == []
