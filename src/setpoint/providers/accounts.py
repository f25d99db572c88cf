"""One open account per provider entity and credential, shared by everybody who works through it."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from msgspec import Struct, field

from setpoint.capabilities.account import Account
from setpoint.capabilities.world import Destination, Opened, Secrets
from setpoint.engine.entity import Entity, Ref
from setpoint.engine.errors import FAILURES, Denied
from setpoint.kinds.provider import Provider, published
from setpoint.providers.governor import Governor
from setpoint.providers.hetzner.account import open_account
from setpoint.providers.secrets import PREFIX
from setpoint.providers.transport import Transport
from setpoint.providers.turnstile import Turnstile
from setpoint.providers.wire import CALL_SECONDS, SocketWire, Wire


class Accounts(Struct):
    """Opened when first asked for; a changed credential opens another one."""

    secrets: Secrets
    now: Callable[[], float]
    fresh_for: float
    call_seconds: float = CALL_SECONDS
    counted: Callable[[str, str, str], None] = lambda provider, verb, outcome: None
    swept: Callable[[str, str, int], None] = lambda provider, sort, number: None
    wire: Callable[[], Wire] = SocketWire
    _tried: dict[Ref, int] = field(default_factory=dict)
    """Which version each provider's own pass is under way with; there may be a newer one by now."""
    _open: dict[tuple[str, str, str], Account] = field(default_factory=dict)
    _transports: list[Transport] = field(default_factory=list)
    _turnstiles: dict[tuple[str, str], Turnstile] = field(default_factory=dict)

    async def account(self, provider: Entity[Provider]) -> Account:
        """With the version of its credential that is known to work."""
        return self._account(provider, (await self._opened(provider)).value)

    async def newest(self, provider: Entity[Provider]) -> Account:
        """With the newest version, which its provider's own pass proves."""
        found = await self._opened(provider, newest=True)
        self._tried[provider.ref] = found.version
        return self._account(provider, found.value)

    async def proven(self, provider: Entity[Provider]) -> None:
        organization, name = provider.scope.organization, provider.spec.credential
        await self.secrets.used(organization, name, provider.ref, self._tried.get(provider.ref, 0))

    async def _opened(self, provider: Entity[Provider], *, newest: bool = False) -> Opened:
        organization, name = provider.scope.organization, provider.spec.credential
        to = Destination(url=provider.spec.endpoint, published=published(provider.spec))
        try:
            return await self.secrets.open(organization, name, provider.ref, to, newest=newest)
        except Denied:
            # What was opened when it was allowed is not looked through any longer.
            self._open = {key: each for key, each in self._open.items() if key[0] != provider.ref}
            raise

    def _account(self, provider: Entity[Provider], token: str) -> Account:
        spec = provider.spec
        key = (provider.ref, spec.endpoint, token)
        if key not in self._open:
            turnstile = self._turnstile(spec.endpoint, token)
            transport = Transport(provider.name, spec.endpoint, token, turnstile, self.wire())
            transport.counted = self.counted
            name = spec.credential.removeprefix(PREFIX)
            transport.cure = f"give it a credential that is valid: setpoint secret set {name}"
            self._transports.append(transport)
            self._open[key] = open_account(
                transport, self.now, self.fresh_for, partial(self.swept, provider.name)
            )
        return self._open[key]

    async def look(self) -> None:
        """Sweep every provider once more, through the account that was opened last."""
        for account in {provider: account for (provider, _, _), account in self._open.items()}.values():
            with suppress(*FAILURES):  # Counted with the calls.
                await account.sweep()

    def governors(self) -> Iterator[tuple[str, Governor]]:
        """Every governor, with the address of the account it is for."""
        return ((endpoint, turnstile.governor) for (endpoint, _), turnstile in self._turnstiles.items())

    async def close(self) -> None:
        for transport in self._transports:
            await transport.close()

    def _turnstile(self, endpoint: str, token: str) -> Turnstile:
        """Two providers with one credential share one limit, so they share one governor."""
        return self._turnstiles.setdefault((endpoint, token), Turnstile(self.call_seconds))
