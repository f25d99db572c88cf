"""`bench start`: the goals P18 and P19, what it costs to begin."""

import argparse
from collections.abc import Iterator, Sequence
from typing import Final

from bench.command import Command, Measured, held, parser, whole
from bench.contest import Contest, Contestant
from bench.measure import Comparison, Goal

ABOUT: Final = "starting: the command line beside typer and click, the service beside FastAPI and bare ASGI"
COMMANDS: Final = 10
SERVICES: Final = 2
NOTE: Final = (
    "P18, P19: CPU of everything that was started, its threads and children included, until it has ended; "
    "bytecode is kept from the first round on, which is not counted. "
    "typer and click have six verbs, ours has all it has. `get` asks where nobody listens. A service is "
    "killed at its first 200 from /readyz: ours is `setpoint up` with its three services and its database, "
    "FastAPI is the application of `bench api`, bare ASGI three lines under the same uvicorn."
)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    made = parser("start", ABOUT)
    made.add_argument("--n", type=whole(1), default=COMMANDS, help=f"commands in a round; {COMMANDS}")
    made.add_argument("--services", type=whole(1), default=SERVICES, help=f"services in one; {SERVICES}")
    return made.parse_args(arguments)


def measure(wanted: argparse.Namespace) -> Measured:
    return held(contests(wanted), wanted.rounds)


def contests(wanted: argparse.Namespace) -> Iterator[Contest]:
    yield commands(wanted.n)
    yield services(wanted.services)


def commands(size: int) -> Contest:
    names = ("ours_help", "ours_version", "ours_get", "ours_import", "typer_help", "click_help", "bare")
    return Contest(
        title="P18 --help beside typer, click and a bare interpreter",
        contestants=tuple(
            Contestant(name, f"bench.start.shown:{name}", size, {"told": size}) for name in names
        ),
        questions=(
            Comparison("P18 --help, typer", "ours_help", Goal("<=", 0.3), peer="typer_help"),
            Comparison("P18 --help, click", "ours_help", Goal("<=", 0.8), peer="click_help"),
            Comparison("P18 --help, bare interpreter", "ours_help", Goal("<=", 4), floor="bare"),
            Comparison("P18 version, bare interpreter", "ours_version", None, floor="bare"),
            Comparison("P18 get, bare interpreter", "ours_get", None, floor="bare"),
            Comparison(
                "P18 import setpoint.loop, bare interpreter", "ours_import", Goal("<=", 5), floor="bare"
            ),
        ),
        note=NOTE,
    )


def services(size: int) -> Contest:
    names = ("ours_fresh", "ours_again", "fastapi", "bare")
    peer, floor = Goal("<=", 0.7), Goal("<=", 1.5)
    return Contest(
        title="P19 to the first 200, beside FastAPI and bare ASGI",
        contestants=tuple(
            Contestant(name, f"bench.start.served:{name}", size, {"served": size}) for name in names
        ),
        questions=(
            Comparison("P19 first 200, new folder, FastAPI", "ours_fresh", peer, peer="fastapi"),
            Comparison("P19 first 200, new folder, bare ASGI", "ours_fresh", floor, floor="bare"),
            Comparison("P19 first 200, started again, FastAPI", "ours_again", peer, peer="fastapi"),
            Comparison("P19 first 200, started again, bare ASGI", "ours_again", floor, floor="bare"),
        ),
    )


START: Final = Command(ABOUT, parse, measure)
