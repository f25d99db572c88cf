"""Rate limits: what is left is said on every answer, and nobody uses up what is another's."""

import time
from pathlib import Path

import pytest

from harness import ORGANIZATION
from setpoint.api.problem import Refused
from setpoint.api.rate import WINDOW, Rates
from setpoint.engine.entity import Scope
from setpoint.engine.token import Token
from setpoint.settings import Settings

from .kit import Api, as_other, settled, still


def token(name: str, organization: str = "acme") -> Token:
    return Token(hash=name, subject=name, role="owner", scope=Scope(organization))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def stop_the_clock(api: Api) -> None:
    """No bucket fills up any more, however long the requests take."""
    clock = Clock()
    clock.now = time.monotonic()
    api.run.application.signs.services.rates._monotonic = clock


def taken(rates: Rates, name: str, organization: str = "acme") -> str:
    found = rates.take(token(name, organization))
    if found.refused is not None:
        raise found.refused
    return dict(found.headers).get(b"ratelimit", b"").decode()


def test_a_bucket_lets_its_burst_through_and_then_its_rate() -> None:
    clock = Clock()
    rates = Rates(Settings(credential_rate=2.0, organization_rate=0), clock)
    left = [taken(rates, "a") for _ in range(2 * WINDOW)]
    assert left[0] == '"credential";r=19;t=1'
    assert left[-1] == '"credential";r=0;t=10'
    with pytest.raises(Refused) as refused:
        taken(rates, "a")
    assert (refused.value.status, refused.value.more["retry_after"]) == (429, 1)
    assert taken(rates, "b")
    clock.now = 0.6
    assert taken(rates, "a")
    with pytest.raises(Refused):
        taken(rates, "a")
    clock.now = 1000.0
    assert taken(rates, "a") == '"credential";r=19;t=1'


def test_an_organization_shares_one_bucket_and_its_neighbour_has_its_own() -> None:
    rates = Rates(Settings(credential_rate=0, organization_rate=0.5), Clock())
    for number in range(5):
        taken(rates, f"member-{number}")
    with pytest.raises(Refused, match="this organization makes more than"):
        taken(rates, "another")
    assert taken(rates, "eve", "other")
    assert taken(rates, "nobody", "") == ""


async def test_every_answer_says_what_is_left_and_the_last_one_when_to_come_back(tmp_path: Path) -> None:
    async with still(tmp_path, credential_rate=0.4, organization_rate=0) as api:
        stop_the_clock(api)
        first = await api.get("/v1/kinds")
        assert first.headers["RateLimit-Policy"] == '"credential";q=4;w=10'
        assert first.headers["RateLimit"] == '"credential";r=3;t=3'
        missing = await api.get(f"{ORGANIZATION}/plans/none")
        assert missing.headers["RateLimit"].startswith('"credential";r=2;')
        answers = [await api.get("/v1/kinds") for _ in range(4)]
        last = answers[-1]
        assert (last.status, last.body["code"], last.body["retryable"]) == (429, "rate_limited", True)
        assert 1 <= int(last.headers["Retry-After"]) <= 3
        assert last.headers["RateLimit"].startswith('"credential";r=0;')
        assert (await api.get("/livez")).status == 200
        assert "RateLimit" not in (await api.get("/livez")).headers


async def test_a_request_into_anothers_organization_costs_only_its_sender(tmp_path: Path) -> None:
    async with still(tmp_path, organization_rate=0.5) as api:
        assert (await api.declare(*settled())).status == 200
        mine = (await api.call("POST", f"{ORGANIZATION}/tokens", {"name": "ann", "role": "owner"})).body[
            "token"
        ]
        await api.good("PUT", "/v1/organizations/other", {"spec": {}})
        path = "/v1/organizations/other/tokens"
        theirs = (await api.call("POST", path, {"name": "eve", "role": "owner"})).body["token"]
        async with as_other(api, theirs) as eve:
            stop_the_clock(api)
            statuses = [(await eve.get(f"{ORGANIZATION}/plans")).status for _ in range(12)]
            assert 429 in statuses
        async with as_other(api, mine) as ann:
            assert (await ann.get(f"{ORGANIZATION}/plans")).status == 200
