"""The one table of guards and limits over HTTP: complete, in words, with the numbers that are in force."""

from pathlib import Path
from typing import Any

from setpoint.engine.guards import GUARDS
from setpoint.engine.limits import Limits

from .kit import Api, still

SET = {
    "deletes_ceiling": 5.0,
    "dns_zone.deletes_share": 0.05,
    "dns_zone.deletes_ceiling": 5.0,
    "dns_zone/main.shrink_share": 0.1,
    "host/web.example.deletes_ceiling": 2.0,
}


async def table(api: Api) -> tuple[dict[str, Any], dict[str, Any]]:
    body = (await api.get("/v1/guards")).body
    assert body["next_page_token"] == ""
    guards, limits = ({row["name"]: row for row in body[key]} for key in ("items", "limits"))
    return guards, limits


async def test_every_guard_and_every_limit_is_there_with_a_sentence(api: Api) -> None:
    guards, limits = await table(api)
    assert list(guards) == [guard.name for guard in GUARDS]
    assert list(limits) == list(Limits.__struct_fields__)
    for row in (*guards.values(), *limits.values()):
        assert row["about"].strip()
    for guard in guards.values():
        assert guard["release"]
        assert guard["withholds"] in ("plan", "deletes", "items")
        assert all(guard["name"] in limits[name]["guards"] for name in guard["limits"])


async def test_a_limit_says_what_it_may_be_and_what_it_is(api: Api) -> None:
    _, limits = await table(api)
    assert limits["deletes_share"] == {
        "name": "deletes_share",
        "about": "Share of a domain that may be deleted in one pass.",
        "bounds": "a number, more than 0, less than 1",
        "default": 0.1,
        "value": 0.1,
        "kinds": {},
        "objects": {},
        "guards": ["delete_budget"],
    }
    assert limits["deletes_ceiling"]["bounds"] == "a whole number, at least 1"


async def test_the_values_in_force_are_those_of_the_settings(tmp_path: Path) -> None:
    async with still(tmp_path, limits=SET) as api:
        _, limits = await table(api)
    ceiling, share, shrink = (limits[name] for name in ("deletes_ceiling", "deletes_share", "shrink_share"))
    assert (ceiling["default"], ceiling["value"]) == (10, 5)
    assert (ceiling["kinds"], ceiling["objects"]) == ({}, {"host/web.example": 2})
    assert (share["value"], share["kinds"], share["objects"]) == (0.1, {"dns_zone": 0.05}, {})
    assert (shrink["value"], shrink["kinds"], shrink["objects"]) == (0.2, {}, {"dns_zone/main": 0.1})
    assert limits["wave_share"]["kinds"] == limits["wave_share"]["objects"] == {}
