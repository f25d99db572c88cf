"""What processes that were started here and have ended took, with all their threads and children."""

import resource


def cpu() -> float:
    """Seconds of CPU so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
