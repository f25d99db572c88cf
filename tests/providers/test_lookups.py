"""Names that are never answered hold up those who named them, and nobody else."""

import asyncio
import socket
import threading
from collections.abc import Iterator

import pytest

from setpoint import system
from setpoint.capabilities.urgency import BEHALF
from setpoint.providers import lookups
from setpoint.providers.lookups import EACH, AddressInfo, LookUps
from setpoint.providers.outbound import EVERYWHERE, Guard
from setpoint.providers.prober import Prober
from setpoint.providers.wire import SocketWire

FEW, ENOUGH = 0.5, 60.0


class Silent:
    """Answers for `good` with loopback, for nothing else; until it is told to give up."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.asked: list[str] = []

    def __call__(self, host: str, port: int, family: int) -> list[AddressInfo]:
        self.asked.append(host)
        if not host.startswith("good"):
            self.over.wait(ENOUGH)
            raise socket.gaierror("gave up")
        return socket.getaddrinfo("127.0.0.1", port, 0, socket.SOCK_STREAM)


@pytest.fixture
def silent() -> Iterator[Silent]:
    found = Silent()
    yield found
    found.over.set()


async def looked_up(names: LookUps, organization: str, host: str) -> list[AddressInfo]:
    BEHALF.set(organization)  # In a task of its own, as a pass is.
    return await names.addresses(host, 80)


async def test_names_without_an_answer_hold_up_their_own_organization_only(silent: Silent) -> None:
    names = LookUps(silent)
    hostile = [asyncio.create_task(looked_up(names, "evil", f"never{n}.example")) for n in range(40)]
    while len(silent.asked) < EACH:  # noqa: ASYNC110 - threads begin when they begin
        await asyncio.sleep(0.001)
    for number in range(20):
        [info, *_] = await asyncio.create_task(looked_up(names, "good", f"good{number}.example"))
        assert info[4] == ("127.0.0.1", 80)
    assert len([host for host in silent.asked if host.startswith("never")]) == EACH
    own = asyncio.create_task(looked_up(names, "evil", "192.0.2.1"))
    assert (await own)[0][4] == ("192.0.2.1", 80)  # An address is looked up by nobody.
    for each in hostile:
        each.cancel()
    await asyncio.gather(*hostile, return_exceptions=True)


async def test_who_gave_up_keeps_its_place_until_its_thread_has_ended(silent: Silent) -> None:
    names = LookUps(silent)
    hostile = [asyncio.create_task(looked_up(names, "evil", f"never{n}")) for n in range(EACH)]
    while len(silent.asked) < EACH:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.001)
    for each in hostile:
        each.cancel()
    await asyncio.gather(*hostile, return_exceptions=True)
    later = asyncio.create_task(looked_up(names, "evil", "good"))
    await asyncio.sleep(0)
    assert silent.asked == [f"never{n}" for n in range(EACH)]
    silent.over.set()
    assert await later
    assert silent.asked[-1] == "good"


async def test_a_name_without_an_answer_is_an_error_in_time(
    silent: Silent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookups, "SECONDS", 0.05)
    with pytest.raises(OSError, match=r"no answer in 0\.05 s"):
        await LookUps(silent).addresses("never.example", 80)
    silent.over.set()
    with pytest.raises(socket.gaierror):
        await LookUps(silent).addresses("never.example", 80)


@pytest.mark.parametrize("scheme", ["http", "tcp"])
async def test_probes_of_others_are_answered_meanwhile(silent: Silent, scheme: str) -> None:
    """Over real sockets, by both ways out."""

    async def hello(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(hello, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    guard = Guard(EVERYWHERE, names=LookUps(silent))
    prober = Prober(system.monotonic, SocketWire(guard), guard)

    async def probe(organization: str, host: str, seconds: float) -> bool:
        BEHALF.set(organization)
        if scheme == "http":
            return (await prober.http(f"http://{host}:{port}/", seconds)).up
        return (await prober.tcp(host, port, seconds)).up

    hostile = [asyncio.create_task(probe("evil", f"never{n}.example", FEW)) for n in range(40)]
    healthy = [asyncio.create_task(probe("good", f"good{n}.example", ENOUGH)) for n in range(3)]
    assert await asyncio.gather(*healthy) == [True] * 3
    assert await asyncio.gather(*hostile) == [False] * 40
    silent.over.set()
    await prober.close()
    server.close()
    await server.wait_closed()


async def test_what_is_longer_than_a_name_is_asked_of_nobody(
    silent: Silent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookups, "_written", lambda *_: pytest.fail("on the loop, this takes minutes"))
    with pytest.raises(OSError, match="is no name of a host"):
        await LookUps(silent).addresses("\u4e00" * 254, 80)
    assert silent.asked == []
