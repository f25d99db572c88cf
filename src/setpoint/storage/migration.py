"""A step of the schema: a numbered file with its way back."""

from pathlib import Path
from typing import Final

from msgspec import Struct

from setpoint.engine.errors import Rejected

_DOWN: Final = "-- down:"


class Migration(Struct, frozen=True):
    """One numbered step of the schema and its way back."""

    number: int
    name: str
    up: str
    down: str

    @property
    def title(self) -> str:
        return f"{self.number:04}_{self.name}"


def steps_in(source: Path) -> tuple[Migration, ...]:
    """Every step in this folder, in order."""
    steps = tuple(_step(file) for file in sorted(source.glob("[0-9]*_*.sql")))
    if [step.number for step in steps] != list(range(1, len(steps) + 1)):
        raise ValueError(f"{source} must hold 0001, 0002 … without a gap; it holds {[s.name for s in steps]}")
    return steps


def check_known(where: object, version: int, newest: int, backup: str) -> None:
    """Hands off a schema that is newer than this code."""
    if version > newest:
        raise Rejected(
            f"{where} has schema {version}, and this setpoint knows up to {newest}: "
            f"run the newer setpoint, or restore {backup}"
        )


def _step(file: Path) -> Migration:
    number, _, name = file.stem.partition("_")
    forwards, marker, back = file.read_text(encoding="utf-8").partition(_DOWN)
    if not marker or not back.strip():
        raise ValueError(f"{file.name} has no `{_DOWN}` part: every step must be reversible")
    return Migration(int(number), name, forwards, back)
