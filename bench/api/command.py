"""`bench api`: the goals P9 and P10, and whether a large table makes anything slower."""

import argparse
from collections.abc import Iterator, Sequence
from typing import Final

from bench.api.trials import RIGHT
from bench.command import Command, Measured, held, parser, whole
from bench.contest import Contest, Contestant, wall
from bench.measure import Comparison, Goal, Slope

ABOUT: Final = "the API beside FastAPI and a bare Protocol: read one, declare one, list a hundred"
ROWS: Final = 1_000
MOST: Final = 1_000_000
WORK: Final = {"reads": "P9 GET one", "writes": "P9 POST one", "pages": "P10 list of 100"}
PEER: Final = {"reads": Goal(">=", 2), "writes": Goal(">=", 2), "pages": Goal(">=", 10)}
FLOOR: Final = {"reads": Goal(">=", 0.25), "writes": Goal(">=", 0.25), "pages": None}
FLAT: Final = Goal("<=", 0.1)
NOTES: Final = (
    "API: CPU of the server's process for each request, eight connections that are kept, in turn with the "
    "others; and seconds on the wall, which are told and not judged. Ours and FastAPI look the token up in "
    "the database by its hash at each request, check its time and what it may, validate what is sent, "
    "look for secrets in it, look whether the organization is there, commit a row, its history, a line of "
    "the audit chain and an event, WAL and synchronous=FULL, and answer with the same fields; both limit "
    "rates, name requests and traces, write a line to the log for each change, and an answer without the "
    "headers of a public API counts as wrong. Ours is `setpoint up` with all three services; it also "
    "resolves what is referred to and lets several requests share one fsync. "
    "FastAPI reads rows back through its models, and has a middleware for what every answer has, as its "
    "manual shows both. The floor validates nothing, keeps no evidence, passes stored bytes on.",
)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    made = parser("api", ABOUT)
    made.add_argument("--n", type=whole(200), default=ROWS, help=f"rows beside the peers; {ROWS:,}")
    made.add_argument("--most", type=whole(1_000), default=MOST, help=f"rows in the largest table; {MOST:,}")
    made.add_argument("--list", action="store_true", help="only the list of a hundred")
    return made.parse_args(arguments)


def measure(wanted: argparse.Namespace) -> Measured:
    return Measured(held(contests(wanted), wanted.rounds).rows, NOTES)


def contests(wanted: argparse.Namespace) -> Iterator[Contest]:
    work = ("pages",) if wanted.list else tuple(WORK)
    yield from (beside(each, wanted.n) for each in work)
    yield from (flat(each, wanted.most) for each in work if each != "writes")


def beside(work: str, size: int) -> Contest:
    made = {"ours": "ours", "fastapi": "fast", "raw": "raw"}
    return Contest(
        title=f"{WORK[work]} of {size:,}, beside FastAPI and a bare Protocol",
        contestants=tuple(
            Contestant(each, f"bench.api.{module}:{work}", size, RIGHT[work]) for each, module in made.items()
        ),
        questions=(
            Comparison(f"{WORK[work]}, FastAPI and uvicorn", "ours", PEER[work], peer="fastapi"),
            Comparison(f"{WORK[work]}, raw Protocol", "ours", FLOOR[work], floor="raw"),
            Comparison(f"{WORK[work]}, FastAPI, wall", wall("ours"), None, peer=wall("fastapi")),
        ),
    )


def flat(work: str, most: int) -> Contest:
    sizes = (1_000, int((1_000 * most) ** 0.5), most)
    ours = tuple(Contestant(f"ours, {size:,}", f"bench.api.ours:{work}", size, RIGHT[work]) for size in sizes)
    return Contest(
        title=f"{WORK[work]}, up to {most:,} rows",
        contestants=ours,
        questions=(
            Slope(f"exponent: {WORK[work]} over rows", {each.name: each.size for each in ours}, FLAT),
        ),
    )


API: Final = Command(ABOUT, parse, measure)
