"""Verbs that run or print something here: control plane, agent, simulated cloud, demo, migration, alerts."""

import argparse
import asyncio
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from setpoint.demo import place

if TYPE_CHECKING:
    from setpoint.settings import Settings
    from setpoint.up import Named, Running

USAGE: Final = 2
FAILED: Final = 1
INTERRUPTED: Final = 130


def run(verb: str, argv: list[str], environment: Mapping[str, str]) -> int:
    """One local verb; its own imports are inside, so that an agent loads no database."""
    verbs: Mapping[str, Callable[[list[str], Mapping[str, str]], int]] = {
        "up": _up,
        "api": lambda argv, environment: _service("api", argv, environment),
        "worker": lambda argv, environment: _service("worker", argv, environment),
        "scheduler": lambda argv, environment: _service("scheduler", argv, environment),
        "agent": _agent,
        "sim": _sim,
        "demo": _demo,
        "migrate": _migrate,
        "alerts": _alerts,
    }
    return verbs[verb](argv, environment)


def _up(argv: list[str], environment: Mapping[str, str]) -> int:
    parser = _parser("up", "All three services in one process, on one SQLite file unless told otherwise.")
    parser.epilog = "example: setpoint up --data /var/lib/setpoint --port 7410"
    return _serve(parser, argv, environment, frozenset(("api", "worker", "scheduler")))


def _service(name: "Named", argv: list[str], environment: Mapping[str, str]) -> int:
    about = {
        "api": "The Control API: takes intent, answers questions. As many replicas as wanted.",
        "worker": "The Execution worker: runs pipelines step by step. As many replicas as wanted.",
        "scheduler": "The Reconciliation scheduler: runs passes over what it owns. As many as wanted.",
    }
    parser = _parser(name, about[name])
    parser.epilog = f"example: setpoint {name} --database postgresql://setpoint@db/setpoint"
    return _serve(parser, argv, environment, frozenset((name,)))


def _serve(
    parser: argparse.ArgumentParser,
    argv: list[str],
    environment: Mapping[str, str],
    services: "frozenset[Named]",
) -> int:
    parser.add_argument("--data", metavar="DIR", help="folder for secrets, tokens and the SQLite database")
    parser.add_argument("--database", metavar="URL", help="postgresql://…; one for all replicas")
    parser.add_argument("--host", help="address to listen on")
    parser.add_argument("--port", metavar="N", help="port to listen on; 0 picks a free one")
    parser.add_argument("--ready-file", type=Path, metavar="F", help="gets JSON with url and token")
    flags = vars(parser.parse_args(argv))
    ready_file: Path | None = flags.pop("ready_file")
    settings = _settings(environment, flags)
    if settings is None:
        return USAGE
    if len(services) == 1 and not settings.database:
        _say(f"{parser.prog} shares its database with the other services: add --database postgresql://…")
        _say("one process with everything on SQLite is: setpoint up")
        return USAGE
    _log_to_stderr()
    # The store's writer is a thread: with the usual 5 ms a busy event loop would keep commits waiting.
    sys.setswitchinterval(0.0005)
    from setpoint.up import up  # noqa: PLC0415

    def ready(run: "Running") -> None:
        _say(f"{parser.prog.removesuffix(' up')} is up at {run.url}")
        if run.token:
            token_file = Path(settings.data) / "admin.token"
            _say(f"next: SETPOINT_URL={run.url} SETPOINT_TOKEN_FILE={token_file} setpoint get all")
        if ready_file is not None:
            place.write(ready_file, {"url": run.url, "token": run.token})

    return _until_signal(lambda stopped: up(settings, ready, stopped, services))


def _agent(argv: list[str], environment: Mapping[str, str]) -> int:
    parser = _parser("agent", "Runs on a host: enrols once, then reports that it is alive.")
    parser.add_argument("--url", required=True, help="address of the control plane")
    parser.add_argument("--token", required=True, help="the one-time enrolment token")
    parser.add_argument("--folder", type=Path, help="keeps its identity; ~/.setpoint-agent if left out")
    flags = parser.parse_args(argv)
    from setpoint.agent.service import Agent, AgentSettings  # noqa: PLC0415
    from setpoint.system import new_random  # noqa: PLC0415

    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    settings = AgentSettings(flags.url, flags.token, flags.folder or Path.home() / ".setpoint-agent")
    agent = Agent(settings, lambda seconds: not stopped.wait(seconds), new_random().random, _say)
    return agent.run()


