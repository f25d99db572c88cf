"""`setpoint check`: the table of checks. All are run and all problems shown; none stops the others."""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from inspect import isawaitable
from pathlib import Path
from typing import Final

from setpoint import system
from setpoint.check import folder, machine, plane, reach, sqlite, work
from setpoint.check.finding import Finding, Level, Site, fail, without
from setpoint.cli.output import show
from setpoint.cli.screen import Screen
from setpoint.cli.text import clean, folded
from setpoint.settings import BadSettings, Settings, read_settings

Found = Finding | list[Finding]
DONE: Final = 0
FAILED: Final = 1
SECONDS: Final = 15.0
COLOURS: Final = {Level.OK: "READY", Level.WARN: "DEGRADED", Level.FAIL: "FAILED"}
ABOUT: Final = (
    "Say what would go wrong, before it does: each line with its cure. Exit 1 where something fails."
)
EXAMPLES: Final = """examples:
  setpoint check --pre --data /var/lib/setpoint
  setpoint check --pre --database postgresql://setpoint@db/setpoint
  SETPOINT_TOKEN_FILE=/var/lib/setpoint/admin.token setpoint check --url https://control.example.org"""


def _always(site: Site) -> bool:
    return True


def _alone(site: Site) -> bool:
    return not site.settings.database


def _shared(site: Site) -> bool:
    return bool(site.settings.database)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look at, where it applies."""

    name: str
    look: Callable[[Site], Found | Awaitable[Found]]
    applies: Callable[[Site], bool] = _always


async def _database(site: Site) -> list[Finding]:
    from setpoint.check.database import database  # noqa: PLC0415 - not everybody has asyncpg

    return await database(site)


def _on_temporal(site: Site) -> bool:
    return site.settings.runner != "embedded"


HERE: Final = (
    Check("settings", machine.variables),
    Check("python", lambda site: machine.python()),
    Check("packages", lambda site: machine.packages(site.settings)),
    Check("descriptors", lambda site: machine.descriptors()),
    Check("clock", machine.clock),
    Check("data folder", folder.data_folder),
    Check("disk", folder.disk),
    Check("file system", folder.file_system),
    Check("secrets", folder.secrets),
    Check("master key", folder.master_key),
    Check("admin token", folder.token),
    Check("sqlite", lambda site: sqlite.version(), _alone),
    Check("writing", sqlite.writes, _alone),
    Check("schema", sqlite.schema, _alone),
    Check("rows", sqlite.unreadable, _alone),
    Check("database", _database, _shared),
    Check(
        "temporal",
        lambda site: reach.temporal(site.settings.runner),
        lambda site: site.settings.runner != "embedded",
    ),
    Check("redis", lambda site: reach.redis(site.settings.hints), lambda site: bool(site.settings.hints)),
)
BEFORE: Final = (
    Check("lock", folder.unlocked, _alone),
    Check("port", lambda site: machine.port(site.settings.host, site.settings.port)),
)
RUNNING: Final = (Check("alive", plane.plane), Check("work", work.work))


def run(argv: list[str], environment: Mapping[str, str]) -> int:
    """The command."""
    args = _parser().parse_args(argv)
    screen = Screen(sys.stdin, sys.stdout, sys.stderr, environment, args.output)
    try:
        settings = read_settings(
            environment, {name: getattr(args, name) for name in ("data", "database", "port")}
        )
    except BadSettings as error:
        return report(machine.mistakes(str(error).splitlines()), screen)
    token, given = _token(settings, environment), args.url or environment.get("SETPOINT_URL", "")
    site = Site(settings, environment, token, system.now, system.monotonic, given)
    return report(asyncio.run(findings(site, pre=args.pre)), screen)


async def findings(site: Site, *, pre: bool) -> list[Finding]:
    """Every check that applies, each to its end."""
    checks = (*HERE, *(BEFORE if pre else RUNNING))
    return [found for check in checks if check.applies(site) for found in await _looked(check, site)]


async def _looked(check: Check, site: Site) -> list[Finding]:
    try:
        async with asyncio.timeout(SECONDS):
            # A disk may hang like a server: whatever blocks does so on a thread.
            answer = await asyncio.to_thread(check.look, site)
            found = await answer if isawaitable(answer) else answer
    except TimeoutError:
        return [fail(check.name, f"no answer within {SECONDS:g} s", "see whether it hangs, then check again")]
    except Exception as error:  # noqa: BLE001 - whatever breaks a check is its finding
        said = without(f"cannot be checked: {str(error) or type(error).__name__}", site.settings.database)
        return [fail(check.name, said, "correct that, then check again")]
    return found if isinstance(found, list) else [found]


def report(found: list[Finding], screen: Screen) -> int:
    """Shows it; the exit code."""
    failed = sum(each.level is Level.FAIL for each in found)
    if screen.format == "table":
        for line in lines(found, screen):
            screen.data(line)
    else:
        show(screen, {"items": [asdict(each) for each in found], "failed": failed})
    return FAILED if failed else DONE


def lines(found: Iterable[Finding], screen: Screen) -> list[str]:
    """Aligned; a cure stands below what it cures. Last comes how many of each."""
    told = list(found)
    width = max((len(each.name) for each in told), default=0)
    shown = [line for each in told for line in _lines(each, width, screen)]
    counts = [(level, sum(each.level is level for each in told)) for level in Level]
    summary = ", ".join(f"{number} {level}" for level, number in counts if number)
    return [*shown, screen.paint(summary, "heading")]


def _lines(each: Finding, width: int, screen: Screen) -> list[str]:
    margin = 6 + width + 2
    first, *rest = folded(
        f"{each.level:<4}  {each.name:<{width}}  {clean(each.said)}", screen.columns, margin
    )
    cure = folded(f"{' ' * margin}cure: {clean(each.cure)}", screen.columns, margin + 6) if each.cure else []
    painted = screen.paint(first[:4], COLOURS[each.level]) + first[4:]
    return [painted, *rest, *cure]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="setpoint check",
        description=ABOUT,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pre", action="store_true", help="before the first start: nothing runs yet")
    parser.add_argument("--data", metavar="DIR", help="the data folder")
    parser.add_argument(
        "--database", metavar="URL", help="postgresql://…; SQLite in the data folder if left out"
    )
    parser.add_argument("--port", metavar="N", help="the port a service would listen on")
    parser.add_argument("--url", metavar="URL", help="where the running control plane answers")
    parser.add_argument("-o", "--output", choices=("table", "json", "jsonl", "yaml"), default="table")
    return parser


def _token(settings: Settings, environment: Mapping[str, str]) -> str:
    """What the commands would use: said, from a file that is named, or from the data folder."""
    if environment.get("SETPOINT_TOKEN"):
        return environment["SETPOINT_TOKEN"]
    file = Path(environment.get("SETPOINT_TOKEN_FILE") or Path(settings.data) / "admin.token")
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""
