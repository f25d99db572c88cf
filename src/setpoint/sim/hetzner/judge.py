"""The judge's log: every effect the cloud has really had, in order, whatever its callers believe.

An effect is written when it happens, so a reply that was lost on the way does not make it unhappen."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO, Literal

import msgspec

from setpoint.sim.hetzner.labels import Labels


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """One change of the simulated world; `by` tells an API call from a change behind everybody's back."""

    number: int
    time: float
    method: str
    verb: str
    resource: str
    id: int | str
    name: str
    labels: Labels = {}
    zone: str | None = None
    by: Literal["api", "behind"] = "api"


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """What an effect is about."""

    resource: str
    id: int | str
    name: str
    labels: Labels = {}
    zone: str | None = None


_METHODS: Mapping[str, str] = {"update": "PUT", "delete": "DELETE"}


class JudgeLog:
    """Append only: in memory, and in a file as JSON lines if there is one."""

    def __init__(self, now: Callable[[], float], file: Path | None) -> None:
        self._now = now
        self._effects: list[Effect] = []
        self._path = file
        self._file: BinaryIO | None = None

    @property
    def effects(self) -> tuple[Effect, ...]:
        return tuple(self._effects)

    def write(self, verb: str, changed: Changed, by: Literal["api", "behind"] = "api") -> None:
        """Adds an effect; it is on its way to the disk before this returns."""
        effect = Effect(
            number=len(self._effects) + 1,
            time=self._now(),
            method=_METHODS.get(verb, "POST"),
            verb=verb,
            resource=changed.resource,
            id=changed.id,
            name=changed.name,
            labels=changed.labels,
            zone=changed.zone,
            by=by,
        )
        self._effects.append(effect)
        if self._path is not None:
            self._file = self._file or self._path.open("ab")
            self._file.write(msgspec.json.encode(effect) + b"\n")
            self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            self._file = None
