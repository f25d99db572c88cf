"""Requests that a browser sends with a cookie: taken from our own page, and from no other."""

import pytest

from setpoint.api.csrf import foreign, origin_of

from .kit import Api
from .people import ANN, PASSWORD, administrator, nobody

HERE = "https://setpoint.example"
OURS = {"sec-fetch-site": "same-origin"}
FORM = "application/x-www-form-urlencoded"
JSON = {"content-type": "application/json", "content-length": "2"}


@pytest.mark.parametrize(
    ("method", "headers", "taken"),
    [
        ("GET", {}, True),
        ("GET", {"sec-fetch-site": "cross-site", "origin": "https://evil.example"}, True),
        ("HEAD", {"sec-fetch-site": "same-site"}, True),
        ("POST", {"sec-fetch-site": "same-origin", "origin": HERE, **JSON}, True),
        ("POST", {"sec-fetch-site": "none", **JSON}, True),
        ("POST", {"sec-fetch-site": "same-site", "origin": HERE, **JSON}, False),
        ("POST", {"sec-fetch-site": "cross-site", "origin": HERE, **JSON}, False),
        ("POST", {"sec-fetch-site": "nonsense", **JSON}, False),
        ("POST", {"sec-fetch-site": "", "origin": HERE, **JSON}, False),
        ("POST", {"origin": HERE, **JSON}, True),
        ("POST", {"origin": "https://evil.example", **JSON}, False),
        ("POST", {"origin": "http://setpoint.example", **JSON}, False),
        ("POST", {"origin": "https://setpoint.example:8443", **JSON}, False),
        ("POST", {"origin": "https://setpoint.example.evil.example", **JSON}, False),
        ("POST", {"origin": "null", **JSON}, False),
        ("POST", {"sec-fetch-site": "same-origin", "origin": "https://evil.example", **JSON}, False),
        ("POST", JSON, False),
        ("POST", {}, False),
        ("POST", {**OURS, "content-type": "text/plain", "content-length": "2"}, False),
        ("POST", {"sec-fetch-site": "same-origin", "content-length": "2"}, False),
        ("POST", {"sec-fetch-site": "same-origin", "transfer-encoding": "chunked"}, False),
        (
            "POST",
            {
                "sec-fetch-site": "same-origin",
                "content-type": "multipart/form-data; boundary=application/json",
                "content-length": "9",
            },
            False,
        ),
        (
            "PATCH",
            {
                "sec-fetch-site": "same-origin",
                "content-type": "application/merge-patch+json; charset=utf-8",
                "content-length": "9",
            },
            True,
        ),
        ("DELETE", {"sec-fetch-site": "same-origin"}, True),
        ("DELETE", {"sec-fetch-site": "cross-site"}, False),
        ("PUT", {"origin": HERE, "content-type": FORM, "content-length": "5"}, False),
    ],
    ids=range(26),
)
def test_what_a_page_that_is_not_ours_makes_a_browser_send_is_not_taken(
    method: str, headers: dict[str, str], taken: bool
) -> None:
    assert (foreign(method, headers, (HERE,)) == "") is taken


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Setpoint.example/x/y", "https://setpoint.example"),
        ("http://127.0.0.1:7410", "http://127.0.0.1:7410"),
    ],
)
def test_an_address_has_one_origin(url: str, origin: str) -> None:
    assert origin_of(url) == origin


async def browser_cookie(api: Api) -> dict[str, str]:
    answer = await api.call("POST", "/v1/sessions", {"email": ANN, "password": PASSWORD})
    return {"Cookie": answer.headers["Set-Cookie"].partition(";")[0]}


async def test_a_cookie_changes_something_only_from_our_own_page(api: Api) -> None:
    async with administrator(api), nobody(api) as browser:
        cookie = await browser_cookie(browser)
        lever, wanted = "/v1/switches/all", {"mode": "stop", "reason": "storm"}
        for more, status in [
            ({}, 403),
            ({"Origin": "https://evil.example"}, 403),
            ({"Sec-Fetch-Site": "same-site"}, 403),
            ({"Origin": api.url}, 200),
            ({"Sec-Fetch-Site": "same-origin"}, 200),
        ]:
            answer = await browser.call("PUT", lever, wanted, headers={**cookie, **more})
            assert answer.status == status, more
            assert status == 200 or answer.body["code"] == "cross_site"
        form = {**cookie, "Sec-Fetch-Site": "same-origin", "Content-Type": "text/plain"}
        answer = await browser.call("PUT", lever, data='{"mode": "stop", "reason": "x"}', headers=form)
        assert answer.status == 403


async def test_a_bearer_needs_no_origin_and_a_cookie_beside_it_is_not_looked_at(api: Api) -> None:
    wanted = {"mode": "stop", "reason": "storm"}
    headers = {"Cookie": "__Host-setpoint=made-up", "Origin": "https://tools.example"}
    assert (await api.call("PUT", "/v1/switches/all", wanted, headers=headers)).status == 200


async def test_another_site_cannot_sign_somebody_in_as_somebody_else(api: Api) -> None:
    async with administrator(api), nobody(api) as browser:
        body = {"email": ANN, "password": PASSWORD}
        foreign_page = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
        answer = await browser.call("POST", "/v1/sessions", body, headers=foreign_page)
        assert (answer.status, "Set-Cookie" in answer.headers) == (403, False)


async def test_no_cookie_is_taken_where_machines_of_the_fleet_report(api: Api) -> None:
    async with administrator(api), nobody(api) as browser:
        headers = {**await browser_cookie(browser), "Sec-Fetch-Site": "same-origin"}
        answer = await browser.call("POST", "/v1/agent/heartbeat", {}, headers=headers)
        assert answer.status == 401


async def test_every_answer_is_neither_guessed_nor_framed_nor_kept(api: Api) -> None:
    async with nobody(api) as browser:
        answers = [
            await api.get("/v1/me"),
            await browser.get("/v1/me"),
            await browser.get("/nowhere"),
            await browser.get("/livez"),
            await browser.call("POST", "/v1/sessions", {}),
        ]
    for answer in answers:
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert [answer.headers.get("Cache-Control") for answer in answers] == [
        *("no-store", "no-store", None, None, "no-store")
    ]
