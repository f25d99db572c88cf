"""A vendor that answers badly: listings are whole or refused, and every answer is one of the five errors."""

import asyncio
import http
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from msgspec.structs import replace

from harness import TOKEN
from processes import free_port
from setpoint.capabilities.dns import RecordSet
from setpoint.engine.errors import Conflict, Denied, Missing, Rejected, Transient
from setpoint.engine.plan import ABSENT
from setpoint.providers.hetzner.actions import Actions
from setpoint.providers.hetzner.zones import HetznerZones
from setpoint.providers.transport import Transport, refusal
from setpoint.sim.hetzner import Fault

from .conftest import Vendor

ZONE = "example.org"
NUMBER = 120
NOT_NOW = (408, 409, 412, 423, 425, 429)
WWW = RecordSet(name="www", type="A", values=("192.0.2.1",), ttl=300)


@pytest.fixture
async def full(vendor: Vendor) -> Vendor:
    """A zone with so many records that listing them takes three pages."""
    await vendor.account.dns.create_zone(ZONE, {})
    made = (RecordSet(name=f"r{n}", type="A", values=("192.0.2.1",)) for n in range(NUMBER))
    for some in iter(lambda: list(itertools.islice(made, 20)), []):
        await asyncio.gather(*(vendor.account.dns.create_record(ZONE, record) for record in some))
    return vendor


async def test_a_listing_is_whole_or_refused_under_every_fault_of_a_page(full: Vendor) -> None:
    dns = full.account.dns
    whole = await dns.records(ZONE)
    assert len(whole) >= NUMBER
    refused = set()
    for kind, page in itertools.product(("missing_page", "early_end", "repeated_page"), (1, 2, 3, 4)):
        full.sim.faults.add(Fault(kind=kind, method="GET", path="/zones/*/rrsets", page=page))
        found = await outcome(dns.records(ZONE))
        if isinstance(found, Transient):
            assert "listing of rrsets incomplete" in str(found)
            refused.add((kind, page))
        else:
            assert found == whole
        full.sim.faults.clear()
    assert refused == {
        *(("missing_page", page) for page in (1, 2, 3)),
        *(("early_end", page) for page in (1, 2)),
        *(("repeated_page", page) for page in (1, 2)),
    }
    assert await dns.records(ZONE) == whole


async def outcome(work: Awaitable[Any]) -> Any:
    """What comes of it: a value, or the error that says to try again."""
    try:
        return await work
    except Transient as error:
        return error


async def test_a_listing_broken_off_in_the_middle_is_none(full: Vendor) -> None:
    for status in (500, 503, 429):
        full.sim.faults.add(Fault(kind="error", method="GET", path="/zones/*/rrsets", status=status, times=1))
        with pytest.raises(Transient):
            await full.account.dns.records(ZONE)


@pytest.mark.parametrize("status", sorted(code.value for code in http.HTTPStatus if code >= 400))
def test_every_status_stands_for_one_of_the_five(status: int) -> None:
    found = {
        writes: refusal(status, "some_code", "text", writes=writes, headers={"Retry-After": "7"})
        for writes in (True, False)
    }
    match status:
        case 401 | 403:
            expected: type[Exception] = Denied
        case 404:
            expected = Missing
        case _ if status in NOT_NOW or status >= 500:
            expected = Transient
        case _:
            expected = Rejected
    assert {type(error) for error in found.values()} == {expected}
    if isinstance(found[True], Transient):
        assert found[True].landed == (status >= 500)
        assert isinstance(found[False], Transient)
        assert not found[False].landed
        assert found[False].retry_after == (7.0 if status in NOT_NOW else None)


def test_a_name_that_is_taken_is_a_conflict() -> None:
    assert isinstance(refusal(409, "uniqueness_error", "text", writes=True, headers={}), Conflict)


@pytest.mark.parametrize(
    ("status", "expected"),
    [(403, Denied), (409, Transient), (412, Transient), (423, Transient), (429, Transient), (503, Transient)],
)
async def test_a_refusal_of_the_real_thing_is_told_in_its_words(
    vendor: Vendor, status: int, expected: type[Exception]
) -> None:
    vendor.sim.faults.add(Fault(kind="error", status=status))
    with pytest.raises(
        expected, match=f"hetzner answered {status} to POST /zones: a fault was asked for here"
    ):
        await vendor.account.dns.create_zone(ZONE, {})


async def test_a_token_that_was_revoked_is_denied(vendor: Vendor) -> None:
    vendor.sim.faults.revoke(TOKEN)
    with pytest.raises(Denied) as told:
        await vendor.account.sweep()
    assert TOKEN not in str(told.value)


async def test_a_write_whose_answer_is_lost_may_have_landed(vendor: Vendor) -> None:
    dns = vendor.account.dns
    await dns.create_zone(ZONE, {})
    for kind, really in (("timeout_after", True), ("timeout_before", False)):
        vendor.sim.faults.add(Fault(kind=kind, method="POST", path="/zones/*/rrsets", seconds=0.05, times=1))
        record = RecordSet(name=kind.replace("_", "-"), type="A", values=("192.0.2.1",))
        with pytest.raises(Transient) as told:
            await dns.create_record(ZONE, record)
        assert told.value.landed
        assert (await dns.record(ZONE, record.name, "A") is not ABSENT) == really


async def test_a_read_whose_answer_is_lost_has_not_landed(vendor: Vendor) -> None:
    vendor.sim.faults.add(Fault(kind="timeout_before", method="GET", seconds=0.05))
    with pytest.raises(Transient) as told:
        await vendor.account.dns.zones()
    assert not told.value.landed


