"""The goals of `bench diff`, as contests: who runs beside whom, and what the ratio must be."""

from typing import Final

from bench.contest import Contest, Contestant
from bench.diff.drift import Drift
from bench.measure import Comparison, Goal, Slope
from bench.trial import Counts

TIMES_FASTER: Final = {"octodns": 8, "deepdiff": 50, "dictdiffer": 8, "jsonpatch": 8}
TENTHS: Final = {
    "deepdiff": "P2: deepdiff is compared at a tenth of the size; it takes half a minute for 100,000."
}

NOTHING: Final[Counts] = {"different": 0}
UPSET: Final[Counts] = {"create": 200, "update": 200, "delete": 200}
MILLION: Final = 1_000_000


def against_peer(peer: str, size: int) -> Contest:
    """P1 against octoDNS, from the bytes on the wire; P2 against libraries, from the dicts they need."""
    size = size // 10 if peer in TENTHS else size
    octodns = peer == "octodns"
    name = "P1 plan from wire bytes" if octodns else "P2 plan from decoded dicts"
    right = Drift(size).right
    return Contest(
        title=f"{name}, {size:,} things, beside {peer}",
        contestants=(
            Contestant("ours", f"bench.diff.ours:{'from_wire' if octodns else 'from_dicts'}", size, right),
            Contestant(
                peer, "bench.diff.octo:plan" if octodns else f"bench.diff.generic:{peer}", size, right
            ),
        ),
        questions=(
            Comparison(f"{name}, {size:,}, {peer}", "ours", Goal(">=", TIMES_FASTER[peer]), peer=peer),
        ),
        note=TENTHS.get(peer, ""),
    )


def nothing_new(size: int) -> Contest:
    """P3, and how the cost of finding nothing grows."""
    ours = _at_each_size("bench.diff.still:columns", size, NOTHING)
    largest, allowed = ours[-1].name, 5e-3 * size / MILLION
    return Contest(
        title=f"P3 plan with nothing new, {size:,} things, beside the loop of document 004 and numpy",
        contestants=(
            *ours,
            Contestant("naive", "bench.diff.still:naive", size, NOTHING),
            Contestant("numpy", "bench.diff.still:arrays", size, NOTHING),
        ),
        questions=(
            Comparison(f"P3 nothing new, {size:,}, naive loop", largest, Goal(">=", 1_000), peer="naive"),
            Comparison(f"P3 nothing new, {size:,}, numpy !=", largest, Goal("<=", 6), floor="numpy"),
            Comparison(f"P3 nothing new, {size:,}, 5 ms a million", largest, Goal("<=", 1), floor="allowed"),
            Slope("exponent: nothing new", {each.name: each.size for each in ours}, Goal("<=", 1.05)),
        ),
        limits={"allowed": allowed},
        note="P3: numpy compares columns of 8 bytes, ours have 16.",
    )


def one_event(size: int) -> Contest:
    """P4 beside a full plan of the same size, and how both grow."""
    events = _at_each_size("bench.diff.event:events", size, UPSET)
    plans = _at_each_size("bench.diff.ours:from_wire", size)
    event, plan = events[-1].name, plans[-1].name
    times = 100_000 * size / MILLION  # A full plan grows with its size, an event must not.
    return Contest(
        title=f"P4 one event, up to {size:,} things, beside a full plan",
        contestants=(*events, *plans),
        questions=(
            Comparison(f"P4 one event, {size:,}, full plan", event, Goal(">=", times), peer=plan),
            Comparison(f"P4 one event, {size:,}, 10 us", event, Goal("<=", 1), floor="allowed"),
            Slope("exponent: event to plan", {each.name: each.size for each in events}, Goal("<=", 0.2)),
            Slope("exponent: full plan", {each.name: each.size for each in plans}, Goal("<=", 1.15)),
        ),
        limits={"allowed": 10e-6},
        note="P4: an event is decoded, checked, hashed and planned; the guards judge when a pass is due.",
    )


def _at_each_size(trial: str, size: int, right: Counts | None = None) -> tuple[Contestant, ...]:
    """Three sizes, a hundred times apart."""
    return tuple(
        Contestant(f"{trial} {each:,}", trial, each, Drift(each).right if right is None else right)
        for each in (size // 100, size // 10, size)
    )
