"""Agents: user data boots a real process, which lives and dies with its server."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from setpoint.sim.hetzner import SimSettings

from .conftest import World, eventually

# Writes a line for each boot and the number of a child of its own, then stays.
STAYS = """#!/bin/sh
echo "$SETPOINT_SIM_SERVER in $HOME" >> boots
sleep 600 &
echo $! > child
exec sleep 600
"""
STUBBORN = """#!/bin/sh
trap '' TERM
touch boots child
while :; do sleep 1; done
"""


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has buried yet does not."""
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "State:\tZ" not in status.read_text()


async def agent_of(world: World, name: str) -> dict[str, Any]:
    agents = (await world.judge("/state"))["agents"]
    return next((agent for agent in agents if agent["server"] == name), {})


async def booted(world: World, name: str, boots: int = 1) -> dict[str, Any]:
    """The agent of a server, when it has written what it writes when it boots."""

    async def written() -> dict[str, Any]:
        agent = await agent_of(world, name)
        if not agent or not (folder := Path(agent["folder"])) or not (folder / "child").exists():
            return {}
        lines = (folder / "boots").read_text().splitlines()
        return agent if len(lines) >= boots and (folder / "child").read_text() else {}

    found: dict[str, Any] = await eventually(written)
    return found


async def new_with_agent(world: World, name: str = "a") -> tuple[int, dict[str, Any]]:
    server = await world.new_server(name, user_data=STAYS)
    await world.status_is(server, "running")
    return server, await booted(world, name)


async def gone(*pids: int) -> None:
    async def all_gone() -> bool:
        return not any(is_alive(pid) for pid in pids)

    await eventually(all_gone)


def child_of(agent: dict[str, Any]) -> int:
    return int((Path(agent["folder"]) / "child").read_text())


def has_folder(agent: dict[str, Any]) -> bool:
    return Path(agent["folder"]).exists()


def permissions(folder: Path) -> int:
    return folder.stat().st_mode & 0o777


async def test_user_data_boots_a_process_of_its_own(world: World) -> None:
    _, agent = await new_with_agent(world)
    folder = Path(agent["folder"])
    assert is_alive(agent["pid"])
    assert agent["alive"] is True
    assert os.getpgid(agent["pid"]) == agent["pid"]
    assert (folder / "boots").read_text() == f"a in {folder}\n"
    assert permissions(folder) == 0o700


async def test_python_of_this_environment_comes_first(world: World) -> None:
    script = "#!/usr/bin/env python\nimport sys\nopen('which', 'w').write(sys.prefix)\n"
    await world.new_server("py", user_data=script)

    async def told() -> str:
        agent = await agent_of(world, "py")
        which = Path(agent["folder"]) / "which" if agent else None
        return which.read_text() if which is not None and which.exists() else ""

    assert await eventually(told) == sys.prefix


async def test_what_a_process_says_is_kept(world: World) -> None:
    await world.new_server("loud", user_data="#!/bin/sh\necho out\necho err >&2\n")

    async def said() -> bool:
        agent = await agent_of(world, "loud")
        output = Path(agent["folder"]) / "output.log" if agent else None
        return output is not None and output.exists() and output.read_text() == "out\nerr\n"

    await eventually(said)


@pytest.mark.parametrize("command", ["poweroff", "shutdown"])
async def test_power_off_ends_the_process_and_all_it_started(world: World, command: str) -> None:
    server, agent = await new_with_agent(world)
    child = child_of(agent)
    await world.finished(await world.post(f"/servers/{server}/actions/{command}"))
    await gone(agent["pid"], child)
    assert (await agent_of(world, "a"))["alive"] is False


async def test_power_on_starts_it_again_in_the_same_folder(world: World) -> None:
    server, agent = await new_with_agent(world)
    await world.finished(await world.post(f"/servers/{server}/actions/poweroff"))
    await world.finished(await world.post(f"/servers/{server}/actions/poweron"))
    again = await booted(world, "a", boots=2)
    assert again["folder"] == agent["folder"]
    assert again["pid"] != agent["pid"]


