"""How one simulated Hetzner Cloud behaves; every knob, none of it read from the environment."""

from pathlib import Path

import msgspec

from setpoint.sim.hetzner.rate import RateLimit


class SimSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The simulator's settings; only the token has no default."""

    token: str
    more_tokens: tuple[str, ...] = ()
    action_seconds: float = 0.3
    max_agents: int = 20
    agent_grace_seconds: float = 2.0
    # A hundred times what the real project has: running into it should be asked for, not happen.
    rate_limit: RateLimit = RateLimit(calls=3600 * 100)
    page_size: int = 25
    seed: int = 0
    log_file: Path | None = None

    @property
    def tokens(self) -> frozenset[str]:
        return frozenset((self.token, *self.more_tokens))
