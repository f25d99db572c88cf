"""One Hetzner project as an account: servers, firewalls and zones behind one token."""

from collections.abc import Callable, Iterable

from msgspec import Struct

from setpoint.capabilities.account import Calls, Inventory
from setpoint.capabilities.compute import Server
from setpoint.capabilities.dns import Zone
from setpoint.capabilities.mark import INSTALLATION
from setpoint.providers.hetzner.firewalls import HetznerFirewalls
from setpoint.providers.hetzner.servers import HetznerServers
from setpoint.providers.hetzner.zones import HetznerZones
from setpoint.providers.transport import Transport


class HetznerAccount(Struct, frozen=True):
    """Three resources, one transport."""

    compute: HetznerServers
    dns: HetznerZones
    firewalls: HetznerFirewalls
    fingerprint: str
    identity: str
    found: Callable[[str, int], None]
    """Told how many of each sort a complete sweep found."""
    calls: Callable[[], Calls | None] = lambda: None

    async def sweep(self) -> Inventory:
        servers = await self.compute.servers()
        zones = await self.dns.zones()
        self.found("server", len(servers))
        self.found("zone", len(zones))
        made = tuple(server for server in servers if INSTALLATION in server.labels)
        return Inventory(
            landmarks=landmarks(servers, zones),
            servers=len(servers),
            zones=len(zones),
            marked=len(made),
            made=made,
            fingerprint=self.fingerprint,
            calls=self.calls(),
        )


def open_account(
    transport: Transport,
    now: Callable[[], float],
    fresh_for: float,
    found: Callable[[str, int], None] = lambda sort, number: None,
) -> HetznerAccount:
    """`fresh_for`: how long one listing of servers serves everybody who asks."""
    return HetznerAccount(
        compute=HetznerServers(transport, now, fresh_for),
        dns=HetznerZones(transport),
        firewalls=HetznerFirewalls(transport),
        fingerprint=transport.fingerprint,
        identity=transport.identity,
        found=found,
        calls=lambda: transport.calls,
    )


def landmarks(servers: Iterable[Server], zones: Iterable[Zone]) -> tuple[str, ...]:
    """Everything in the account, oldest first: ids are never given twice, so they tell it from any other."""
    oldest = sorted([*((int(s.id), "server") for s in servers), *((int(z.id), "zone") for z in zones)])
    return tuple(f"{noun}/{number}" for number, noun in oldest)
