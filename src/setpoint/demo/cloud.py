"""The simulated cloud's own levers, as the demo pulls them, and its log of what really happened."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from setpoint.client.connection import Connection
from setpoint.client.endpoint import Endpoint

AnyJson = Any


@dataclass(frozen=True, slots=True)
class Cloud:
    """The simulator behind its admin address."""

    connection: Connection

    def vanish(self, server: str) -> None:
        self.connection.send("POST", f"/_sim/servers/{quote(server)}:vanish", {})

    def kill_agent(self, server: str) -> None:
        self.connection.send("POST", f"/_sim/servers/{quote(server)}:kill-agent", {})

    def change_record(self, zone: str, name: str, value: str) -> None:
        path = f"/_sim/zones/{zone}/rrsets/{name}/A:change"
        self.connection.send("POST", path, {"records": [{"value": value}]})

    def fault(self, **fault: AnyJson) -> None:
        self.connection.send("POST", "/_sim/faults", fault)

    def mend(self) -> None:
        self.connection.send("DELETE", "/_sim/faults")

    def state(self) -> AnyJson:
        return self.connection.get("/_sim/state")

    def effects(self) -> list[AnyJson]:
        effects: list[AnyJson] = self.connection.get("/_sim/log")["effects"]
        return effects


def cloud_at(url: str, token: str) -> Cloud:
    return Cloud(Connection(Endpoint(url=url.removesuffix("/v1"), token=token)))
