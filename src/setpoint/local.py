"""Verbs that run or print something here: control plane, agent, simulated cloud, demo, migration, alerts."""

import argparse
import asyncio
import gc
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from setpoint.cli.text import harmless
from setpoint.demo import place

if TYPE_CHECKING:
    from setpoint.settings import Settings
    from setpoint.storage.migration import Migration
    from setpoint.up import Named, Running

Way = Literal["pending", "up", "down"]
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
        "check": _check,
        "backup": _backup,
        "restore": _restore,
        "rotate-keys": _rotate_keys,
        "alerts": _alerts,
        "pause": lambda argv, environment: _halt("pause", argv),
        "resume": lambda argv, environment: _halt("resume", argv),
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
    _add_flags(parser)
    flags = vars(parser.parse_args(argv))
    ready_file: Path | None = flags.pop("ready_file")
    settings = _settings(environment, flags)
    if settings is None:
        return USAGE
    if len(services) == 1 and not settings.database:
        _say(f"{parser.prog} shares its database with the other services: add --database postgresql://…")
        _say("one process with everything on SQLite is: setpoint up")
        return USAGE
    from setpoint.drive.log import hear_libraries  # noqa: PLC0415
    from setpoint.log import log_to  # noqa: PLC0415

    log_to(sys.stderr)
    hear_libraries()
    gc.set_threshold(10_000)  # A request makes hundreds of objects, and nearly none of them in circles.
    gc.disable()  # Nothing of what is loaded and built until we are ready is ever given up again.
    # The store's writer is a thread: with the usual 5 ms a busy event loop would keep commits waiting.
    sys.setswitchinterval(0.0005)
    from setpoint.up import up  # noqa: PLC0415

    def ready(run: "Running") -> None:
        gc.freeze()
        gc.enable()
        _tell_where(run, parser.prog.removesuffix(" up"), settings)
        if ready_file is not None:
            place.write(ready_file, {"url": run.url, "token": run.token})

    return _until_signal(lambda stopped: up(settings, ready, stopped, services))


def _tell_where(run: "Running", called: str, settings: "Settings") -> None:
    token_file = Path(settings.data) / "admin.token"
    _say(f"{called} is up at {run.url}")
    if settings.public_url:
        _say(f"agents and people are told to reach it at {settings.public_url}")
    if run.paused:
        _say(f"everything is paused, {run.paused}")
    if run.token:
        _say(f"next: SETPOINT_URL={run.url} SETPOINT_TOKEN_FILE={token_file} setpoint get all")
    if run.link:
        _say("nobody has an account yet; this link makes you the first administrator, within 24 hours:")
        _say(f"  setpoint login '{run.link}'")


def _add_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", metavar="DIR", help="folder for secrets, tokens and the SQLite database")
    parser.add_argument("--database", metavar="URL", help="postgresql://…; one for all replicas")
    parser.add_argument("--hints", metavar="URL", help="redis://… to carry hints between processes")
    parser.add_argument("--runner", metavar="URL", help="temporal://host:port/namespace runs the pipelines")
    parser.add_argument("--host", help="address to listen on")
    parser.add_argument("--port", metavar="N", help="port to listen on; 0 picks a free one")
    parser.add_argument("--ready-file", type=Path, metavar="F", help="gets JSON with url and token")


def _agent(argv: list[str], environment: Mapping[str, str]) -> int:
    parser = _parser("agent", "Runs on a host: enrols once, then reports that it is alive.")
    parser.add_argument("--url", required=True, help="address of the control plane")
    about = "file with the one-time enrolment token; arguments are for every user to read"
    parser.add_argument("--token-file", type=Path, required=True, metavar="FILE", help=about)
    parser.add_argument("--folder", type=Path, help="keeps its identity; ~/.setpoint-agent if left out")
    flags = parser.parse_args(argv)
    from setpoint.agent.service import Agent, AgentSettings  # noqa: PLC0415
    from setpoint.system import new_random  # noqa: PLC0415

    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    settings = AgentSettings(flags.url, flags.token_file, flags.folder or Path.home() / ".setpoint-agent")
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
    parser = _parser("migrate", "Bring a database up to date; a service does it by itself where it may.")
    parser.add_argument("--data", metavar="DIR", help="the data folder, with SQLite in it")
    parser.add_argument("--database", metavar="URL", help="postgresql://…, as whoever owns it")
    parser.add_argument("--plan", action="store_true", help="only show what would be done")
    parser.add_argument("--down", action="store_true", help="one step back")
    flags = vars(parser.parse_args(argv))
    settings = _settings(environment, {name: flags[name] for name in ("data", "database")})
    if settings is None:
        return USAGE
    from setpoint.engine.errors import FAILURES  # noqa: PLC0415

    way: Way = "pending" if flags["plan"] else "down" if flags["down"] else "up"
    try:
        steps = _steps(settings, way)
    except (*FAILURES, OSError) as error:
        _say(f"setpoint migrate: {error}")
        return FAILED
    word = "pending" if flags["plan"] else "done"
    _say("\n".join(f"{word}: {step.title}" for step in steps) or "nothing to do")
    return 0


def _steps(settings: "Settings", way: "Way") -> "tuple[Migration, ...]":
    """The steps that were taken, or would be."""
    if settings.database:
        from setpoint.storage import postgres  # noqa: PLC0415

        runs = {"pending": postgres.pending, "down": postgres.down, "up": postgres.up}
        found = asyncio.run(runs[way](settings.database))
    else:
        from setpoint.storage.sqlite import migrate  # noqa: PLC0415
        from setpoint.storage.sqlite.lock import FolderLock  # noqa: PLC0415

        folder = Path(settings.data)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if way == "up":
            with FolderLock(folder):
                found = migrate.up(folder)
        else:
            found = migrate.pending(folder) if way == "pending" else migrate.down(folder)
    return found if isinstance(found, tuple) else tuple(step for step in (found,) if step)


def _check(argv: list[str], environment: Mapping[str, str]) -> int:
    from setpoint.check.command import run  # noqa: PLC0415

    return run(argv, environment)


def _backup(argv: list[str], environment: Mapping[str, str]) -> int:
    from setpoint.backups import backup  # noqa: PLC0415

    return backup(argv, environment, _say)


def _restore(argv: list[str], environment: Mapping[str, str]) -> int:
    from setpoint.backups import restore  # noqa: PLC0415

    return restore(argv, environment, _say)


def _halt(verb: str, argv: list[str]) -> int:
    from setpoint.halts import halt  # noqa: PLC0415

    return halt(verb, argv, _say)


def _rotate_keys(argv: list[str], environment: Mapping[str, str]) -> int:
    from setpoint.rotations import rotate_keys  # noqa: PLC0415

    return rotate_keys(argv, environment, _say)


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
        with asyncio.Runner(loop_factory=_new_loop) as runner:
            runner.run(run())
    except (*FAILURES, OSError) as error:
        _say(f"setpoint stopped: {error}")
        return FAILED
    return 0


def _new_loop() -> asyncio.AbstractEventLoop:
    import uvloop  # noqa: PLC0415 - only a service needs one

    return uvloop.new_event_loop()


def _say(line: str) -> None:
    sys.stderr.write(harmless(line) + "\n")
    sys.stderr.flush()
