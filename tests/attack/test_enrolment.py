"""A spent enrolment token is used again, in another spelling or before its agent was heard."""

import binascii
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from .kit import CLOUD_TOKEN, Answer, Caller, Installation, hetzner


def enrol(who: Caller, token: str, once: str = "") -> Answer:
    return who.call("POST", "/v1/agent/enrol", {"token": token, "once": once, "facts": {}})


def respelled(token: str, signature: str) -> str:
    named = f"{token.rsplit('_', 2)[0]}_{signature}"
    return f"{named}_{binascii.crc32(named.encode()):08x}"


@pytest.fixture
def booted(installation: Installation, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The address of a host that is READY, and the folder of its server, where a real agent runs."""
    name = installation.organization()
    where, admin = f"/v1/organizations/{name}", installation.admin
    project = installation.project(name)
    with hetzner(tmp_path, agents=1) as cloud:
        admin.good("PUT", f"{where}/secrets/cloud", {"value": CLOUD_TOKEN})
        spec = {"family": "hetzner_cloud", "credential": "secret://cloud", "endpoint": cloud, "mode": "run"}
        admin.put(f"{where}/providers/cloud", spec)
        workspace = f"{project}/workspaces/prod"
        admin.put(workspace, {"provider": "cloud"})
        admin.ready(workspace)
        host = f"{workspace}/hosts/web-1"
        admin.put(host, {"provider": "cloud", "agent": True})
        admin.ready(host)
        simulator = Caller((cloud.removesuffix("/v1"),), CLOUD_TOKEN)
        [agent] = simulator.good("GET", "/_sim/state")["agents"]
        yield host, Path(agent["folder"])


def test_a_spent_token_lets_nobody_in(installation: Installation, booted: tuple[str, Path]) -> None:
    host, folder = booted
    script = (folder / "user-data").read_text()
    [token] = set(re.findall(r"setpoint_enr_[^\s']+", script))
    thief = installation.guesser
    signature = token.split("_")[-2]
    for spelling in (signature.upper(), f"{signature[:2]} {signature[2:]}", signature.title()):
        refused = enrol(thief, respelled(token, spelling))
        assert (refused.status, refused.body.get("code")) == (401, "bad_token")
    assert installation.admin.get(host).body["status"]["state"] == "READY"
    for once in ("", "another"):
        assert enrol(thief, token, once).status == 409
    told = installation.admin.ready(host, "DEGRADED")
    assert "agent alive, but its enrolment token was presented a second time" in told["status"]["reason"]
    assert not re.search(r"setpoint agent .*setpoint_enr_", script), "in the list of processes"


def test_guesses_are_slowed_down(installation: Installation) -> None:
    guesser = installation.guesser
    assert {enrol(guesser, "setpoint_enr_guess").status for _ in range(40)} <= {401, 429}
    assert enrol(guesser, "setpoint_enr_guess").status == 429
