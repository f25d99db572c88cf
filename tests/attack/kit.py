"""An installation as an attacker meets it: real processes, asked by HTTP and the command line alone.

Nothing here imports the product, so the same suite runs against another version: SETPOINT_ATTACK_PYTHON names
the interpreter that has it. On PostgreSQL two replicas of the API answer in turn.
"""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

AnyJson = Any
PYTHON = os.environ.get("SETPOINT_ATTACK_PYTHON", sys.executable)
ENOUGH = 90.0
"""Seconds to wait for a condition: a busy machine is slow, not wrong."""
PASSWORD = "violet harbour sings at nine"  # noqa: S105 - opens nothing but these installations
CLOUD_TOKEN = "for-attacks-alone"  # noqa: S105 - opens nothing but the simulator
LOOPBACK = "127.0.0.0/8,::1/128"
QUICK = {
    "SETPOINT_HEARTBEAT_SECONDS": "0.5",
    "SETPOINT_PRIVATE_NETWORKS": LOOPBACK,
    "SETPOINT_PROVIDER_NETWORKS": LOOPBACK,
    "SETPOINT_SETTLE_SECONDS": "1",
    "SETPOINT_CALL_SECONDS": "2",
    "SETPOINT_PARK_SECONDS": "60",
    "SETPOINT_INVENTORY_SECONDS": "0.2",
    "SETPOINT_LIMITS": "probation_gap=0.3",
    "SETPOINT_INTERVALS": "host=1,dns_zone=1,scaling_group=1,workspace=1,provider=1",
}
_numbers = count(1)


@dataclass(frozen=True)
class Answer:
    """One answer over HTTP."""

    status: int
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> AnyJson:
        return json.loads(self.raw)

    def __str__(self) -> str:
        return f"{self.status} {self.raw[:600].decode(errors='replace')}"


