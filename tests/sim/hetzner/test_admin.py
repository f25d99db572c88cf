"""The steering interface: what the judge sees, and changes behind everybody's back."""

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from setpoint.sim.hetzner import Effect, Record, SimSettings

from .conftest import World

A = {"name": "www", "type": "A", "ttl": 300, "records": [{"value": "192.0.2.1"}]}
RRSET = "/zones/example.com/rrsets/www/A"


async def test_the_log_has_every_effect_with_its_labels(world: World) -> None:
    server = await world.new_server("a", labels={"app": "web"})
    await world.new_zone()
    await world.post("/zones/example.com/rrsets", **A, labels={"by": "me"})
    await world.put(f"/servers/{server}", labels={})
    log = await world.judge("/log")
    told = [
        (one["method"], one["verb"], one["resource"], one["name"], one["labels"]) for one in log["effects"]
    ]
    assert told == [
        ("POST", "create", "server", "a", {"app": "web"}),
        ("POST", "create", "zone", "example.com", {}),
        ("POST", "create", "rrset", "www", {"by": "me"}),
        ("PUT", "update", "server", "a", {}),
    ]
    assert (log["total"], log["effects"][2]["id"], log["effects"][2]["zone"]) == (4, "www/A", "example.com")


async def test_the_log_can_be_read_on_from_a_number(world: World) -> None:
    for name in "abc":
        await world.new_server(name)
    assert [one["name"] for one in (await world.judge("/log?since=2"))["effects"]] == ["c"]


async def test_a_refused_request_is_no_effect(world: World) -> None:
    await world.post("/servers", name="a")
    await world.delete("/servers/5")
    assert (await world.judge("/log"))["effects"] == []


async def test_the_state_counts_requests_effects_and_objects(world: World) -> None:
    await world.new_server("a")
    await world.new_zone()
    await world.get("/zones/example.com/rrsets")
    state = await world.judge("/state")
    assert state["requests"] == {"POST /servers": 1, "POST /zones": 1, "GET /zones/{zone}/rrsets": 1}
    assert state["effects"] == {"create server": 1, "create zone": 1}
    assert state["objects"] == {"servers": 1, "firewalls": 0, "zones": 1, "rrsets": 2}


class TestFile:
    @pytest.fixture
    def settings(self, settings: SimSettings, tmp_path: Path) -> SimSettings:
        return replace(settings, log_file=tmp_path / "effects.jsonl")

    async def test_each_effect_is_a_line_at_once(self, world: World, settings: SimSettings) -> None:
        assert settings.log_file is not None
        for number, name in enumerate("ab", start=1):
            await world.new_server(name)
            lines = settings.log_file.read_bytes().splitlines()
            assert len(lines) == number
        assert [msgspec.json.decode(line, type=Effect) for line in lines] == list(world.sim.effects)


async def test_a_server_vanishes(world: World) -> None:
    server = await world.new_server("a")
    await world.steer("/servers/a:vanish")
    assert (await world.get(f"/servers/{server}")).code == "not_found"
    assert [(effect.verb, effect.by) for effect in world.sim.effects] == [
        ("create", "api"),
        ("vanish", "behind"),
    ]
    assert (await world.steer("/servers/a:vanish")).code == "not_found"


async def test_a_server_that_vanishes_while_it_is_made_stays_gone(world: World) -> None:
    created = await world.post("/servers", name="a", server_type="cx22", image="debian-12")
    await world.sim.behind.vanish_server("a")
    assert await world.finished(created) == "success"
    assert (await world.get("/servers")).names("servers") == []


async def test_a_record_set_changes_behind_our_back(world: World) -> None:
    await world.new_zone()
    await world.post("/zones/example.com/rrsets", **A)
    changed = await world.steer(f"{RRSET}:change", records=[{"value": "203.0.113.9"}])
    shown = (await world.get(RRSET)).body["rrset"]
    assert (changed.status, shown["records"], shown["ttl"]) == (200, [{"value": "203.0.113.9"}], 300)
    world.sim.behind.change_rrset("example.com", "www", "A", [Record("203.0.113.8")], ttl=60)
    assert (await world.get(RRSET)).body["rrset"]["ttl"] == 60
    assert [effect.by for effect in world.sim.effects][-2:] == ["behind", "behind"]


async def test_a_record_set_vanishes_behind_our_back(world: World) -> None:
    await world.new_zone()
    await world.post("/zones/example.com/rrsets", **A)
    await world.steer(f"{RRSET}:vanish")
    assert (await world.get(RRSET)).code == "not_found"
    assert (await world.steer(f"{RRSET}:change", records=A["records"])).code == "not_found"


async def test_nonsense_is_refused_behind_our_back_too(world: World) -> None:
    await world.new_zone()
    await world.post("/zones/example.com/rrsets", **A)
    assert (await world.steer(f"{RRSET}:change", records=[])).bad_fields == {"records"}
    assert (await world.steer(f"{RRSET}:change", records=[{"value": "x"}])).bad_fields == {"records.0.value"}
