"""The one door through which loops and pipelines reach anything outside their own values."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

import msgspec
from msgspec import Struct

from setpoint.capabilities.account import Accounts
from setpoint.capabilities.chronicle import NOTHING_TOLD, Chronicle
from setpoint.capabilities.probe import Probe
from setpoint.capabilities.webhook import Webhook
from setpoint.engine.declare import Declarer
from setpoint.engine.entity import Ref
from setpoint.engine.intent import Intent
from setpoint.engine.owners import Owners
from setpoint.engine.pipeline import Pipeline
from setpoint.engine.rows import Sign, Task


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """A secret in clear, for as long as it takes to use it."""

    value: str
    version: int = 0  # 0: the operator's own, which has none.
    before: str = ""  # The version before it, while both are good.

    def __repr__(self) -> str:
        return f"Opened(version={self.version})"


class Destination(msgspec.Struct, frozen=True, kw_only=True):
    """Where a secret is about to be used; `published` is the vendor's own address, where there is one."""

    url: str
    published: str = ""


class Secrets(Protocol):
    """Secrets are declared by name and opened only here, for whoever declared them."""

    async def open(
        self, organization: str, name: str, by: Ref, to: Destination, *, newest: bool = False
    ) -> Opened:
        """The version that works for whoever asks, or the newest; Denied where it may not be used there."""
        ...

    async def used(self, organization: str, name: str, by: Ref, version: int) -> None:
        """It worked: the version before it is not needed here any more."""
        ...


class Habits(Struct, frozen=True):
    """Settings that loops need: intervals are the kinds' own, these are about patience."""

    installation: str
    api_url: str
    heartbeat_seconds: float
    park_seconds: float
    settle_seconds: float
    """How long a call may still land, or its effect stay unseen, after its deadline."""


class World(Struct, frozen=True):
    """Everything outside, by name. Tests and the simulation hand in their own."""

    intent: Intent
    declarer: Declarer
    owners: Owners
    accounts: Accounts
    probe: Probe
    webhook: Webhook
    secrets: Secrets
    habits: Habits
    now: Callable[[], float]
    signs: Callable[[Sequence[Ref]], Awaitable[Mapping[Ref, Sign]]]
    enrolment: Callable[[Ref, str], Awaitable[str]]
    """The one-time token with which the agent of this host, made by this act, introduces itself."""
    tasks: Callable[[Ref], Awaitable[Sequence[Task]]]
    journal: Callable[[Sequence[str]], Awaitable[frozenset[str]]]
    """Which of these acts our journal holds."""
    pipelines: Mapping[str, Pipeline]
    chronicle: Chronicle = NOTHING_TOLD
