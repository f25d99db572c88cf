"""Contested items are listed with the command that releases each, for those who may see their object."""

from api.kit import ORGANIZATION, PROJECT, Api, thing
from api.recordings import keep
from setpoint.engine.entity import Ref, State, Status
from setpoint.engine.ledger import Contest, Ledger

CONTESTED = f"{ORGANIZATION}/contested"


async def test_nothing_is_contested_where_nobody_else_writes(api: Api) -> None:
    assert (await api.get(CONTESTED)).body == {"items": [], "next_page_token": ""}


async def test_each_item_comes_with_its_fields_and_its_release(api: Api) -> None:
    spec = {"zone": "example-org", "name": "www", "type": "A", "values": ["192.0.2.1"]}
    await api.declare(thing("dns_record", "www", spec, project="shop"))
    ref = Ref((await api.get(f"{PROJECT}/dns_zones/example-org")).body["metadata"]["ref"])
    fought = {
        "www/A": Contest(wishes={"ttl": "x"}, since=60.0),
        "api/A": Contest(wishes={"": "x"}, since=60.0),
    }
    held = Status(ref=ref, state=State.HELD, reason="another writer keeps changing ttl of www/A")
    await keep(api, Ledger(ref=ref, contested=fought), held)
    items = (await api.get(CONTESTED)).body["items"]
    assert [(item["item"], item["fields"]) for item in items] == [("api/A", []), ("www/A", ["ttl"])]
    assert items[1]["release"] == "setpoint release dns_zone example-org www/A"
