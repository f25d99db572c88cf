"""The switch at every level, as people set it."""

from typing import Any

import pytest

from harness import ORGANIZATION, PROJECT

from .kit import Api, channel

pytestmark = pytest.mark.asyncio(loop_scope="module")

WHY = {"mode": "observe", "reason": "a drill"}


@pytest.mark.parametrize(
    "key", ["all", "kind:dns_zone", "scope:acme", "scope:acme/shop", "scope:acme/shop/prod"]
)
async def test_a_switch_is_set_shown_changed_and_cleared(shared: Api, key: str) -> None:
    made = await shared.good("PUT", f"/v1/switches/{key}", WHY)
    assert (made["key"], made["mode"], made["by"]) == (key, "observe", "administrator")
    assert made["since"].endswith("+00:00")
    changed = await shared.good("PUT", f"/v1/switches/{key}", {"reason": "worse"})
    # The version only rises, over every flip there ever was.
    assert (changed["mode"], changed["version"]) == ("stop", made["version"] + 1)
    listed = (await shared.get("/v1/switches")).body["items"]
    assert changed in listed
    assert await shared.good("DELETE", f"/v1/switches/{key}") == {"key": key, "mode": "run"}
    again = await shared.call("DELETE", f"/v1/switches/{key}")
    assert (again.status, again.body["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("key", "body", "wrong"),
    [
        ("all", {"mode": "off", "reason": ""}, {("/mode", "bad_value"), ("/reason", "missing")}),
        ("all", {}, {("/reason", "missing")}),
        ("all", [], {("/reason", "missing")}),
        ("all", {**WHY, "modes": 1}, {("/modes", "unknown_field")}),
        ("kind:nothing", WHY, {("", "no_such_level")}),
        ("scope:", WHY, {("", "no_such_level")}),
        ("scope:acme/typo", WHY, {("", "no_such_level")}),
        ("scope:acme/shop/prod/more", WHY, {("", "no_such_level")}),
        ("domain:host/1", WHY, {("", "no_such_level")}),
        ("everything", {"mode": []}, {("", "no_such_level"), ("/mode", "bad_value"), ("/reason", "missing")}),
    ],
)
async def test_a_bad_switch_is_told_of_every_mistake(shared: Api, key: str, body: Any, wrong: Any) -> None:
    refused = await shared.call("PUT", f"/v1/switches/{key}", body)
    assert (refused.status, refused.body["code"]) == (422, "bad_switch")
    assert refused.mistakes == wrong
    assert (await shared.get("/v1/switches")).body["items"] == []


async def test_one_object_is_paused_and_resumed(shared: Api) -> None:
    path = f"{PROJECT}/dns_zones/example-org"
    ref = (await shared.get(path)).body["metadata"]["ref"]
    assert (await shared.call("POST", f"{path}:pause", {})).mistakes == {("/reason", "missing")}
    await shared.good("POST", f"{path}:pause", {"mode": "no-deletes", "reason": "moving"})
    (switch,) = (await shared.get("/v1/switches")).body["items"]
    assert (switch["key"], switch["mode"], switch["reason"]) == (f"domain:{ref}", "no-deletes", "moving")
    await shared.good("POST", f"{path}:pause", {"reason": "moving"})
    why = await shared.good("GET", f"{path}:why")
    assert "stop by administrator (moving)" in why["chain"]
    assert why["next"]
    await shared.good("POST", f"{path}:resume")
    assert (await shared.get("/v1/switches")).body["items"] == []
    assert (await shared.call("POST", f"{path}:resume")).status == 404


async def test_a_switch_of_a_scope_is_in_that_organizations_history(shared: Api) -> None:
    await shared.good("PUT", "/v1/switches/scope:acme/shop", WHY)
    await shared.good("DELETE", "/v1/switches/scope:acme/shop")
    events = (await shared.get(f"{ORGANIZATION}/events?page_size=500")).body["items"]
    told = [event["message"] for event in events if event["ref"] == "switch/scope:acme/shop"]
    assert told[-2:] == ["observe by administrator: a drill", "run by administrator: a drill"]


async def test_a_pause_of_what_has_no_loop_is_kept_too(shared: Api) -> None:
    path = f"{ORGANIZATION}/notification_channels/quiet"
    await shared.good("PUT", path, channel("quiet"))
    await shared.good("POST", f"{path}:pause", {"reason": "noise"})
    await shared.good("POST", f"{path}:resume")