async def test_a_reboot_is_a_new_process(world: World) -> None:
    server, agent = await new_with_agent(world)
    await world.finished(await world.post(f"/servers/{server}/actions/reboot"))
    again = await booted(world, "a", boots=2)
    assert not is_alive(agent["pid"])
    assert is_alive(again["pid"])


async def test_a_process_that_will_not_go_is_killed(world: World) -> None:
    server = await world.new_server("a", user_data=STUBBORN)

    async def trapped() -> bool:
        agent = await agent_of(world, "a")
        return bool(agent) and (Path(agent["folder"]) / "child").exists()

    await eventually(trapped)
    await world.status_is(server, "running")
    agent = await agent_of(world, "a")
    await world.finished(await world.post(f"/servers/{server}/actions/poweroff"))
    assert not is_alive(agent["pid"])


async def test_a_deleted_server_leaves_neither_process_nor_folder(world: World) -> None:
    server, agent = await new_with_agent(world)
    await world.finished(await world.delete(f"/servers/{server}"))
    await gone(agent["pid"])
    assert not has_folder(agent)
    assert await agent_of(world, "a") == {}


async def test_a_killed_agent_stays_dead_until_it_is_started(world: World) -> None:
    server, agent = await new_with_agent(world)
    await world.steer("/servers/a:kill-agent")
    await gone(agent["pid"], child_of(agent))
    assert (await world.get(f"/servers/{server}")).body["server"]["status"] == "running"
    assert (await agent_of(world, "a"))["alive"] is False
    await world.steer("/servers/a:start-agent")
    assert (await booted(world, "a", boots=2))["alive"] is True


async def test_the_agent_of_a_server_that_is_off_does_not_start(world: World) -> None:
    server, _ = await new_with_agent(world)
    await world.finished(await world.post(f"/servers/{server}/actions/poweroff"))
    assert (await world.steer("/servers/a:start-agent")).status == 422
    assert (await agent_of(world, "a"))["alive"] is False


async def test_closing_the_simulator_ends_every_process(world: World) -> None:
    agents = [(await new_with_agent(world, name))[1] for name in ("a", "b")]
    children = [child_of(agent) for agent in agents]
    await world.sim.close()
    await gone(*(agent["pid"] for agent in agents), *children)
    assert [has_folder(agent) for agent in agents] == [False, False]


async def test_user_data_that_is_no_script_boots_nothing(world: World) -> None:
    server = await world.new_server("a", user_data="#cloud-config\npackages: [nginx]\n")
    await world.status_is(server, "running")
    assert (await world.judge("/state"))["agents"] == []
    assert (await world.steer("/servers/a:kill-agent")).status == 200


async def test_a_script_that_cannot_run_leaves_a_running_server(world: World) -> None:
    server = await world.new_server("a", user_data="#!/no/such/interpreter\n")
    await world.status_is(server, "running")

    async def told() -> bool:
        agent = await agent_of(world, "a")
        output = Path(agent["folder"]) / "output.log" if agent else None
        return output is not None and output.exists() and "cannot be run" in output.read_text()

    await eventually(told)


class TestLimit:
    @pytest.fixture
    def settings(self, settings: SimSettings) -> SimSettings:
        return replace(settings, max_agents=1)

    async def test_servers_over_the_limit_run_without_a_process(self, world: World) -> None:
        await new_with_agent(world, "a")
        second = await world.new_server("b", user_data=STAYS)
        await world.status_is(second, "running")
        assert [agent["server"] for agent in (await world.judge("/state"))["agents"]] == ["a"]
        await world.steer("/servers/a:vanish")
        third = await world.new_server("c", user_data=STAYS)
        await world.status_is(third, "running")
        await booted(world, "c")
