"""A person after a restore: looks at what is newer than the backup, adopts it or does not, and resumes."""

from asyncio import sleep
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from setpoint.capabilities.mark import ENTITY
from setpoint.drive.frozen import FAILED_OVER
from setpoint.sim.hetzner import HetznerSim
from simulation.forgotten import Forgotten
from simulation.kernel import SimLoop
from simulation.people import COMPUTE, ORGANIZATION, PROJECT, WORKSPACE, People
from simulation.phone import Phone

AnyJson = Any
WAYS: Final = ("adopt", "adopt", "adopt", "files", "nothing")
"""Most adopt what is newer; some have the zone in a file, and some only resume."""
ACCOUNT: Final = f"{ORGANIZATION}/providers/{COMPUTE}"
ZONE: Final = f"{PROJECT}/dns_zones/example-org"
PLACES: Final = {"host": f"{WORKSPACE}/hosts", "dns_record": f"{PROJECT}/dns_records"}
ADOPTED: Final = {"adopt": (ACCOUNT, ZONE), "files": (ACCOUNT,), "nothing": ()}
PATIENCE: Final = 30
"""Rounds of peace until an agent that is still silent is given up."""
LOOKS_SECONDS: Final = (20.0, 40.0)
"""Nothing that the old control plane sent arrives, or is still invisible, after the first of these."""


@dataclass
class Review:
    """As `docs/how-to/back-up-and-restore.md` says, by the calls of the API."""

    loop: SimLoop
    phone: Phone
    people: People
    forgotten: Forgotten
    sim: HetznerSim
    way: str = ""
    _rounds: int = 0

    def choose(self) -> None:
        self.way = self.loop.chance.choice(WAYS)
        self.loop.note("review", self.way)
        self.loop.counted[f"review {self.way}"] += 1

    async def run(self, filed: dict[int, str]) -> None:
        """`filed`: the records in a file of theirs, which is newer than the backup."""
        self.choose()
        modes = await self._modes()
        if modes.get("all") not in ("observe", "stop"):
            self.loop.violated("B3", f"what was restored is not frozen: {modes}")
        await sleep(self.loop.chance.uniform(*LOOKS_SECONDS))
        if self.way == "files":
            await self.people.apply(filed)
        for place in ADOPTED[self.way]:
            await self._adopt(place)
        await self.people.grow_again()
        self.forgotten.frozen = False
        await self.people.resume(await self._modes())

    async def tidy(self) -> None:
        """In the end every server of ours is declared, or gone; the account lists those that are neither."""
        if not self.way:
            return
        await self._answer()
        self._rounds += 1
        if self._rounds == PATIENCE:
            await self._expel()
        for orphan in await self._listed(ACCOUNT):
            if self.way == "nothing" or not await self._is_adopted(ACCOUNT, orphan):
                await self._destroy(orphan)

    async def _answer(self) -> None:
        """A database that failed over waits for a person where something newer shows, or acts are missing."""
        switch = next((each for each in await self._switches() if each["key"] == "all"), None)
        if switch is None or switch["by"] != "setpoint" or switch["reason"] == FAILED_OVER:
            return
        for place in ADOPTED[self.way]:
            await self._adopt(place)
        await self.people.resume(["all"])

    async def _expel(self) -> None:
        """Where the agent that is known stays silent, one that is newer than the journal may come in."""
        reply = await self.phone.insist("GET", f"{ORGANIZATION}/agents")
        for agent in msgspec.json.decode(reply.body)["items"]:
            if agent["status"]["state"] != "READY":
                self.loop.counted["expelled"] += 1
                await self.phone.insist("DELETE", f"{WORKSPACE}/agents/{agent['metadata']['name']}")

    async def _adopt(self, place: str) -> None:
        """Everything at once, or what can be of it."""
        listed = await self._listed(place)
        if listed and not (await self.phone.insist("POST", f"{place}:adopt", {})).good:
            for orphan in listed:
                await self._is_adopted(place, orphan)
        for orphan in listed:
            await self._wish(orphan)

    async def _is_adopted(self, place: str, orphan: AnyJson) -> bool:
        await self.phone.insist("POST", f"{place}:adopt", {"names": [orphan["name"]]})
        return await self._wish(orphan)

    async def _wish(self, orphan: AnyJson) -> bool:
        """Whether it is declared now, and then it is wished for; the answer to adopting it may be lost."""
        reply = await self.phone.insist("GET", f"{PLACES[orphan['kind']]}/{orphan['name']}")
        found = msgspec.json.decode(reply.body) if reply.good else None
        if found is None or orphan["ref"] not in (None, found["metadata"]["ref"]):
            return False
        if not found["metadata"]["deleting"]:
            self.people.adopted(found)
        return True

    async def _destroy(self, orphan: AnyJson) -> None:
        """At the vendor, by hand: nobody else can."""
        for server in list(self.sim._cloud.servers):
            if server.labels.get(ENTITY) == orphan["ref"].replace("/", "."):
                self.loop.counted["destroyed by hand"] += 1
                self.loop.note("by hand", server.name)
                await self.sim._cloud.forget_server(server)

    async def _listed(self, place: str) -> list[AnyJson]:
        reply = await self.phone.insist("GET", place)
        return msgspec.json.decode(reply.body)["status"]["facts"].get("unknown", []) if reply.good else []

    async def _modes(self) -> dict[str, str]:
        return {each["key"]: each["mode"] for each in await self._switches()}

    async def _switches(self) -> list[AnyJson]:
        reply = await self.phone.insist("GET", "/v1/switches")
        return msgspec.json.decode(reply.body)["items"] if reply.good else []
