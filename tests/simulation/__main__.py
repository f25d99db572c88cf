"""`python -m simulation`: one seed with its trace, or many seeds on all cores."""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from setpoint.engine import tenure
from simulation.fresh import fresh

SHARDS = 8  # Fewer than in production: who owns what is decided the same way, and costs less to lease.
tenure.SHARDS = SHARDS  # type: ignore[misc]

from simulation.run import Verdict, judged, prepared  # noqa: E402 - the shards are counted when these are read

say = partial(print, flush=True)
OFTEN = 500
KEPT = Path(__file__).with_name("seeds.txt")


def main() -> int:
    asked = _asked()
    judge.strong = tuple(asked.strong)  # type: ignore[attr-defined]
    if asked.seed is not None:
        return _one(asked.seed, traced=asked.trace)
    seeds = [*([] if asked.no_kept else kept_seeds()), *range(asked.first, asked.first + asked.seeds)]
    began, counted, failed, simulated = time.monotonic(), Counter[str](), 0, 0.0
    with closing(_all(seeds, asked.jobs)) as verdicts:
        for number, verdict in enumerate(verdicts, 1):
            if number % OFTEN == 0:
                pace = number / (time.monotonic() - began)
                say(f"{number} of {len(seeds)}, {failed} violations, {pace:.1f} seeds/s")
            counted.update(verdict.counted)
            simulated += verdict.simulated
            if verdict.violation:
                failed += 1
                _told(verdict, keep=asked.keep)
            if failed >= asked.enough:
                break
    took = max(0.001, time.monotonic() - began)
    if asked.counters:
        _counters(counted)
    hours = simulated / 3600
    say(
        f"{len(seeds)} seeds from {asked.first}, {failed} violations; {len(seeds) / took:.1f} seeds/s, "
        f"{hours:.1f} simulated hours, {hours / took * 60:.1f} of them a minute"
    )
    return 1 if failed else 0


def kept_seeds() -> list[int]:
    """Those that failed once: they are played first, for ever."""
    lines = KEPT.read_text().splitlines() if KEPT.exists() else []
    return [int(line.split()[0]) for line in lines if line and not line.startswith("#")]


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m simulation", description=__doc__)
    parser.add_argument("seed", nargs="?", type=int, help="play this one alone")
    parser.add_argument("--trace", action="store_true", help="with every line of what happened")
    parser.add_argument("--seeds", type=int, default=0, help="play so many, besides those kept")
    parser.add_argument("--first", type=int, default=fresh(), help="beginning with this one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--no-kept", action="store_true", help="leave out those that are kept")
    parser.add_argument("--keep", action="store_true", help="write seeds that fail into seeds.txt")
    parser.add_argument("--enough", type=int, default=sys.maxsize, help="end after so many violations")
    parser.add_argument("--counters", action="store_true", help="tell how often each thing happened")
    parser.add_argument(
        "--strong", nargs="*", default=[], help="faults of the weather that are in every world"
    )
    parser.add_argument("--twice", action="store_true", help="play each seed a second time and compare")
    asked = parser.parse_args()
    if asked.twice:
        judge.twice = True  # type: ignore[attr-defined]
    return asked


def _one(seed: int, *, traced: bool) -> int:
    prepared()
    verdict = judged(seed, traced=traced, strong=judge.strong)  # type: ignore[attr-defined]
    say(*verdict.trace, sep="\n")
    _counters(Counter(verdict.counted))
    say(f"{verdict.simulated:.0f} s simulated in {verdict.took:.2f} s, digest {verdict.digest}")
    say(verdict.violation or "no violation")
    return 1 if verdict.violation else 0


def judge(seed: int) -> Verdict:
    """In a process of the pool."""
    strong = judge.strong  # type: ignore[attr-defined]
    verdict = judged(seed, strong=strong)
    if getattr(judge, "twice", False) and (again := judged(seed, strong=strong)).digest != verdict.digest:
        said = f"determinism: {verdict.digest}, then {again.digest}"
        return Verdict(seed, said, again.digest, verdict.simulated, verdict.took, verdict.counted)
    return verdict


def _all(seeds: list[int], jobs: int) -> Generator[Verdict]:
    prepared()
    if jobs == 1:
        yield from map(judge, seeds)
        return
    with get_context("fork").Pool(jobs) as pool:
        yield from pool.imap(judge, seeds, chunksize=4)


def _told(verdict: Verdict, *, keep: bool) -> None:
    say(f"seed {verdict.seed}: {verdict.violation}\n    replay: make simulate SEED={verdict.seed}")
    if keep and verdict.seed not in kept_seeds():
        with KEPT.open("a") as file:
            file.write(f"{verdict.seed}  # {verdict.violation.splitlines()[0][:100]}\n")


def _counters(counted: Counter[str]) -> None:
    for line in _columns(f"{name} {number}" for name, number in sorted(counted.items())):
        say(line)


def _columns(cells: Iterable[str]) -> Iterator[str]:
    row: list[str] = []
    for cell in cells:
        row.append(f"{cell:<36}")
        if len(row) == 3:
            yield "".join(row).rstrip()
            row = []
    if row:
        yield "".join(row).rstrip()


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        # The order of sets is part of a world: it must be the same whoever plays it.
        os.execve(  # noqa: S606 - ourselves, once more
            sys.executable,
            [sys.executable, "-m", "simulation", *sys.argv[1:]],
            {**os.environ, "PYTHONHASHSEED": "0"},
        )
    raise SystemExit(main())
