"""The machine and what is installed on it: Python, packages, descriptors, clock, port."""

import ctypes
import resource
import socket
import sys
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import msgspec

from setpoint.check.finding import Finding, Site, fail, ok, warn
from setpoint.cli.flags import VARIABLES
from setpoint.cli.suggest import closest
from setpoint.settings import PREFIX, Settings

OLDEST_PYTHON: Final = (3, 11)
FILES_NEEDED: Final = 256
FILES_WANTED: Final = 1024
NOT_IN_STEP: Final = 5
"""What the kernel answers when nothing keeps its clock right."""
PACKAGES: Final[Mapping[str, str]] = {"database": "asyncpg", "runner": "temporalio", "hints": "redis"}
EXTRAS: Final[Mapping[str, str]] = {"asyncpg": "postgres", "temporalio": "temporal", "redis": "redis"}


def variables(site: Site) -> Finding:
    """A name that is nearly a setting's does nothing, and nobody says so."""
    settings = {PREFIX + name.upper() for name in Settings.__struct_fields__}
    known = settings | set(VARIABLES)
    named = sorted(name for name in site.environment if name.startswith(PREFIX))
    unknown = [name for name in named if name not in known]
    if not unknown:
        return ok("settings", f"{len(named)} from the environment" if named else "none from the environment")
    meant = {name: closest(name.lower(), [word.lower() for word in known]).upper() for name in unknown}
    cures = [f"did you mean {near}?" if near else f"unset {name}" for name, near in meant.items()]
    return warn("settings", f"{', '.join(unknown)}: no such setting, ignored", "; ".join(cures))


def python(version: tuple[int, int, int] = sys.version_info[:3]) -> Finding:
    said = ".".join(map(str, version))
    if version < OLDEST_PYTHON:
        return fail(
            "python", f"{said}; 3.11 is needed", "install it with a newer Python: python3.11 -m venv …"
        )
    return ok("python", said)


def packages(settings: Settings) -> Finding:
    """What these settings need beyond the usual install."""
    asked = msgspec.structs.asdict(settings)
    needed = [package for name, package in PACKAGES.items() if "://" in str(asked.get(name, ""))]
    missing = [package for package in needed if find_spec(package) is None]
    if missing:
        extras = ",".join(EXTRAS[package] for package in missing)
        return fail("packages", f"{', '.join(missing)} not installed", f'pip install "setpoint[{extras}]"')
    return ok(
        "packages", f"{', '.join(needed)} installed" if needed else "nothing beyond the usual is needed"
    )


def descriptors(limit: int | None = None) -> Finding:
    """Connections, files and pipes that a process started like this one may have open."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if limit is None else limit
    said = "no limit" if most == resource.RLIM_INFINITY else f"{most:,} at once"
    cure = "ulimit -n 65536 (in a unit: LimitNOFILE=65536)"
    if most != resource.RLIM_INFINITY and most < FILES_WANTED:
        found = fail if most < FILES_NEEDED else warn
        return found("descriptors", f"{said}; {FILES_WANTED:,} are wanted", cure)
    return ok("descriptors", said)


def clock(site: Site) -> Finding:
    """Ours may not be before the newest file of this program, and something should keep it right."""
    made = max(file.stat().st_mtime for file in Path(__file__).parent.glob("*.py"))
    return told_of_clock(site.now() - made, _kernel_clock())


def told_of_clock(ahead: float, state: int | None) -> Finding:
    """From how far we are after the making of this program, and what the kernel says of its clock."""
    cure = "timedatectl set-ntp true"
    if ahead < -1:
        return fail("clock", f"{-ahead:,.0f} s before this program was installed", cure)
    if state == NOT_IN_STEP:
        return warn("clock", "nothing keeps it in step with others, as the kernel says", cure)
    return ok("clock", "after this program was installed" if state is None else "kept in step")


def port(host: str, number: int) -> Finding:
    """Whether a service could listen there, found out by doing it."""
    where = f"{host}:{number}"
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, number))
            listener.listen(1)
    except OSError as error:
        cure = f"--port N or SETPOINT_PORT=N; who has it: ss -ltnp 'sport = :{number}'"
        return fail("port", f"cannot listen on {where}: {error.strerror or error}", cure)
    return ok("port", f"{where} is free" if number else "any free one")


def mistakes(lines: Iterable[str]) -> list[Finding]:
    """Settings that cannot be read, one finding each."""
    return [fail("settings", line, f"correct {line.partition('=')[0]}, or unset it") for line in lines]


def _kernel_clock() -> int | None:
    """The kernel's word on its clock, where there is such a kernel."""
    try:
        answer = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(512))
    except (AttributeError, OSError):
        return None
    return int(answer) if answer >= 0 else None
