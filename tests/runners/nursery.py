"""Where workers come from: everything is imported already, so a new process is only a fork.

One line of orders in, the number of the new process out.
"""

import asyncio
import ctypes
import json
import os
import signal
import sys

from runners import worker_process


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Nobody waits for them: whoever is gone is gone at once.
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            work(*json.loads(line))
        print(child, flush=True)  # noqa: T201 - the answer


def work(*orders: str) -> None:
    """Never comes back; ends with the nursery, however that ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    os.dup2(2, 1)
    try:
        asyncio.run(worker_process.main(*orders))
    except BaseException as error:  # noqa: BLE001 - said, and then the process is over
        print(repr(error), file=sys.stderr, flush=True)  # noqa: T201
    os._exit(1)


if __name__ == "__main__":
    main()
