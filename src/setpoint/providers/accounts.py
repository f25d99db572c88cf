"""One open account per provider entity and credential, shared by everybody who works through it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from setpoint.capabilities.account import Account
from setpoint.capabilities.world import Secrets
from setpoint.engine.entity import Entity
from setpoint.kinds.provider import Provider
from setpoint.providers.hetzner.account import open_account
from setpoint.providers.transport import Transport


@dataclass(slots=True)
class Accounts:
    """Opened when first asked for; a changed credential opens another one."""

    secrets: Secrets
    now: Callable[[], float]
    fresh_for: float
    _open: dict[tuple[str, str, str], Account] = field(default_factory=dict)
    _transports: list[Transport] = field(default_factory=list)

    def account(self, provider: Entity[Provider]) -> Account:
        spec = provider.spec
        token = self.secrets.open(spec.credential)
        key = (provider.ref, spec.endpoint, token)
        if key not in self._open:
            transport = Transport(provider.name, spec.endpoint, token)
            self._transports.append(transport)
            self._open[key] = open_account(transport, self.now, self.fresh_for)
        return self._open[key]

    async def close(self) -> None:
        for transport in self._transports:
            await transport.close()
