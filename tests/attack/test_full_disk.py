"""The disk of the database fills up: whoever asks is told so, and it is whole again with room."""

import contextlib
from pathlib import Path

import pytest

from . import kit
from .kit import can_mount, on_sqlite, with_mounts
from .test_connections import until


def fill(filler: Path) -> None:
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as written:
        while True:
            written.write(bytes(65536))


def test_a_full_disk_is_not_ready_and_is_again_with_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    if not can_mount(data):
        pytest.skip("this machine lets nobody mount a small disk")
    mounted = f'mount -t tmpfs -o size=24m,mode=700 tmpfs "{data}" && mkdir -m 700 "{data}/secrets"'
    monkeypatch.setattr(kit, "PYTHON", str(with_mounts(tmp_path, mounted)))
    with on_sqlite(tmp_path) as found:
        assert found.nobody.get("/readyz").status == 200
        inside = Path(f"/proc/{found.processes[0].pid}/root{data}")
        filler = inside / "filler"
        fill(filler)
        refused = found.nobody.get("/readyz")
        assert refused.status == 503, refused
        assert "bytes are free" in refused.body["checks"]["disk"], refused
        assert found.nobody.get("/livez").status == 200
        filler.unlink()
        until(lambda: found.nobody.get("/readyz").status == 200, "it is not ready again")
        found.organization()
