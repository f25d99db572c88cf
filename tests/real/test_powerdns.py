"""A loop file on a real PowerDNS: one record that the server refuses costs the others nothing."""

import contextlib
import json
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from processes import free_port
from real.parts import part

pytestmark = pytest.mark.real
SCHEMA = Path("/usr/share/doc/pdns-backend-sqlite3/schema.sqlite3.sql")
KEY = "known-to-this-test-only"
GOOD = {f"host-{n:02d}": f"192.0.2.{n}" for n in range(1, 25)}
LOOP = '''
import json, pathlib, urllib.error, urllib.request
from setpoint.loop import Keyed, Rejected

URL, KEY = "{url}", "{key}"

class Zone(Keyed):
    """Addresses of example.org."""

    def _ask(self, method, body=None):
        request = urllib.request.Request(
            URL, method=method, data=json.dumps(body).encode() if body else None, headers={{"X-API-Key": KEY}}
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            if error.code == 422:
                raise Rejected(f"PowerDNS answered 422: {{error.read().decode()}}") from error
            raise

    def desired(self):
        return json.loads(pathlib.Path("zone.json").read_text())

    def observe(self):
        sets = self._ask("GET")["rrsets"]
        return {{s["name"].split(".")[0]: s["records"][0]["content"] for s in sets if s["type"] == "A"}}

    def _change(self, key, kind, records):
        name = f"{{key}}.example.org."
        rrset = {{"name": name, "type": "A", "ttl": 60, "changetype": kind, "records": records}}
        self._ask("PATCH", {{"rrsets": [rrset]}})

    def put(self, key, value):
        self._change(key, "REPLACE", [{{"content": value, "disabled": False}}])

    def delete(self, key):
        self._change(key, "DELETE", [])
'''


@pytest.fixture
def zone(tmp_path: Path) -> Iterator[str]:
    """The address of an empty zone on a PowerDNS of its own."""
    program = part("pdns_server", "pdns-server")
    if not SCHEMA.exists():
        part("pdns-backend-sqlite3", "pdns-backend-sqlite3")
    port, folder = free_port(), tmp_path / "pdns"
    folder.mkdir()
    with contextlib.closing(sqlite3.connect(folder / "pdns.db")) as database:
        database.executescript(SCHEMA.read_text())
    settings = {
        "launch": "gsqlite3",
        "gsqlite3-database": folder / "pdns.db",
        "local-address": "127.0.0.1",
        "local-port": free_port(),
        "api": "yes",
        "api-key": KEY,
        "webserver-address": "127.0.0.1",
        "webserver-port": port,
        "socket-dir": folder,
    }
    (folder / "pdns.conf").write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    command = [program, f"--config-dir={folder}", "--daemon=no", "--guardian=no", "--disable-syslog"]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603
    try:
        yield _created(f"http://127.0.0.1:{port}/api/v1/servers/localhost/zones", server, folder / "log")
    finally:
        server.terminate()
        server.wait(timeout=30)


def _created(url: str, server: "subprocess.Popen[bytes]", log: Path) -> str:
    body = {"name": "example.org.", "kind": "Native", "nameservers": ["ns1.example.org."]}
    while True:
        assert server.poll() is None, log.read_text()
        with contextlib.suppress(ConnectionError, urllib.error.URLError):
            asked(url, "POST", body)
            return f"{url}/example.org."
        time.sleep(0.05)


def asked(url: str, method: str = "GET", body: object = None) -> Mapping[str, object]:
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(url, method=method, data=data, headers={"X-API-Key": KEY})  # noqa: S310
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - loopback
        found: Mapping[str, object] = json.loads(answer.read())
        return found


def addresses(url: str) -> dict[str, str]:
    sets = asked(url)["rrsets"]
    assert isinstance(sets, list)
    return {s["name"].split(".")[0]: s["records"][0]["content"] for s in sets if s["type"] == "A"}


def run(folder: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "setpoint", "run", "zone.py", "--enforce", "--once"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)  # noqa: S603


@pytest.mark.parametrize("bad", ["aaa", "host-12b", "zzz"])
def test_one_refused_record_costs_the_others_nothing(zone: str, tmp_path: Path, bad: str) -> None:
    folder = tmp_path / "loop"
    folder.mkdir()
    (folder / "zone.py").write_text(LOOP.format(url=zone, key=KEY))
    (folder / "zone.json").write_text(json.dumps(GOOD | {bad: "not-an-address"}))
    first = run(folder)
    assert addresses(zone) == GOOD, first.stdout + first.stderr
    assert first.returncode == 1
    assert "DEGRADED" in first.stdout
    assert bad in first.stdout
    (folder / "zone.json").write_text(json.dumps(GOOD | {bad: "192.0.2.99"}))
    second = run(folder)
    assert (second.returncode, addresses(zone)) == (0, GOOD | {bad: "192.0.2.99"}), second.stdout
