"""What a request is called, from its headers to its answer, its refusal, the log and the evidence."""

import re
from typing import Any

import pytest

from harness import ORGANIZATION
from setpoint.log import heard

from .kit import Api, channel

pytestmark = pytest.mark.asyncio(loop_scope="module")

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"
CHANNELS = f"{ORGANIZATION}/notification_channels"


async def test_a_request_keeps_the_name_that_it_came_with(shared: Api) -> None:
    for path in ("/livez", "/v1/kinds", "/v1/nothing", f"{CHANNELS}/none", "/openapi.json"):
        assert (await shared.get(path, headers={"X-Request-Id": "abc-1.2"})).headers[
            "X-Request-Id"
        ] == "abc-1.2"


@pytest.mark.parametrize("odd", ["", "a b", "-a", "x" * 129, "a\tb", "<script>", "ä"], ids=repr)
async def test_a_request_with_an_odd_name_or_none_gets_one(shared: Api, odd: str) -> None:
    named = {
        (await shared.get("/livez", headers={"X-Request-Id": odd})).headers["X-Request-Id"] for _ in "12"
    }
    assert len(named) == 2
    assert all(re.fullmatch(r"[a-z0-9]{20}", name) for name in named)


async def test_a_refusal_and_its_line_in_the_log_have_the_trace_of_the_caller(shared: Api) -> None:
    with heard() as lines:
        refused = await shared.get(f"{CHANNELS}/none", headers={"traceparent": PARENT, "X-Request-Id": "r1"})
    assert refused.body["trace_id"] == TRACE
    assert refused.body["instance"] == f"{CHANNELS}/none"
    (line,) = lines
    assert (line["event"], line["method"], line["status"]) == ("request", "GET", 404)
    assert (line["trace_id"], line["request_id"], line["who"]) == (TRACE, "r1", "administrator")


@pytest.mark.parametrize(
    "parent",
    [
        "",
        TRACE,
        f"00-{'0' * 32}-00f067aa0ba902b7-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"ff-{TRACE}-00f067aa0ba902b7-01",
        PARENT.upper(),
    ],
)
async def test_a_trace_that_is_none_is_replaced(shared: Api, parent: str) -> None:
    first, second = [
        (await shared.get("/v1/nothing", headers={"traceparent": parent})).body["trace_id"] for _ in "12"
    ]
    assert TRACE not in (first, second)
    assert first != second


async def test_a_later_version_of_the_header_is_understood(shared: Api) -> None:
    later = {"traceparent": f"cc-{TRACE}-00f067aa0ba902b7-01-what-the-future-brings"}
    assert (await shared.get("/v1/nothing", headers=later)).body["trace_id"] == TRACE


async def test_what_a_request_changed_has_its_trace_in_the_audit(shared: Api) -> None:
    await shared.good("PUT", f"{CHANNELS}/traced", channel("traced"), headers={"traceparent": PARENT})
    lines = await every(shared, f"{ORGANIZATION}/audit")
    (found,) = [line for line in lines if line["detail"].get("name") == "traced"]
    assert found["detail"]["trace"] == TRACE
    assert (await shared.good("GET", f"{ORGANIZATION}/audit:verify"))["intact"] is True


async def test_reads_are_not_logged_and_changes_are(shared: Api) -> None:
    with heard() as lines:
        await shared.get("/v1/kinds")
        await shared.good("PUT", f"{CHANNELS}/logged", channel("logged"))
    assert [(line["method"], line["path"], line["status"]) for line in lines] == [
        ("PUT", f"{CHANNELS}/logged", 200)
    ]


async def every(api: Api, path: str) -> list[Any]:
    found, after = [], ""
    while True:
        page = (await api.get(f"{path}?page_size=500&page_token={after}")).body
        found += page["items"]
        after = page["next_page_token"]
        if not after:
            return found
