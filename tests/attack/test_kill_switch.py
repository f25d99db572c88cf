"""Everything stops by the data folder alone, while the API is asked for nothing."""

import asyncio
import time
from pathlib import Path

import pytest

import postgres

from .conftest import STORES
from .kit import CLOUD_TOKEN, ENOUGH, Caller, Installation, on_postgres, on_sqlite


@pytest.fixture(params=STORES)
def own(request: pytest.FixtureRequest, tmp_path: Path):  # type: ignore[no-untyped-def]
    """An installation that nobody shares: it is stopped as a whole."""
    if request.param == "sqlite":
        with on_sqlite(tmp_path) as found:
            yield found
    else:
        with on_postgres(tmp_path, asyncio.run(postgres.database())) as found:
            yield found


def zone(installation: Installation, cloud: str) -> str:
    """A zone and its account; returns the address of the project."""
    name = installation.organization()
    where = f"/v1/organizations/{name}"
    project = installation.project(name)
    (installation.data / "secrets" / "cloud").write_text(CLOUD_TOKEN)
    spec = {"family": "hetzner_cloud", "credential": "secret://cloud", "endpoint": cloud, "mode": "run"}
    installation.admin.put(f"{where}/providers/cloud", spec)
    installation.admin.put(f"{project}/dns_zones/z", {"provider": "cloud", "domain": f"{name}.example"})
    installation.admin.ready(f"{project}/dns_zones/z")
    return project


def test_the_folder_stops_every_act_and_lets_it_go_on(own: Installation, cloud: str) -> None:
    project = zone(own, cloud)
    nobody = Caller(("http://127.0.0.1:9",))
    paused = nobody.cli("pause", "--data", str(own.data), "--reason", "a fire in the room")
    assert paused.code == 0, paused
    assert f"next: setpoint resume --data {own.data}" in paused.err
    record = {"zone": "z", "name": "www", "type": "A", "values": ["192.0.2.1"]}
    own.admin.put(f"{project}/dns_records/www", record)
    own.admin.until(
        f"{project}/dns_zones/z",
        lambda one: "a fire in the room" in one["status"]["reason"] and one["status"]["state"] == "HELD",
    )
    own.admin.until("/v1/switches", lambda page: "a fire in the room" in str(page))
    assert "a fire in the room" in own.admin.cli("pause", "--list", "-o", "json").out
    until_said(own.nobody, "/readyz?verbose", b"a fire in the room")
    until_said(own.admin, "/metrics", b"setpoint_stopped_by_file 1")
    lines = own.admin.every("/v1/audit")
    assert [each["detail"]["reason"] for each in lines if each["action"] == "switch.set"] == [
        "a fire in the room"
    ]
    assert nobody.cli("resume", "--data", str(own.data)).code == 0
    own.admin.ready(f"{project}/dns_zones/z")
    own.admin.ready(f"{project}/dns_records/www")


def until_said(caller: Caller, path: str, wanted: bytes) -> None:
    """Each process looks at the file in its own time."""
    deadline = time.monotonic() + ENOUGH
    while wanted not in caller.get(path).raw:
        assert time.monotonic() < deadline, f"{path} never says {wanted!r}"
        time.sleep(0.05)


def test_a_folder_that_is_none_of_ours_is_refused(tmp_path: Path) -> None:
    nobody = Caller(("http://127.0.0.1:9",))
    refused = nobody.cli("pause", "--data", str(tmp_path / "typo"))
    assert refused.code == 1
    assert "is no data folder of Setpoint" in refused.err
