"""Unit files, read the plain way: sections of options, each of which may be there more than once."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "deploy" / "systemd"
PROGRAM = "/opt/setpoint/bin/setpoint"


@dataclass(frozen=True)
class Unit:
    """One file."""

    path: Path

    @property
    def options(self) -> Iterator[tuple[str, str, str]]:
        """Section, name and value, in the order of the file."""
        section = ""
        for line in self.path.read_text().splitlines():
            if line.startswith("["):
                section = line.strip("[]")
            elif line and not line.startswith("#"):
                name, equals, value = line.partition("=")
                assert equals, f"{self.path.name}: {line}"
                yield section, name, value

    def all(self, wanted: str) -> list[str]:
        return [value for _, name, value in self.options if name == wanted]

    def one(self, wanted: str) -> str:
        (value,) = self.all(wanted)
        return value

    @property
    def environment(self) -> dict[str, str]:
        pairs = (value.partition("=") for value in self.all("Environment"))
        return {name: value for name, _, value in pairs}


def services() -> list[Unit]:
    return [Unit(path) for path in sorted(FOLDER.glob("*.service"))]
