"""Packet filters in front of marked servers."""

from setpoint.capabilities.firewall import Firewall
from setpoint.engine.plan import ABSENT, Absence
from setpoint.providers.transport import Transport

ANYWHERE = ["0.0.0.0/0", "::/0"]


class HetznerFirewalls:
    """Firewalls through one project token."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def firewall(self, name: str) -> Firewall | Absence:
        answer = await self._transport.call("GET", "/firewalls", params={"name": name})
        if not answer["firewalls"]:
            return ABSENT
        raw = answer["firewalls"][0]
        return Firewall(id=str(raw["id"]), name=raw["name"], labels=raw["labels"])

    async def create_firewall(self, name: str, labels: dict[str, str], selector: str) -> None:
        rules = [
            {"direction": "in", "protocol": "tcp", "port": "22", "source_ips": ANYWHERE},
            {"direction": "in", "protocol": "icmp", "source_ips": ANYWHERE},
        ]
        applied = [{"type": "label_selector", "label_selector": {"selector": selector}}]
        body = {"name": name, "labels": labels, "rules": rules, "apply_to": applied}
        await self._transport.call("POST", "/firewalls", body)

    async def delete_firewall(self, firewall_id: str) -> None:
        await self._transport.call("DELETE", f"/firewalls/{firewall_id}")