@dataclass(frozen=True)
class Ran:
    """One run of the command line."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Caller:
    """Somebody with a credential, or with none."""

    urls: tuple[str, ...]
    token: str = ""
    source: str = ""
    """The address that they ask from. Who guesses has one of their own: it makes others there wait."""

    def call(
        self,
        method: str,
        path: str,
        body: AnyJson = None,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> Answer:
        """One request; the replicas are asked in turn."""
        known = {
            "Content-Type": "application/json",
            **({"Authorization": f"Bearer {self.token}"} if self.token else {}),
        }
        raw = more.get("raw", None if body is None else json.dumps(body).encode())
        sent = {**known, **(headers or {})}
        return send(self.urls[next(_numbers) % len(self.urls)], method, path, raw, sent, source=self.source)

    def get(self, path: str) -> Answer:
        return self.call("GET", path)

    def good(self, method: str, path: str, body: AnyJson = None) -> AnyJson:
        """The body of an answer that must not be a refusal."""
        answer = self.call(method, path, body)
        assert answer.status < 300, f"{method} {path}: {answer}"
        return answer.body if answer.raw else None

    def put(self, where: str, spec: AnyJson, **metadata: AnyJson) -> AnyJson:
        """Declares one object at its address."""
        body = {"spec": spec, **({"metadata": metadata} if metadata else {})}
        return self.good("PUT", where, body)

    def every(self, where: str) -> list[AnyJson]:
        """All items of a list, page by page."""
        found: list[AnyJson] = []
        after, mark = "", "&" if "?" in where else "?"
        while True:
            page = self.good("GET", f"{where}{mark}page_size=200&page_token={after}")
            found += page["items"]
            after = page["next_page_token"]
            if not after:
                return found

    def cli(self, *arguments: str, organization: str = "", stdin: str = "", home: Path | None = None) -> Ran:
        """`setpoint …` as this caller."""
        env = {
            **{name: value for name, value in os.environ.items() if not name.startswith("SETPOINT_")},
            "SETPOINT_URL": self.urls[0],
            "SETPOINT_TOKEN": self.token,
            **({"SETPOINT_ORGANIZATION": organization} if organization else {}),
            **({"HOME": str(home), "SETPOINT_CONFIG": str(home / "config")} if home else {}),
        }
        command = [PYTHON, "-m", "setpoint", *arguments]
        done = subprocess.run(  # noqa: S603 - our own words
            command, env=env, input=stdin, capture_output=True, text=True, timeout=ENOUGH, check=False
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def until(self, where: str, found: Callable[[AnyJson], bool], story: str = "") -> AnyJson:
        """The answer of an address as soon as it is so."""
        deadline = time.monotonic() + ENOUGH
        while True:
            answer = self.get(where)
            if answer.status < 300 and found(answer.body):
                return answer.body
            if time.monotonic() > deadline:
                raise AssertionError(f"{story or where} never came to be: {answer}")
            time.sleep(0.05)

    def gone(self, where: str) -> None:
        """Waits until an address answers that nothing is there."""
        deadline = time.monotonic() + ENOUGH
        while self.get(where).status != 404:
            assert time.monotonic() < deadline, f"{where} never went"
            time.sleep(0.05)  # A credential makes so many requests a second and no more.

    def ready(self, where: str, state: str = "READY") -> AnyJson:
        return self.until(where, lambda each: each["status"]["state"] == state, f"{where} {state}")


@dataclass
class Installation:
    """Processes, the data folder, and its administrator."""

    admin: Caller
    data: Path
    store: str
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    logs: list[Path] = field(default_factory=list)

    @property
    def nobody(self) -> Caller:
        return Caller(self.admin.urls)

    @property
    def guesser(self) -> Caller:
        """Somebody without a credential at an address that nobody else asks from."""
        number = next(_numbers)
        return Caller(
            self.admin.urls, source=f"127.{1 + number // 65536}.{number // 256 % 256}.{number % 256}"
        )

    @property
    def url(self) -> str:
        return self.admin.urls[0]

    def with_token(self, token: str) -> Caller:
        return Caller(self.admin.urls, token)

    def organization(self, prefix: str = "org") -> str:
        """A new organization; the name is nobody else's."""
        name = f"{prefix}{next(_numbers)}"
        self.admin.put(f"/v1/organizations/{name}", {})
        return name

    def project(self, organization: str, name: str = "shop") -> str:
        """A new project; returns its address."""
        where = f"/v1/organizations/{organization}/projects/{name}"
        self.admin.put(where, {})
        return where

    def service(self, organization: str, role: str, **more: AnyJson) -> Caller:
        """A program's credential, made by the administrator."""
        body = {"name": f"svc{next(_numbers)}", "role": role, **more}
        made = self.admin.good("POST", f"/v1/organizations/{organization}/tokens", body)
        return self.with_token(made["token"])

    def person(self, email: str) -> Caller:
        """Somebody with an account and an open session, by the letter that was written to them."""
        self.admin.good("POST", "/v1/accounts", {"email": email})
        body = {"link": self.letter_to(email), "password": PASSWORD, "cookie": False}
        return self.with_token(self.nobody.good("POST", "/v1/links:use", body)["token"])

    def letter_to(self, email: str) -> str:
        """The newest link in the outbox that was written to this address."""
        deadline = time.monotonic() + ENOUGH
        while True:
            letters = self.admin.every("/v1/outbox")
            links = [str(each["link"]) for each in letters if each["to"] == email and each["link"]]
            if links:
                return links[0]
            assert time.monotonic() < deadline, f"no letter to {email}"
            time.sleep(0.02)

    def member(self, organization: str, name: str, *roles: AnyJson) -> Caller:
        """A person with an account who accepted a membership with these roles; `name` is unique by itself."""
        email = f"{name}@{organization}.example"
        person = self.person(email)
        where = f"/v1/organizations/{organization}/memberships/{name}"
        self.admin.put(where, {"email": email, "roles": list(roles)})
        link = self.admin.good("POST", f"{where}:invite", {})["link"]
        body = {"link": link, "password": PASSWORD, "cookie": False}
        self.nobody.good("POST", "/v1/links:use", body)
        return person

    def stop(self) -> None:
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            process.wait()


def send(  # noqa: PLR0913 - so many parts has a request
    url: str, method: str, path: str, raw: bytes | None, headers: Mapping[str, str], *, source: str = ""
) -> Answer:
    """One request on a connection of its own."""
    parts = urlsplit(url)
    at = (source, 0) if source else None
    connection = http.client.HTTPConnection(
        str(parts.hostname), parts.port, timeout=ENOUGH, source_address=at
    )
    try:
        connection.request(method, path, body=raw, headers=dict(headers))
        answer = connection.getresponse()
        return Answer(answer.status, dict(answer.getheaders()), answer.read())
    finally:
        connection.close()


def start(
    folder: Path, name: str, *arguments: str, env: Mapping[str, str]
) -> tuple[subprocess.Popen[bytes], Path, Path]:
    """`setpoint …` with a ready file; its output is kept beside it."""
    ready, log = folder / f"{name}.ready", folder / f"{name}.log"
    ready.unlink(missing_ok=True)
    clean = {key: value for key, value in os.environ.items() if not key.startswith("SETPOINT_")}
    with log.open("ab") as written:
        process = subprocess.Popen(  # noqa: S603 - our own words
            [PYTHON, "-m", "setpoint", *arguments, "--ready-file", str(ready)],
            env={**clean, **QUICK, **env},
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=written,
        )
    return process, ready, log


