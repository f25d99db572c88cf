"""The vendor's own command line, as Debian ships it, works at the simulated cloud."""

import asyncio
import json
import subprocess
from typing import Any

import pytest

from harness import simulator
from real.parts import part

pytestmark = pytest.mark.real
TOKEN = "t" * 64  # the command line accepts nothing shorter


async def hcloud(url: str, *words: str) -> str:
    program = part("hcloud", "hcloud-cli")
    environment = {"HCLOUD_TOKEN": TOKEN, "HCLOUD_ENDPOINT": f"{url}/v1", "HOME": "/nonexistent"}
    done = await asyncio.to_thread(
        subprocess.run, [program, *words], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


async def test_a_server_is_made_found_by_its_label_switched_off_and_deleted() -> None:
    async with simulator(token=TOKEN) as (sim, url):
        words = ("--name", "web-1", "--type", "cx22", "--image", "debian-12", "--label", "tier=web")
        await hcloud(url, "server", "create", *words)
        await hcloud(url, "server", "create", "--name", "db-1", "--type", "cx22", "--image", "debian-12")
        listed: list[dict[str, Any]] = json.loads(
            await hcloud(url, "server", "list", "-l", "tier=web", "-o", "json")
        )
        assert [(server["name"], server["status"]) for server in listed] == [("web-1", "running")]
        await hcloud(url, "server", "poweroff", "web-1")
        assert json.loads(await hcloud(url, "server", "describe", "web-1", "-o", "json"))["status"] == "off"
        await hcloud(url, "server", "delete", "web-1")
        verbs = [effect.verb for effect in sim.effects if effect.name == "web-1"]
        assert verbs == ["create", "poweroff", "delete"]


async def test_firewalls_types_images_and_locations_are_listed() -> None:
    async with simulator(token=TOKEN) as (_, url):
        await hcloud(url, "firewall", "create", "--name", "perimeter")
        assert "perimeter" in await hcloud(url, "firewall", "list")
        for noun, name in (("server-type", "cx22"), ("image", "debian-12"), ("location", "fsn1")):
            assert name in await hcloud(url, noun, "list")
