"""The simulated cloud all of them work on, in a process of its own, with a new empty zone for each run."""

from collections.abc import Iterator
from typing import Final

from bench.process import AnyJson, Caller, Process, wait_for

TOKEN: Final = "for-the-bench"  # noqa: S105 - opens nothing but this simulator
ADDRESS: Final = "192.0.2.1"
TTL: Final = 300


class Cloud:
    """The simulator, and what stands there."""

    def __init__(self) -> None:
        options = ("--token", TOKEN, "--action-seconds", "0", "--max-agents", "0", "--port", "0")
        self.process = Process(("sim", "hetzner", *options))
        self.url = str(self.process.ready["url"]).removesuffix("/v1")
        self.caller = Caller(self.url, TOKEN)

    def made_zone(self, name: str) -> None:
        self.caller.call("POST", "/v1/zones", {"name": name, "mode": "primary"})

    def number(self, zone: str) -> int:
        """How many records it has, the provider's own two left out."""
        said = self.caller.call("GET", f"/v1/zones/{zone}/rrsets?per_page=1")
        return int(said["meta"]["pagination"]["total_entries"]) - 2

    def right(self, zone: str) -> int:
        """How many are there as they should be."""
        return sum(
            rrset["ttl"] == TTL and [each["value"] for each in rrset["records"]] == [ADDRESS]
            for rrset in self.rrsets(zone)
            if rrset["type"] == "A"
        )

    def rrsets(self, zone: str) -> Iterator[AnyJson]:
        page: int | None = 1
        while page is not None:
            said = self.caller.call("GET", f"/v1/zones/{zone}/rrsets?per_page=50&page={page}")
            yield from said["rrsets"]
            page = said["meta"]["pagination"]["next_page"]

    def until(self, zone: str, number: int) -> None:
        wait_for(lambda: self.number(zone) >= number, f"{number} records in {zone}")

    def close(self) -> None:
        self.caller.close()
        self.process.close()


def posted(name: str) -> AnyJson:
    """One record, as this API wants it."""
    return {"name": name, "type": "A", "ttl": TTL, "records": [{"value": ADDRESS}]}
