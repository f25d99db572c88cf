"""What code reaches for outside itself, watched and made to fail: files, databases, services, commands.

Python tells audit hooks about each of these, whichever way they are called. A hook stays for the life of the
process; without a watch it does nothing. Of a connection that was opened before, as every client with a pool
keeps one, no hook tells: there the methods of sockets that send are exchanged while somebody watches.
"""

import errno
import os
import socket
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack
from types import FrameType
from typing import Any, Final

from setpoint.loop.conformance.swap import swapped

AnyArgs = tuple[Any, ...]

FAILED: Final = "made to fail by assert_loop"
EVENTS: Final[Mapping[str, str]] = {
    "open": "opening {}",
    "os.listdir": "listing {}",
    "os.scandir": "listing {}",
    "os.mkdir": "making the folder {}",
    "os.rename": "renaming {}",
    "os.remove": "removing {}",
    "os.truncate": "cutting {}",
    "sqlite3.connect": "opening the database {}",
    "socket.connect": "connecting to {}",
    "socket.send": "sending to {}",
    "http.client.send": "sending a request",
    "subprocess.Popen": "running {}",
}
FOLDERS: Final = frozenset({"os.listdir", "os.scandir"})
NETWORK: Final = frozenset({"socket.connect", "socket.send", "http.client.send"})
SENDING: Final = ("send", "sendall", "sendmsg")
SENDING_SEALED: Final = ("send", "write")  # Of TLS: its `sendall` comes down to `send`.
COMMANDS: Final = frozenset({"subprocess.Popen"})
_CODE: Final = (".py", ".pyc", ".pyi", ".so")
_SYSTEM: Final = ("/proc/", "/sys/", "/dev/")
_MEMORY: Final = "/dev/shm/"  # noqa: S108 - files like any other, only in memory
_ADDRESS: Final = {"socket.connect": 1}


class Watch:
    """In a `with`: counts what this thread and its executor's threads reach for; fails what it is told."""

    def __init__(self, failing: Collection[int] | None = ()) -> None:
        """The places of those that fail, the first being 1; None: all of them."""
        self._failing = failing
        self._thread = 0
        self.touched: list[str] = []  # The events, in their order.
        self.files: set[str] = set()
        self.folders: set[str] = set()
        self.last = ""  # The last of them, in words,
        self.failed = ""  # and the first that failed.
        self._connected: set[int] = set()
        self._stack = ExitStack()

    def __enter__(self) -> "Watch":
        _install()
        self._thread = threading.get_ident()
        for owner, names in _senders():
            for name in names:
                self._stack.enter_context(swapped(owner, name, self._sending(getattr(owner, name))))
        _watches.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _watches.remove(self)
        self._stack.close()

    @property
    def is_quiet(self) -> bool:
        """Whether it only counts."""
        return self._failing is not None and not self._failing

    def covers(self) -> bool:
        return threading.get_ident() == self._thread or is_worker(sys._getframe())

    def touch(self, event: str, args: AnyArgs) -> None:
        subject = args[_ADDRESS.get(event, 0)] if args else ""
        if (event == "open" or event in FOLDERS) and not _is_data(subject):
            return
        if event == "socket.connect":
            self._connected.add(args[0].fileno())
        self.touched.append(event)
        self.last = _words(event, subject, args)
        if event == "open":
            self.files.add(os.fsdecode(subject))
        elif event in FOLDERS:
            self.folders.add(os.fsdecode("." if subject is None else subject))
        if self._failing is None or len(self.touched) in self._failing:
            self.failed = self.failed or f"{self.last} failed"
            raise _failure(event, subject)

    def _sending(self, send: Callable[..., Any]) -> Callable[..., Any]:
        def sending(connection: socket.socket, *args: Any, **more: Any) -> Any:
            peer = _peer(connection) if self.covers() else None
            # What was connected here could fail then; what http.client sends was told of just before.
            told = connection.fileno() in self._connected or self.touched[-1:] == ["http.client.send"]
            if peer and not told:
                self.touch("socket.send", (peer,))
            return send(connection, *args, **more)

        return sending


def _senders() -> Iterator[tuple[Any, tuple[str, ...]]]:
    yield socket.socket, SENDING
    if "ssl" in sys.modules:
        yield sys.modules["ssl"].SSLSocket, SENDING_SEALED


def _peer(connection: socket.socket) -> object:
    """Who is at the other end of a connection; nobody where it is half of a pair, as event loops have one."""
    try:
        return connection.getpeername()
    except OSError:
        return None


def is_worker(frame: FrameType | None) -> bool:
    """Whether this thread belongs to an executor, as that of `asyncio.to_thread`."""
    while frame is not None:
        if (
            frame.f_code.co_name == "_worker"
            and frame.f_globals.get("__name__") == "concurrent.futures.thread"
        ):
            return True
        frame = frame.f_back
    return False


_watches: list[Watch] = []
_installed: list[bool] = []


def _install() -> None:
    if not _installed:
        _installed.append(True)
        sys.addaudithook(_heard)


def _heard(event: str, args: AnyArgs) -> None:
    # The interpreter empties modules when it ends, and still reports.
    if not _watches or event not in EVENTS:
        return
    for watch in tuple(_watches):
        if watch.covers():
            watch.touch(event, args)


def _is_data(path: object) -> bool:
    """Not a file descriptor, not code that is imported or quoted in a traceback."""
    if not isinstance(path, str | bytes | os.PathLike):
        return path is None  # The folder that we are in.
    name = os.fsdecode(path)
    return not name.endswith(_CODE) and (name.startswith(_MEMORY) or not name.startswith(_SYSTEM))


def _words(event: str, subject: object, args: AnyArgs) -> str:
    """`truncating '/tmp/flags.json'`."""
    named = os.fsdecode(subject) if isinstance(subject, bytes | os.PathLike) else subject
    if event == "open" and (str(args[1] or "").startswith("w") or args[2] & os.O_TRUNC):
        return f"truncating {named!r}"
    return EVENTS[event].format(repr(named))


def _failure(event: str, subject: object) -> Exception:
    if event == "socket.send":
        return ConnectionResetError(errno.ECONNRESET, FAILED)
    if event in NETWORK:
        return ConnectionRefusedError(errno.ECONNREFUSED, FAILED)
    if event == "sqlite3.connect":
        error: Exception = sys.modules["sqlite3"].OperationalError(f"unable to open database file: {FAILED}")
        return error
    if event in COMMANDS:
        return OSError(errno.EIO, FAILED)
    return PermissionError(errno.EACCES, FAILED, subject)
