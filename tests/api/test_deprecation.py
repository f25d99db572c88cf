"""A route that is on its way out says so on every answer, and in the contract."""

from datetime import date
from pathlib import Path

import pytest

from setpoint.api import app as application
from setpoint.api.deprecation import Deprecated
from setpoint.api.served import Served

from .kit import still

GOING = Deprecated(since=date(2027, 1, 1), until=date(2027, 7, 1), instead="/v1/kinds")


async def test_it_says_since_when_until_when_and_what_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = application._fixed_routes

    def going(services: application.Services):  # type: ignore[no-untyped-def]
        catalog = application.Catalog(services)
        known = application.demand("read", "catalog", "within")
        yield from made(services)
        yield Served("/v1/sorts", catalog.kinds, known, deprecated=GOING)

    monkeypatch.setattr(application, "_fixed_routes", going)
    async with still(tmp_path) as api:
        answer = await api.get("/v1/sorts")
        assert answer.status == 200
        assert answer.headers["Deprecation"] == "@1798761600"
        assert answer.headers["Sunset"] == "Thu, 01 Jul 2027 00:00:00 GMT"
        assert answer.headers["Link"] == '</v1/kinds>; rel="successor-version"'
        assert "RateLimit" in answer.headers
        assert "Deprecation" not in (await api.get("/v1/kinds")).headers
        paths = (await api.get("/openapi.json")).body["paths"]
        assert paths["/v1/sorts"]["get"]["deprecated"] is True
        assert paths["/v1/kinds"]["get"]["deprecated"] is False
