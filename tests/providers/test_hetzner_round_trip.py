"""What is applied is what is observed: nothing the vendor does to a value looks like a difference."""

import asyncio
import ipaddress
import itertools
from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from setpoint.capabilities.compute import Order, Server
from setpoint.capabilities.dns import RecordSet
from setpoint.capabilities.firewall import Firewall
from setpoint.engine.errors import Conflict, Missing
from setpoint.engine.plan import ABSENT

from .conftest import Vendor

pytestmark = pytest.mark.asyncio(loop_scope="module")

FEW = settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
numbers = itertools.count()
labels = st.from_regex(r"[a-z0-9_]([a-z0-9_-]{0,10}[a-z0-9_])?", fullmatch=True)
hosts = labels.map(lambda label: f"{label.replace('_', 'x')}.example.net.")
small = st.integers(0, 65535)
ADDRESSES = st.ip_addresses(v=4).map(str)
VALUES: dict[str, st.SearchStrategy[str]] = {
    "A": ADDRESSES,
    "AAAA": st.ip_addresses(v=6).map(lambda address: ipaddress.IPv6Address(address).compressed),
    "CNAME": hosts,
    "NS": hosts,
    "MX": st.tuples(small, hosts).map(lambda mx: f"{mx[0]} {mx[1]}"),
    "TXT": st.from_regex(r"[a-zA-Z0-9 =;:._-]{1,60}", fullmatch=True).map(lambda text: f'"{text}"'),
    "SRV": st.tuples(small, small, small, hosts).map(lambda srv: " ".join(str(part) for part in srv)),
    "CAA": labels.map(lambda name: f'0 issue "{name}.example.net"'),
}


@st.composite
def edits(draw: st.DrawFn) -> tuple[RecordSet, RecordSet]:
    """A record set, and another one in its place."""
    kind, name = draw(st.sampled_from(sorted(VALUES))), draw(labels)
    most = 1 if kind == "CNAME" else 4
    several = st.lists(VALUES[kind], min_size=1, max_size=most, unique=True)
    ttls = st.none() | st.integers(60, 86_400)
    first, second = (
        RecordSet(name=name, type=kind, values=tuple(sorted(draw(several))), ttl=draw(ttls), labels={"n": n})
        for n in ("1", "2")
    )
    return first, second


@given(wanted=st.lists(edits(), min_size=8, max_size=16, unique_by=lambda edit: edit[0].name))
@FEW
async def test_record_sets_come_back_as_they_were_given(
    lasting: Vendor, wanted: list[tuple[RecordSet, RecordSet]]
) -> None:
    dns, zone = lasting.account.dns, f"z{next(numbers)}.example.org"
    await dns.create_zone(zone, {})
    first, second = ([edit[step] for edit in wanted] for step in (0, 1))
    await asyncio.gather(*(dns.create_record(zone, record) for record in first))
    assert await seen(lasting, zone) == ordered(first)
    await asyncio.gather(*(dns.change_record(zone, record) for record in second))
    assert await seen(lasting, zone) == ordered(second)
    for record in second:
        assert await dns.record(zone, record.name, record.type) == record
    await asyncio.gather(*(dns.delete_record(zone, record.name, record.type) for record in second))
    assert await seen(lasting, zone) == []
    gone = first[0]
    assert await dns.record(zone, gone.name, gone.type) is ABSENT
    with pytest.raises(Missing):
        await dns.delete_record(zone, gone.name, gone.type)


def ordered(records: Iterable[RecordSet]) -> list[RecordSet]:
    return sorted(records, key=lambda record: (record.name, record.type))


async def seen(lasting: Vendor, zone: str) -> list[RecordSet]:
    """What stands in a zone besides what the vendor itself put there."""
    found = await lasting.account.dns.records(zone)
    return ordered(record for record in found if record.name != "@")


