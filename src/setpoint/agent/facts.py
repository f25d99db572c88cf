"""What an agent tells about its own host: short texts and numbers that seldom change."""

import os
import platform
from pathlib import Path
from typing import Any

from setpoint import __version__

KIBI = 1024


def gather() -> dict[str, Any]:
    return {
        "version": __version__,
        "hostname": platform.node(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "system": _system(),
        "cpus": os.cpu_count() or 0,
        "memory_mb": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // KIBI // KIBI,
    }


def _system() -> str:
    try:
        lines = Path("/etc/os-release").read_text().splitlines()
    except OSError:
        return platform.system()
    names = [line.partition("=")[2].strip('"') for line in lines if line.startswith("PRETTY_NAME=")]
    return names[0] if names else platform.system()
