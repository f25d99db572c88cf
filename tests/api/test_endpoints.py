"""A provider whose account is behind us: refused at its field, or never reached, however it comes in."""

from pathlib import Path
from typing import Any

import pytest

from declarations import setting
from harness import ORGANIZATION, world
from providers.test_endpoint import named

from .kit import serving

METADATA = "http://169.254.169.254/latest"


def ways(spec: dict[str, Any]) -> list[tuple[str, str, Any]]:
    """Every way in which a provider is declared, tried or planned."""
    item = {"kind": "provider", "metadata": {"name": "inside"}, "spec": spec}
    return [
        ("PUT", f"{ORGANIZATION}/providers/inside", {"spec": spec}),
        ("PUT", f"{ORGANIZATION}/providers/inside?dry_run=true", {"spec": spec}),
        ("POST", f"{ORGANIZATION}/providers", {"metadata": {"name": "inside"}, "spec": spec}),
        ("POST", f"{ORGANIZATION}/declarations", {"items": [item]}),
        ("POST", f"{ORGANIZATION}/plans", {"items": [item]}),
        ("PATCH", f"{ORGANIZATION}/providers/hetzner", {"spec": {"endpoint": spec["endpoint"]}}),
    ]


@pytest.mark.parametrize("endpoint", [METADATA, "http://10.1.2.3:6443/api", "http://[fd00::1]/", "http://0/"])
async def test_an_endpoint_behind_us_is_refused_at_its_field_and_not_stored(
    tmp_path: Path, endpoint: str
) -> None:
    async with serving(tmp_path) as api:
        await api.declare(*setting("http://127.0.0.1:9/v1"))
        spec = setting(endpoint)[2]["spec"]
        for method, path, body in ways(spec):
            refused = await api.call(method, path, body)
            assert refused.status == 422, (method, path, refused.raw)
            (error,) = refused.body["errors"]
            assert error["pointer"].endswith("/spec/endpoint")
            assert "the setting provider_networks names others" in error["message"]
        assert (await api.get(f"{ORGANIZATION}/providers")).names == ["hetzner"]
        kept = (await api.get(f"{ORGANIZATION}/providers/hetzner")).body["spec"]["endpoint"]
        assert kept == "http://127.0.0.1:9/v1"


async def test_a_field_too_many_does_not_hide_that_the_endpoint_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path) as api:
        refused = await api.declare(*setting(METADATA, mod="run"))
        assert refused.mistakes == {
            ("/items/2/spec/mod", "unknown_field"),
            ("/items/2/spec/endpoint", "bad_value"),
        }
        wrong = await api.declare(*setting(METADATA, mode="sometimes"))
        assert wrong.mistakes == {
            ("/items/2/spec/mode", "bad_field"),
            ("/items/2/spec/endpoint", "bad_value"),
        }


async def test_loopback_is_refused_where_several_machines_share_a_database(tmp_path: Path) -> None:
    async with serving(tmp_path, provider_networks="") as api:
        refused = await api.declare(*setting("http://127.0.0.1:9/v1"))
        assert refused.mistakes == {("/items/2/spec/endpoint", "bad_value")}


async def test_a_name_that_leads_behind_us_is_declared_never_reached_and_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path, provider_networks="") as w:
        resolved = named(monkeypatch, {"cloud.example": ["127.0.0.1"]})
        port = w.sim_url.rpartition(":")[2]
        (w.plane.data / "secrets" / "hetzner.hosts").write_text("cloud.example")
        await w.plane.declare(setting(f"http://cloud.example:{port}/v1"))

        async def told() -> bool:
            found = await w.plane.named("providers", "hetzner")
            return "the setting provider_networks names others" in str(found["status"])

        await w.until(told, "the provider says why it is not reached")
        assert (bool(resolved), w.sim.requests) == (True, {})
