"""What one tenant does, or has, changes what another one is told."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import kit
from .kit import Caller, Installation, can_mount, on_sqlite, with_mounts
from .test_connections import until


def test_a_summary_is_told_from_rows_of_who_asks(installation: Installation) -> None:
    """On PostgreSQL a connection that served another tenant last must not answer for it."""
    alpha, beta = installation.organization("alpha"), installation.organization("beta")
    for name, count in ((alpha, 1), (beta, 3)):
        project = installation.project(name)
        for number in range(count):
            spec = {"probe": "tcp", "target": "127.0.0.1:9"}
            installation.admin.put(f"{project}/monitoring_objects/m{number}", spec)
    auditor = installation.service(beta, "auditor")

    def counted(told: kit.AnyJson) -> dict[str, int]:
        found: dict[str, int] = {}
        for each in told["items"]:
            found[each["kind"]] = found.get(each["kind"], 0) + each["count"]
        return found

    for url in installation.admin.urls:  # Each replica has connections of its own.
        admin, asking = (Caller((url,), each.token) for each in (installation.admin, auditor))
        for _ in range(20):
            admin.every(f"/v1/organizations/{alpha}/projects/shop/monitoring_objects")
            told = counted(asking.good("GET", f"/v1/organizations/{beta}/inventory:summary"))
            assert (told["monitoring_object"], told["project"]) == (3, 1), told


@contextlib.contextmanager
def silent_names(host: str) -> Iterator[set[bytes]]:
    """A name server that hears every question and answers none."""
    heard: set[bytes] = set()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        try:
            server.bind((host, 53))
        except OSError as error:
            pytest.skip(f"nobody may listen as a name server here: {error.strerror}")

        def serve() -> None:
            with contextlib.suppress(OSError):
                while asked := server.recv(4096):
                    if asked != b"stop":
                        heard.add(asked[12:].split(b"\0")[0])
                    else:
                        return

        listening = threading.Thread(target=serve, daemon=True)
        listening.start()
        yield heard
        server.sendto(b"stop", (host, 53))
        listening.join()


def test_names_of_one_tenant_that_never_resolve_keep_no_other_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, resolver, hosts = "127.0.57.53", tmp_path / "resolv.conf", tmp_path / "hosts"
    if not can_mount(tmp_path):
        pytest.skip("this machine lets nobody have a name server of their own")
    resolver.write_text(f"nameserver {host}\noptions timeout:30 attempts:1\n")
    hosts.write_text("127.0.0.1 localhost\n::1 localhost\n")  # In both families: else the servers are asked.
    mounted = f'mount --bind "{resolver}" /etc/resolv.conf && mount --bind "{hosts}" /etc/hosts'
    with silent_names(host) as heard, socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(kit, "PYTHON", str(with_mounts(tmp_path, mounted)))
        with on_sqlite(tmp_path) as found:
            slow, well = found.project(found.organization("slow")), found.project(found.organization("well"))
            for number in range(12):
                target = f"http://never{number}.slow.example/"
                found.admin.put(f"{slow}/monitoring_objects/m{number}", {"probe": "http", "target": target})
            until(lambda: len(heard) > 0, "none of these names was looked up")
            target = f"localhost:{server.getsockname()[1]}"
            for number in range(3):
                found.admin.put(f"{well}/monitoring_objects/m{number}", {"probe": "tcp", "target": target})
            for number in range(3):
                found.admin.ready(f"{well}/monitoring_objects/m{number}")
            # By then most of those names still wait for their turn: nobody waited for them.
            assert 0 < len(heard) < 12
            found.processes[0].kill()  # Its threads wait for answers that never come.
