"""What processes that were started here and have ended took, with all their threads and children."""

import os
import resource
from collections.abc import Mapping


def cpu() -> float:
    """Seconds of CPU so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def environment() -> Mapping[str, str]:
    """Ours, but bytecode is kept as images ship it: who compiles anew is not compared with who does not."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