def await_ready(process: subprocess.Popen[bytes], ready: Path, log: Path) -> AnyJson:
    """What a process says when it is ready; an error with its output if it never is."""
    deadline = time.monotonic() + ENOUGH
    while not ready.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            raise AssertionError(f"not ready, exit {process.poll()}\n{log.read_text()}")
        time.sleep(0.02)
    return json.loads(ready.read_text())


@contextlib.contextmanager
def on_sqlite(folder: Path, **env: str) -> Iterator[Installation]:
    """All three services in one process."""
    data = folder / "data"
    (data / "secrets").mkdir(parents=True, exist_ok=True, mode=0o700)
    started = start(folder, "up", "up", "--data", str(data), "--port", "0", env=env)
    found = Installation(Caller(("",)), data, "sqlite", [started[0]], [started[2]])
    try:
        told = await_ready(*started)
        found.admin = Caller((told["url"],), told["token"])
        yield found
    finally:
        found.stop()


@contextlib.contextmanager
def on_postgres(folder: Path, database: str, **env: str) -> Iterator[Installation]:
    """Two replicas of each service on one database."""
    data = folder / "data"
    (data / "secrets").mkdir(parents=True, exist_ok=True, mode=0o700)
    shared = {"SETPOINT_ALLOW_UNSAFE_DATABASE": "1", **env}
    found = Installation(Caller(("",)), data, "postgres")
    try:
        told = []
        for service in ("api", "api", "worker", "worker", "scheduler", "scheduler"):
            name = f"{service}{len(found.processes)}"
            rest = ["--port", "0", "--data", str(data), "--database", database]
            # Agents and letters are told one address of the API, which its later processes know.
            known = {"SETPOINT_PUBLIC_URL": told[0]["url"]} if told else {}
            started = start(folder, name, service, *rest, env={**known, **shared})
            found.processes.append(started[0])
            found.logs.append(started[2])
            told.append(await_ready(*started))
        found.admin = Caller((told[0]["url"], told[1]["url"]), told[0].get("token") or _token_in(data))
        yield found
    finally:
        found.stop()


def _token_in(data: Path) -> str:
    return (data / "admin.token").read_text().strip()


@contextlib.contextmanager
def hetzner(folder: Path, token: str = CLOUD_TOKEN, agents: int = 0) -> Iterator[str]:
    """A simulated cloud in a process of its own, whose first servers run what they are given; its address."""
    options = ["sim", "hetzner", "--token", token, "--max-agents", str(agents), "--action-seconds", "0.05"]
    started = start(folder, f"sim{next(_numbers)}", *options, env={})
    try:
        yield str(await_ready(*started)["url"])
    finally:
        started[0].terminate()  # Its agents end with it.
        started[0].wait()


def with_mounts(folder: Path, commands: str) -> Path:
    """An interpreter that sees a file system of its own, as these commands change it; for `kit.PYTHON`.

    Needs user namespaces: where there are none, `can_mount` says so.
    """
    script = folder / "python"
    inner = f'{commands} && exec "$0" "$@"'
    script.write_text(f"#!/bin/sh\nexec unshare -rm sh -c '{inner}' '{PYTHON}' \"$@\"\n")
    script.chmod(0o700)
    return script


def can_mount(folder: Path) -> bool:
    command = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", str(folder)]
    with contextlib.suppress(OSError):
        return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603
    return False


@dataclass
class Listener:
    """An attacker's own server: answers 200 to everything and keeps what was sent to it."""

    url: str
    heard: list[bytes] = field(default_factory=list)


@contextlib.contextmanager
def listener() -> Iterator[Listener]:
    """Listens on loopback until the test ends."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = Listener(f"http://127.0.0.1:{server.getsockname()[1]}")

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection, contextlib.suppress(OSError):
                        connection.settimeout(5)
                        found.heard.append(connection.recv(65536))
                        connection.sendall(
                            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
                        )

        threading.Thread(target=serve, daemon=True).start()
        yield found


def slowest_livez(url: str, during: Callable[[], object], pause: float = 0.02) -> Sequence[float]:
    """How long each /livez took, in seconds, while something else is asked; sorted."""
    taken: list[float] = []
    over = threading.Event()

    def ask() -> None:
        while not over.is_set():
            began = time.monotonic()
            with contextlib.suppress(OSError):
                send(url, "GET", "/livez", None, {})
            taken.append(time.monotonic() - began)
            time.sleep(pause)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        during()
    finally:
        over.set()
        asking.join()
    return sorted(taken)
