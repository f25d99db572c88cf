"""The one door through which loops and pipelines reach anything outside their own values."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from setpoint.capabilities.account import Account
from setpoint.capabilities.probe import Probe
from setpoint.capabilities.webhook import Webhook
from setpoint.engine.declare import Declarer
from setpoint.engine.entity import AnyEntity, Ref
from setpoint.engine.intent import Intent
from setpoint.engine.pipeline import Pipeline
from setpoint.engine.rows import Sign, Task


class Secrets(Protocol):
    """Secrets are declared by name and opened only here."""

    def open(self, name: str) -> str:
        """The secret, or Missing saying where it was looked for."""
        ...


@dataclass(frozen=True, slots=True)
class Habits:
    """Settings that loops need: intervals are the kinds' own, these are about patience."""

    installation: str
    api_url: str
    heartbeat_seconds: float
    park_seconds: float
    settle_seconds: float
    """How long a call may still land, or its effect stay unseen, after its deadline."""


@dataclass(frozen=True, slots=True)
class World:
    """Everything outside, by name. Tests and the simulation hand in their own."""

    intent: Intent
    declarer: Declarer
    account: Callable[[AnyEntity], Account]
    """The account a provider entity stands for; one per credential, shared by all who use it."""
    probe: Probe
    webhook: Webhook
    secrets: Secrets
    habits: Habits
    now: Callable[[], float]
    signs: Callable[[Sequence[Ref]], Awaitable[Mapping[Ref, Sign]]]
    enrolment: Callable[[Ref, str], str]
    """The one-time token with which the agent of this host, made by this act, introduces itself."""
    tasks: Callable[[Ref], Awaitable[Sequence[Task]]]
    journal: Callable[[Sequence[str]], Awaitable[frozenset[str]]]
    """Which of these acts our journal holds."""
    pipelines: Mapping[str, Pipeline]