async def test_a_zone_comes_and_goes(lasting: Vendor) -> None:
    dns = lasting.account.dns
    assert await dns.zone("gone.example.org") is ABSENT
    await dns.create_zone("gone.example.org", {"setpoint/installation": "i"})
    found = await dns.zone("gone.example.org")
    assert not isinstance(found, type(ABSENT))
    assert (found.name, found.labels) == ("gone.example.org", {"setpoint/installation": "i"})
    assert found in await dns.zones()
    with pytest.raises(Conflict):
        await dns.create_zone("gone.example.org", {})
    await dns.delete_zone("gone.example.org")
    assert await dns.zone("gone.example.org") is ABSENT
    with pytest.raises(Missing):
        await dns.delete_zone("gone.example.org")
    with pytest.raises(Missing):
        await dns.records("gone.example.org")


def order(name: str) -> Order:
    labels = {"setpoint/act": "1"}
    return Order(name=name, size="cx22", image="debian-12", location="fsn1", user_data="", labels=labels)


async def test_a_server_lives_as_it_was_ordered(lasting: Vendor) -> None:
    compute = lasting.account.compute
    wanted = order("web-1")
    assert await compute.server("web-1") is ABSENT
    await compute.create(wanted)
    made = await there(lasting, "web-1")
    assert (made.size, made.image, made.location, made.labels) == ("cx22", "debian-12", "fsn1", wanted.labels)
    assert made.id in {server.id for server in await compute.servers(about="web-1")}
    with pytest.raises(Conflict):
        await compute.create(wanted)
    await compute.label(made.id, {"setpoint/act": "2"})
    await compute.power(made.id, False)
    off = await there(lasting, "web-1")
    assert (off.status, off.labels) == ("off", {"setpoint/act": "2"})
    await compute.resize(made.id, "cx32")
    assert ((await there(lasting, "web-1")).size, (await there(lasting, "web-1")).status) == (
        "cx32",
        "running",
    )
    await compute.delete(made.id)
    assert await compute.server("web-1") is ABSENT
    with pytest.raises(Missing):
        await compute.delete(made.id)


async def there(lasting: Vendor, name: str) -> Server:
    """The server by that name, the same in the listing as when it is asked for directly."""
    direct = await lasting.account.compute.server(name)
    assert isinstance(direct, Server)
    listed = [server for server in await lasting.account.compute.servers(name) if server.name == name]
    assert listed == [direct]
    return direct


async def test_a_firewall_stands_before_marked_servers_and_can_be_taken_away(lasting: Vendor) -> None:
    firewalls = lasting.account.firewalls
    assert await firewalls.firewall("shop-prod") is ABSENT
    await firewalls.create_firewall("shop-prod", {"setpoint/installation": "i"}, "setpoint/workspace=1")
    found = await firewalls.firewall("shop-prod")
    assert isinstance(found, Firewall)
    assert found.labels == {"setpoint/installation": "i"}
    with pytest.raises(Conflict):
        await firewalls.create_firewall("shop-prod", {}, "setpoint/workspace=1")
    await firewalls.delete_firewall(found.id)
    assert await firewalls.firewall("shop-prod") is ABSENT
    with pytest.raises(Missing):
        await firewalls.delete_firewall(found.id)


async def test_one_listing_serves_everybody_but_whom_we_wrote_to(lasting: Vendor) -> None:
    compute = lasting.account.compute
    await compute.create(order("listed-1"))
    mine = next(server for server in await compute.servers(about="listed-1") if server.name == "listed-1")
    asked = lasting.sim.requests["GET /servers"]
    for about in ("", "listed-1", "somebody-else"):
        await compute.servers(about=about)
    assert lasting.sim.requests["GET /servers"] == asked
    await compute.label(mine.id, {"a": "b"})
    await compute.servers(about="somebody-else")
    assert lasting.sim.requests["GET /servers"] == asked
    again = next(server for server in await compute.servers(about="listed-1") if server.id == mine.id)
    assert again.labels == {"a": "b"}
    assert lasting.sim.requests["GET /servers"] > asked


async def test_a_sweep_tells_one_account_from_another(lasting: Vendor) -> None:
    await lasting.account.dns.create_zone("landmark.example.org", {})
    found = await lasting.account.dns.zone("landmark.example.org")
    assert not isinstance(found, type(ABSENT))
    swept = await lasting.account.sweep()
    assert f"zone/{found.id}" in swept.landmarks
    numbered = [int(landmark.rpartition("/")[2]) for landmark in swept.landmarks]
    assert numbered == sorted(numbered)
