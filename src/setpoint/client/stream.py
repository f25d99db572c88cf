"""A watch: server-sent events, read in a thread so that whoever follows can also mind the clock."""

import http.client
import json
import queue
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from setpoint.client.connection import OK, Connection, decoded
from setpoint.client.errors import Refused, Unreachable, problem_of
from setpoint.client.resource import Happening, happening_of

SILENCE_ALLOWED: Final = 45.0
"""The server says something every 15 seconds."""
RECONNECTS: Final = 10
PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 5.0

Found = Happening | Unreachable | Refused
Opened = tuple[http.client.HTTPConnection, http.client.HTTPResponse]


class Stream:
    """Everything that happens at one address from the moment this is made; reconnects and misses nothing."""

    def __init__(self, connection: Connection, path: str, since: str = "") -> None:
        self._connection = connection
        self._path = path
        self._found: queue.Queue[Found] = queue.Queue()
        self._closed = threading.Event()
        self._last = since
        self._socket: socket.socket | None = None
        opened = self._open()
        self._thread = threading.Thread(target=self._follow, args=(opened,), daemon=True)
        self._thread.start()

    @property
    def last(self) -> str:
        """The revision read last; known as soon as the server has said where we start."""
        return self._last

    def next(self, within: float) -> Happening | None:
        """The next event, or None when none came in time. Raises once the stream cannot be resumed."""
        try:
            found = self._found.get(timeout=max(0.0, within))
        except queue.Empty:
            return None
        if isinstance(found, Unreachable | Refused):
            raise found
        return found

    def close(self) -> None:
        """Ends the reading thread, wherever it waits."""
        self._closed.set()
        held = self._socket
        if held is not None:
            with suppress(OSError):  # closed by the other side already, which is as good
                held.shutdown(socket.SHUT_RDWR)
        self._thread.join(timeout=5.0)

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> Opened:
        connection = self._connection.connect()
        resumed = {"Last-Event-ID": self._last} if self._last else {}
        headers = self._connection.headers({**resumed, "Accept": "text/event-stream"})
        separator = "&" if "?" in self._path else "?"
        try:
            connection.connect()
            held: socket.socket = connection.sock
            connection.request(
                "GET", self._connection.path(f"{self._path}{separator}watch=1"), headers=headers
            )
            response = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise Unreachable(self._connection.endpoint.url, str(error) or "the watch broke") from error
        if response.status >= OK:
            body = decoded(response.read())
            connection.close()
            raise Refused(problem_of(response.status, body))
        held.settimeout(SILENCE_ALLOWED)
        self._socket = held
        return connection, response

    def _follow(self, opened: Opened) -> None:
        following: Opened | None = opened
        while following is not None:
            connection, response = following
            # A broken stream is resumed where it stopped, so how it broke does not matter.
            with suppress(OSError, http.client.HTTPException, ValueError):
                for found in self._events(response):
                    self._found.put(found)
            response.close()
            connection.close()
            following = self._resumed()

    def _resumed(self) -> Opened | None:
        """The stream opened anew; None when that is over, with the reason handed on."""
        lost: Found | None = None
        for tries in range(RECONNECTS):
            if self._closed.wait(min(LONGEST_PAUSE, PAUSE * 2**tries)):
                return None
            try:
                return self._open()
            except Unreachable as error:
                lost = error
            except Refused as error:
                lost = error
                break
        if lost is not None:
            self._found.put(lost)
        return None

    def _events(self, response: http.client.HTTPResponse) -> Iterator[Happening]:
        data: list[str] = []
        identity = self._last
        while line := response.readline():
            field, _, value = line.decode().rstrip("\r\n").partition(":")
            value = value.removeprefix(" ")
            if field == "id":
                identity = value
            elif field == "data":
                data.append(value)
            elif not field and not value:
                if data:
                    yield happening_of(json.loads("\n".join(data)))
                # Only now: an event cut short must come again.
                data, self._last = [], identity


def started(stream: Stream, within: float) -> str:
    """The revision a fresh stream starts at."""
    left = within
    while not stream.last and left > 0:
        time.sleep(0.01)
        left -= 0.01
    return stream.last
