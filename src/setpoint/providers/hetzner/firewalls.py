"""Packet filters in front of marked servers."""

from typing import Any

from setpoint.capabilities.firewall import Firewall
from setpoint.engine.plan import ABSENT, Absence
from setpoint.providers.hetzner.actions import Actions
from setpoint.providers.hetzner.listing import listed
from setpoint.providers.transport import Transport
from setpoint.providers.understood import understood

AnyJson = Any
ANYWHERE = ["0.0.0.0/0", "::/0"]


class HetznerFirewalls:
    """Firewalls through one project token."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._actions = Actions(transport)

    @understood
    async def firewall(self, name: str) -> Firewall | Absence:
        found = await listed(self._transport, "/firewalls", "firewalls", {"name": name})
        if not found:
            return ABSENT
        raw = found[0]
        return Firewall(id=str(raw["id"]), name=raw["name"], labels=raw["labels"])

    @understood
    async def create_firewall(self, name: str, labels: dict[str, str], selector: str) -> None:
        rules = [
            {"direction": "in", "protocol": "tcp", "port": "22", "source_ips": ANYWHERE},
            {"direction": "in", "protocol": "icmp", "source_ips": ANYWHERE},
        ]
        applied = [{"type": "label_selector", "label_selector": {"selector": selector}}]
        body = {"name": name, "labels": labels, "rules": rules, "apply_to": applied}
        await self._transport.call("POST", "/firewalls", body)

    @understood
    async def delete_firewall(self, firewall_id: str) -> None:
        """Taken off whatever it stands before, then deleted."""
        answer = await self._transport.call("GET", f"/firewalls/{firewall_id}")
        applied = [_resource(raw) for raw in answer["firewall"]["applied_to"]]
        if applied:
            path = f"/firewalls/{firewall_id}/actions/remove_from_resources"
            for action in (await self._transport.call("POST", path, {"remove_from": applied}))["actions"]:
                await self._actions.finished(action)
        await self._transport.call("DELETE", f"/firewalls/{firewall_id}")


def _resource(raw: AnyJson) -> AnyJson:
    """What it is applied to, as the vendor wants to hear it again."""
    kind = raw["type"]
    return {"type": kind, kind: raw[kind]}
