"""Firewalls: rules, servers by id and by label, by the vendor's SDK and by hand."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hcloud import Client
from hcloud.firewalls import FirewallResource, FirewallResourceLabelSelector, FirewallRule
from hcloud.servers import Server

from .conftest import World

Sdk = Callable[[Callable[[Client], Any]], Awaitable[Any]]
SSH = {"direction": "in", "protocol": "tcp", "port": "22", "source_ips": ["10.0.0.0/8"]}
BY_LABEL = {"type": "label_selector", "label_selector": {"selector": "app=web"}}


async def test_the_sdk_sees_a_firewall_through_its_life(world: World, sdk: Sdk) -> None:
    server = await world.new_server("a", labels={"app": "web"})

    def live(client: Client) -> list[Any]:
        seen: list[Any] = []
        rule = FirewallRule(direction="in", protocol="tcp", port="443", source_ips=["0.0.0.0/0", "::/0"])
        made = client.firewalls.create(name="fw", rules=[rule], labels={"app": "web"})
        for action in made.actions:
            action.wait_until_finished()
        firewall = client.firewalls.get_by_name("fw")
        one = FirewallResource(type="server", server=Server(id=server))
        rest = FirewallResource(
            type="label_selector", label_selector=FirewallResourceLabelSelector(selector="app=web")
        )
        for action in firewall.apply_to_resources([one, rest]):
            action.wait_until_finished()
        seen.append([resource.type for resource in client.firewalls.get_by_id(firewall.id).applied_to])
        seen.append([each.firewall.id for each in client.servers.get_by_id(server).public_net.firewalls])
        firewall.set_rules([])
        firewall.update(name="renamed", labels={})
        seen.append(
            [client.firewalls.get_by_id(firewall.id).name, client.firewalls.get_by_id(firewall.id).rules]
        )
        firewall.remove_from_resources([one, rest])
        firewall.delete()
        return [*seen, client.firewalls.get_all(), firewall.id]

    applied, on_server, changed, rest, firewall = await sdk(live)
    assert applied == ["server", "label_selector"]
    assert on_server == [firewall]
    assert changed == ["renamed", []]
    assert rest == []


async def test_a_selector_follows_the_labels_of_servers(world: World) -> None:
    server = await world.new_server("a", labels={"app": "db"})
    made = await world.post("/firewalls", name="fw", rules=[SSH], apply_to=[BY_LABEL])
    path = f"/firewalls/{made.body['firewall']['id']}"
    assert made.body["firewall"]["applied_to"][0]["applied_to_resources"] == []
    await world.put(f"/servers/{server}", labels={"app": "web"})
    covered = (await world.get(path)).body["firewall"]["applied_to"][0]["applied_to_resources"]
    assert covered == [{"type": "server", "server": {"id": server}}]
    assert len((await world.get(f"/servers/{server}")).body["server"]["public_net"]["firewalls"]) == 1


async def test_a_firewall_in_use_is_not_deleted_and_forgets_servers_that_go(world: World) -> None:
    made = await world.post("/firewalls", name="fw")
    firewall = made.body["firewall"]["id"]
    server = await world.new_server("a", firewalls=[{"firewall": firewall}])
    refused = await world.delete(f"/firewalls/{firewall}")
    assert (refused.status, refused.code) == (422, "resource_in_use")
    await world.status_is(server, "running")
    await world.finished(await world.delete(f"/servers/{server}"))
    assert (await world.delete(f"/firewalls/{firewall}")).status == 204


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ({"direction": "in", "protocol": "tcp", "source_ips": ["::/0"]}, "rules.0.port"),
        ({"direction": "in", "protocol": "icmp", "port": "1", "source_ips": ["::/0"]}, "rules.0.port"),
        ({"direction": "in", "protocol": "icmp"}, "rules.0.source_ips"),
        ({"direction": "out", "protocol": "icmp"}, "rules.0.destination_ips"),
        ({"direction": "in", "protocol": "icmp", "source_ips": ["10.0.0.1/8"]}, "rules.0.source_ips"),
        ({"direction": "up", "protocol": "icmp"}, "rules"),
    ],
)
async def test_a_rule_that_cannot_be_is_refused(world: World, rule: dict[str, Any], field: str) -> None:
    reply = await world.post("/firewalls", name="fw", rules=[rule])
    assert (reply.code, reply.bad_fields) == ("invalid_input", {field})


async def test_a_firewall_is_applied_to_what_exists_and_once(world: World) -> None:
    made = await world.post("/firewalls", name="fw", apply_to=[BY_LABEL])
    path = f"/firewalls/{made.body['firewall']['id']}/actions"
    missing = {"type": "server", "server": {"id": 999}}
    assert (await world.post(f"{path}/apply_to_resources", apply_to=[missing])).code == "not_found"
    assert (
        await world.post(f"{path}/apply_to_resources", apply_to=[BY_LABEL])
    ).code == "firewall_already_applied"
    assert (
        await world.post(f"{path}/remove_from_resources", remove_from=[missing])
    ).code == "firewall_already_removed"
    broken = [{"type": "server"}, {"type": "label_selector", "label_selector": {"selector": "=a"}}]
    reply = await world.post(f"{path}/apply_to_resources", apply_to=broken)
    assert reply.bad_fields == {"apply_to.0.server", "apply_to.1.label_selector"}


async def test_a_firewall_name_is_had_once(world: World) -> None:
    await world.post("/firewalls", name="fw")
    again = await world.post("/firewalls", name="fw")
    assert (again.status, again.code) == (409, "uniqueness_error")
    assert (await world.get("/firewalls", label_selector="a")).body["firewalls"] == []
    actions = (await world.get("/firewalls/actions")).body["actions"]
    firewall = actions[0]["resources"][0]["id"]
    of_one = (await world.get(f"/firewalls/{firewall}/actions")).body["actions"]
    assert [action["id"] for action in of_one] == [action["id"] for action in actions]
