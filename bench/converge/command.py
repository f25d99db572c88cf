"""`bench converge`: how long it takes from an intent to a world that is as intended, and what it costs."""

import argparse
from collections.abc import Iterator, Sequence
from typing import Final

from bench.command import Command, Measured, held, parser, some_of
from bench.contest import Contest, Contestant, wall
from bench.measure import Comparison, Row

ABOUT: Final = "from an intent to records at a cloud: ours, kopf and octoDNS"
SIZES: Final = (100, 1_000)
PEERS: Final = {"octodns": "bench.converge.octo:sync", "kopf": "bench.converge.kopf:operator"}
NOT_HERE: Final = {"terraform": "missing: terraform, which no Python package brings"}
NOTES: Final = (
    "Converge: N records of an empty zone at the simulator, which runs in a process of its own. Seconds on "
    "the wall end with the last record there; CPU is that of the contestant alone.",
    "Ours is `setpoint up`: it validates and commits the declarations, judges the plan by every guard and "
    "journals each act twice on disk, sixteen at once, and asks 30 ms later whether the vendor's actions "
    "ended; kopf has no cluster, so nothing is stored; octoDNS reads no YAML; both take the vendor's first "
    "answer.",
)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    made = parser("converge", ABOUT)
    made.add_argument("--n", type=_sizes, default=SIZES, help="how many records, with commas: 100,1000")
    made.add_argument("--peer", type=some_of(PEERS), default=tuple(PEERS), help=f"some of {','.join(PEERS)}")
    return made.parse_args(arguments)


def measure(wanted: argparse.Namespace) -> Measured:
    found = held(contests(wanted), wanted.rounds)
    absent = tuple(
        Row(f"converge, {name}", None, None, None, None, None, "", None, doubt)
        for name, doubt in NOT_HERE.items()
    )
    return Measured((*found.rows, *absent), NOTES)


def contests(wanted: argparse.Namespace) -> Iterator[Contest]:
    return (contest(size, wanted.peer) for size in wanted.n)


def contest(size: int, peers: Sequence[str]) -> Contest:
    right = {"records": size}
    return Contest(
        title=f"converge {size:,} records, beside {' and '.join(peers)}",
        contestants=(
            Contestant("ours", "bench.converge.ours:up", size, right),
            *(Contestant(peer, PEERS[peer], size, right) for peer in peers),
        ),
        questions=tuple(
            Comparison(f"converge, {size:,} records, {peer}, {what}", of("ours"), None, peer=of(peer))
            for peer in peers
            for what, of in (("wall", wall), ("CPU", str))
        ),
    )


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(int(each.replace("_", "")) for each in text.split(","))


CONVERGE: Final = Command(ABOUT, parse, measure)