async def test_nobody_there_means_that_nothing_landed() -> None:
    for base in (f"http://127.0.0.1:{free_port()}", "http://no-such-name.invalid"):
        transport = Transport("hetzner", base, TOKEN)
        with pytest.raises(Transient, match="hetzner cannot be reached") as told:
            await transport.call("POST", "/zones", {})
        assert not told.value.landed
        await transport.close()


async def test_an_answer_in_the_wrong_protocol_means_that_nothing_landed(vendor: Vendor) -> None:
    transport = Transport("hetzner", vendor.url.replace("http:", "https:"), TOKEN)
    with pytest.raises(Transient, match="cannot be reached") as told:
        await transport.call("POST", "/zones", {})
    assert not told.value.landed
    await transport.close()


async def test_an_action_that_ends_badly_is_told_with_its_code(vendor: Vendor) -> None:
    await vendor.account.dns.create_zone(ZONE, {})
    vendor.sim.faults.add(Fault(kind="failing_action", method="POST"))
    with pytest.raises(Rejected, match="ended in "):
        await vendor.account.dns.create_record(ZONE, WWW)


async def test_an_action_whose_end_is_not_heard_may_have_landed(vendor: Vendor) -> None:
    await vendor.account.dns.create_zone(ZONE, {})
    vendor.sim.faults.add(Fault(kind="error", method="GET", path="/actions/*", status=503, times=1))
    with pytest.raises(Transient) as told:
        await vendor.account.dns.create_record(ZONE, WWW)
    assert told.value.landed


@asynccontextmanager
async def answering(respond: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[str]:
    """A server that answers everything in one way."""
    server = web.Server(respond)
    runner = web.ServerRunner(server)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@pytest.mark.parametrize(
    "paging",
    [
        {"page": 2, "next_page": None, "total_entries": 1},
        {"page": 1, "next_page": 3, "total_entries": 1},
        {"page": 1, "next_page": None, "total_entries": 2},
        {"page": 1, "next_page": None, "total_entries": 0},
    ],
)
async def test_pages_that_do_not_add_up_are_refused(paging: dict[str, Any]) -> None:
    zone = {"id": 1, "name": ZONE, "labels": {}}

    async def respond(_: web.BaseRequest) -> web.Response:
        return web.json_response({"zones": [zone], "meta": {"pagination": paging}})

    async with answering(respond) as url:
        transport = Transport("hetzner", url, TOKEN)
        with pytest.raises(Transient, match="listing of zones incomplete"):
            await HetznerZones(transport).zones()
        await transport.close()


@pytest.mark.parametrize("raw", [b"<html>", b"\xff\xfe", b'{"zone"', b'"\xff"'])
async def test_an_answer_that_is_no_json_says_nothing_about_what_was_done(raw: bytes) -> None:
    async def respond(_: web.Request) -> web.Response:
        return web.Response(body=raw, content_type="application/json")

    async with answering(respond) as url:
        transport = Transport("hetzner", url, TOKEN)
        for method, landed in (("GET", False), ("POST", True), ("DELETE", True)):
            with pytest.raises(Transient) as told:
                await transport.call(method, "/zones")
            assert told.value.landed == landed
        await transport.close()


@pytest.mark.parametrize("raw", [b"", b"bad gateway", b"[]", b'{"error": 7}', b"\xff" * 9999])
async def test_a_refusal_that_is_no_document_is_told_in_short(raw: bytes) -> None:
    async def respond(_: web.Request) -> web.Response:
        return web.Response(status=502, body=raw)

    async with answering(respond) as url:
        transport = Transport("hetzner", url, TOKEN)
        with pytest.raises(Transient) as told:
            await transport.call("POST", "/zones", {})
        assert told.value.landed
        assert len(str(told.value)) < 400
        await transport.close()


async def test_the_wait_that_a_vendor_asks_for_is_handed_on(vendor: Vendor) -> None:
    async def respond(_: web.Request) -> web.Response:
        return web.Response(status=429, headers={"Retry-After": "13"})

    async with answering(respond) as url:
        transport = Transport("hetzner", url, TOKEN)
        with pytest.raises(Transient) as told:
            await transport.call("GET", "/zones")
        assert told.value.retry_after == 13.0
        await transport.close()


@pytest.mark.parametrize("body", [{}, {"zone": 5}, {"zone": {"id": 1}}, {"zone": None}, [], 7, "zone", None])
async def test_an_answer_of_another_shape_is_one_of_the_five_errors(body: Any) -> None:
    async def respond(_: web.Request) -> web.StreamResponse:
        return web.json_response(body)

    async with answering(respond) as url:
        transport = Transport("vendor", url, TOKEN)
        with pytest.raises(Transient, match="unexpected shape"):
            await HetznerZones(transport).zone(ZONE)
        await transport.close()


async def test_what_many_wait_for_is_asked_in_one_call(vendor: Vendor) -> None:
    await vendor.account.dns.create_zone(ZONE, {})
    before = sum(vendor.sim.requests.values())
    records = [replace(WWW, name=f"r{number}") for number in range(8)]
    await asyncio.gather(*(vendor.account.dns.create_record(ZONE, record) for record in records))
    assert sum(vendor.sim.requests.values()) - before <= len(records) + 3


async def test_an_action_the_vendor_does_not_know_is_missing_and_the_others_go_on(vendor: Vendor) -> None:
    actions = Actions(vendor.transport)
    running = {"status": "running", "command": "create_rrset", "error": None}
    answer = await vendor.transport.call("POST", "/zones", {"name": ZONE, "mode": "primary"})
    lost, found = await asyncio.gather(
        actions.finished({**running, "id": 999_999}),
        actions.finished({**running, "id": answer["action"]["id"]}),
        return_exceptions=True,
    )
    assert (type(lost), found) == (Missing, None)
