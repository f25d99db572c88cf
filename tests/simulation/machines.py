"""The agents on the servers of the simulated cloud: they enrol, then say now and then that they are alive."""

import asyncio
import re
from dataclasses import dataclass, field
from typing import Any

import msgspec

from setpoint.sim.hetzner import HetznerSim
from simulation.kernel import SimLoop
from simulation.phone import Phone
from simulation.replica import SETTINGS

TOKEN = re.compile(r"setpoint_enr_\S+")
"""In the script that a server boots with."""


@dataclass
class Machines:
    """One agent for each server that was made to run one."""

    loop: SimLoop
    sim: HetznerSim
    phone: Phone
    beat_seconds: float = SETTINGS.heartbeat_seconds
    _manned: set[int] = field(default_factory=set)

    async def run(self) -> None:
        while True:
            for server in self.sim._cloud.servers:
                if (
                    server.status == "running"
                    and TOKEN.search(server.user_data)
                    and server.id not in self._manned
                ):
                    self._manned.add(server.id)
                    self.loop.spawn(None, self._live(server), "agent")
            await asyncio.sleep(2.0)

    async def _live(self, server: Any) -> None:
        [token], key, once = TOKEN.findall(server.user_data), "", f"{self.loop.chance.getrandbits(128):032x}"
        while (held := self.sim._cloud.servers.find(server.id)) is not None:
            if held.status == "running":
                lost = not key or not await self._beat(key)
                key = (await self._enrol(token, once) or key) if lost else key
            await asyncio.sleep(self.beat_seconds * self.loop.chance.uniform(0.8, 1.0))

    async def _enrol(self, token: str, once: str) -> str:
        body = {"token": token, "once": once, "facts": {}}
        reply = await self.phone.ask("POST", "/v1/agent/enrol", body, "nobody")
        if reply is None or reply.status != 201:
            return ""
        self.loop.counted["enrolled"] += 1
        return str(msgspec.json.decode(reply.body)["key"])

    async def _beat(self, key: str) -> bool:
        """Whether the key is known, as far as anybody says; one that was expelled keeps it."""
        reply = await self.phone.ask("POST", "/v1/agent/heartbeat", {"facts": {}}, key)
        self.loop.counted["heartbeats"] += 1
        return reply is None or reply.good or msgspec.json.decode(reply.body)["code"] != "unauthenticated"