def _sim(argv: list[str], environment: Mapping[str, str]) -> int:
    parser = _parser("sim", "A simulated cloud over real sockets.")
    parser.add_argument("cloud", choices=("hetzner",))
    parser.add_argument("--port", type=int, default=0, metavar="N", help="0 picks a free one")
    parser.add_argument("--token", default="simulated", help="the token it accepts")
    parser.add_argument("--log-file", type=Path, help="every change it makes, one JSON line each")
    parser.add_argument("--action-seconds", type=float, default=0.3, help="how long its actions take")
    parser.add_argument("--max-agents", type=int, default=20, help="how many servers boot a real process")
    parser.add_argument("--ready-file", type=Path, metavar="F", help="gets JSON with url and token")
    flags = parser.parse_args(argv)
    from setpoint.sim.hetzner import HetznerSim, SimSettings  # noqa: PLC0415
    from setpoint.sim.serve import running  # noqa: PLC0415
    from setpoint.system import now  # noqa: PLC0415

    async def serve(stopped: asyncio.Event) -> None:
        settings = SimSettings(
            token=flags.token,
            log_file=flags.log_file,
            action_seconds=flags.action_seconds,
            max_agents=flags.max_agents,
        )
        async with running(HetznerSim(settings, now=now), port=flags.port) as url:
            _say(f"simulated hetzner cloud at {url}/v1")
            if flags.ready_file is not None:
                place.write(flags.ready_file, {"url": f"{url}/v1", "token": flags.token})
            await stopped.wait()

    return _until_signal(serve)


def _demo(argv: list[str], environment: Mapping[str, str]) -> int:
    from setpoint.demo.command import run  # noqa: PLC0415

    return run(argv, _until_signal)


def _migrate(argv: list[str], environment: Mapping[str, str]) -> int:
    parser = _parser("migrate", "Bring the database of a data folder up to date; `up` does it by itself.")
    parser.add_argument("--data", metavar="DIR", help="the data folder")
    parser.add_argument("--plan", action="store_true", help="only show what would be done")
    parser.add_argument("--down", action="store_true", help="one step back")
    flags = vars(parser.parse_args(argv))
    settings = _settings(environment, {"data": flags["data"]})
    if settings is None:
        return USAGE
    from setpoint.storage.sqlite import migrate  # noqa: PLC0415
    from setpoint.storage.sqlite.lock import FolderLock  # noqa: PLC0415

    folder = Path(settings.data)
    if flags["plan"]:
        steps = migrate.pending(folder)
        _say("\n".join(f"pending: {step.name}" for step in steps) or "nothing to do")
        return 0
    with FolderLock(folder):
        done = [migrate.down(folder)] if flags["down"] else list(migrate.up(folder))
    _say("\n".join(f"done: {step.name}" for step in done if step) or "nothing to do")
    return 0


def _alerts(argv: list[str], environment: Mapping[str, str]) -> int:
    parser = _parser("alerts", "Print alert rules for Prometheus; each says what to do next.")
    parser.epilog = "example: setpoint alerts > /etc/prometheus/setpoint.yml"
    parser.parse_args(argv)
    from importlib.resources import files  # noqa: PLC0415

    sys.stdout.write(files("setpoint.drive").joinpath("alerts.yml").read_text())
    return 0


def _parser(verb: str, about: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(prog=f"setpoint {verb}", description=about)


def _settings(environment: Mapping[str, str], flags: Mapping[str, object]) -> "Settings | None":
    from setpoint.settings import BadSettings, read_settings  # noqa: PLC0415

    try:
        return read_settings(environment, flags)
    except BadSettings as error:
        _say(f"these settings are wrong:\n{error}")
        return None


def _until_signal(work: Callable[[asyncio.Event], Awaitable[None]]) -> int:
    """Runs the work; the first signal asks it to stop, the second does not wait."""

    async def run() -> None:
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()

        def stop() -> None:
            if stopped.is_set():
                os._exit(INTERRUPTED)
            stopped.set()

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)
        await work(stopped)

    from setpoint.engine.errors import FAILURES  # noqa: PLC0415

    try:
        asyncio.run(run())
    except (*FAILURES, OSError) as error:
        _say(f"setpoint stopped: {error}")
        return FAILED
    return 0


def _log_to_stderr() -> None:
    import structlog  # noqa: PLC0415

    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
