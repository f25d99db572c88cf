"""`bench store`: the goal P15, for both databases."""

import argparse
from collections.abc import Iterator, Sequence
from typing import Final

from bench.command import Command, Measured, held, parser, some_of, whole
from bench.contest import Contest, Contestant, wall
from bench.measure import Comparison, Goal

ABOUT: Final = "durable writes of 1 KB: in batches, one by one, and a file that is appended to"
ROWS: Final = 20_000
SINGLES: Final = 300
SMALLEST: Final = 100
DATABASES: Final = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
BY_THE_WALL: Final = (
    "P15: seconds on the wall for each row: what a durable write waits for is the disk, and with PostgreSQL "
    "another process. fsync is on everywhere, all files are on one disk. How much a batch gains over commits "
    "one by one is up to how long that disk takes to sync: see the row of a synced file, and how much a file "
    "that is synced once gains. Below a millisecond for a sync, 40 times is less than twice that file."
)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    made = parser("store", ABOUT)
    made.add_argument("--n", type=whole(SMALLEST), default=ROWS, help=f"rows in batches; {ROWS:,}")
    made.add_argument(
        "--database", type=some_of(DATABASES), default=tuple(DATABASES), help=f"some of {','.join(DATABASES)}"
    )
    return made.parse_args(arguments)


def measure(wanted: argparse.Namespace) -> Measured:
    return held(contests(wanted), wanted.rounds)


def contests(wanted: argparse.Namespace) -> Iterator[Contest]:
    return (contest(each, wanted.n) for each in wanted.database)


def contest(database: str, size: int) -> Contest:
    name, singles = DATABASES[database], min(SINGLES, size)

    def contestant(how: str, number: int) -> Contestant:
        return Contestant(how, f"bench.store.writes:{database}_{how}", number, {"rows": number})

    return Contest(
        title=f"P15 {size:,} rows of 1 KB into {name}, beside {singles} durable one by one, and a file",
        contestants=(
            contestant("batched", size),
            contestant("together", size),
            contestant("single", singles),
            Contestant("file", "bench.store.writes:file_append", size, {"rows": size}),
            Contestant("synced", "bench.store.writes:file_synced", singles, {"rows": singles}),
        ),
        questions=(
            Comparison(
                f"P15 {name}, 1,000 rows a commit, one by one",
                wall("batched"),
                Goal(">=", 40),
                wall("single"),
            ),
            Comparison(
                f"P15 {name}, 1,000 rows a commit, file",
                wall("batched"),
                Goal(">=", 0.15),
                floor=wall("file"),
            ),
            Comparison(f"P15 {name}, all that a batch could gain here", wall("file"), None, wall("single")),
            Comparison(f"P15 {name}, 1,000 callers, one by one", wall("together"), None, wall("single")),
            Comparison(f"P15 {name}, 1,000 callers, file", wall("together"), None, floor=wall("file")),
            Comparison(f"P15 {name}, one by one, synced file", wall("single"), None, floor=wall("synced")),
            Comparison(f"P15 {name}, CPU of ours a row, one by one", "batched", None, "single"),
        ),
        note=BY_THE_WALL if database == next(iter(DATABASES)) else "",
    )


STORE: Final = Command(ABOUT, parse, measure)
