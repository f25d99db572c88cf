"""A world that answers, but badly: services say 503 and an empty object, commands fail silently."""

import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from setpoint.loop.conformance.sources import is_worker
from setpoint.loop.conformance.swap import swapped

ANSWER: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
    b"Connection: close\r\n\r\n{}"
)
SILENT_FAILURE: Final = (sys.executable, "-S", "-E", "-c", "raise SystemExit(1)")
_PATIENCE: Final = 2.0


@contextmanager
def refusing() -> Iterator[None]:
    """While this lasts, in this thread and its executor's threads."""
    here = threading.get_ident()

    def ours() -> bool:
        return threading.get_ident() == here or is_worker(sys._getframe())

    with (
        _sick_server() as address,
        swapped(socket.socket, "connect", _connecting(address, ours)),
        swapped(subprocess.Popen, "__init__", _starting(ours)),
    ):
        yield


def _connecting(address: tuple[str, int], ours: Callable[[], bool]) -> Callable[..., None]:
    connect = socket.socket.connect

    def connect_here(self: socket.socket, to: Any) -> None:
        connect(self, address if ours() and self.family == socket.AF_INET else to)

    return connect_here


def _starting(ours: Callable[[], bool]) -> Callable[..., None]:
    start: Callable[..., None] = subprocess.Popen.__init__

    def start_nothing(self: "subprocess.Popen[Any]", args: Any, *rest: Any, **more: Any) -> None:
        if ours():
            args, more = SILENT_FAILURE, {**more, "shell": False, "executable": None}
        start(self, args, *rest, **more)

    return start_nothing


@contextmanager
def _sick_server() -> Iterator[tuple[str, int]]:
    """Answers whoever says anything with the same bad news."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        stop = threading.Event()
        thread = threading.Thread(target=_answer_all, args=(listening, stop), daemon=True)
        thread.start()
        try:
            yield listening.getsockname()
        finally:
            stop.set()
            thread.join()


def _answer_all(listening: socket.socket, stop: threading.Event) -> None:
    listening.settimeout(0.02)
    while not stop.is_set():
        try:
            peer, _ = listening.accept()
        except TimeoutError:
            continue
        with peer:
            _answer(peer)


def _answer(peer: socket.socket) -> None:
    peer.settimeout(_PATIENCE)
    try:
        peer.recv(65536)
        peer.sendall(ANSWER)
        peer.shutdown(socket.SHUT_WR)
        peer.recv(65536)  # What is still on its way: else the answer may be lost to a reset.
    except OSError:
        return
