"""`make days DAYS=200`: generated days on a loop file and on the platform, and what was held in them.

`python -m days SEED` tells of one day hold by hold; without a seed of the one that is written down.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Generator, Sequence
from multiprocessing import get_context

from days.oracle import by_guard
from days.play import Account, Where, played_on
from days.script import HOUR, generated, restless, written
from simulation.fresh import fresh
from simulation.run import prepared

PLACES: tuple[Where, ...] = ("loop", "platform")


def main() -> int:
    asked = _asked()
    prepared()
    places = PLACES if asked.on == "both" else (asked.on,)
    if asked.restless:
        accounts = [played_on(where, restless(), 0) for where in places]
    elif not asked.days:
        accounts = [play((where, asked.seed)) for where in places]
        for account in accounts:
            _tell(account)
    else:
        seeds = range(asked.first, asked.first + asked.days)
        accounts = list(_all([(where, seed) for seed in seeds for where in places], asked.jobs))
    for where in places:
        _sum(where, [account for account in accounts if account.where == where])
    return 1 if any(account.faults or account.wrong for account in accounts) else 0


def play(asked: tuple[Where, int | None]) -> Account:
    """One day; without a seed the one that is written down."""
    where, seed = asked
    return played_on(where, written() if seed is None else generated(seed), seed or 0)


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m days", description=__doc__)
    parser.add_argument("seed", nargs="?", type=int)
    parser.add_argument("--restless", action="store_true", help="one value and one key, fifty times each")
    parser.add_argument("--days", type=int, default=0)
    parser.add_argument("--first", type=int, default=fresh())
    parser.add_argument("--on", choices=("both", *PLACES), default="both")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def _all(asked: Sequence[tuple[Where, int]], jobs: int) -> Generator[Account]:
    with get_context("fork").Pool(jobs) as pool:
        for account in pool.imap(play, asked):
            if account.faults or account.wrong:
                _tell(account)
            yield account


def _tell(account: Account) -> None:
    told = f"{account.plans} plans, {account.held} held, {account.acts} acts"
    say(f"{account.where}, day {account.seed}: {told}")
    for hold in account.holds:
        at = f"{(hold.at - 1_700_000_000.0) / HOUR:5.2f} h"
        say(f"  {at}  {hold.domain.partition('/')[0]:<14} {hold.guard:<16} {hold.message}")
        say(f"           {hold.fault.upper() or 'right'}: {hold.right or 'the table asks for no hold'}")
    for wrong in account.wrong:
        say(f"  not reached at the end of the day: {wrong[:400]}")


def _sum(where: Where, accounts: Sequence[Account]) -> None:
    holds = [hold for account in accounts for hold in account.holds]
    plans, held = sum(account.plans for account in accounts), sum(account.held for account in accounts)
    faults = Counter(hold.fault for hold in holds)
    wrong = sum(bool(account.wrong) for account in accounts)
    say(f"{where}: days {accounts[0].seed} to {accounts[-1].seed}: {plans} plans made, {held} held")
    say(f"    {faults['false']} false holds, {faults['missed']} missed, {wrong} days not reached")
    for guard, count in sorted(by_guard(holds).items()):
        say(f"    {guard:<28} {count:>6}")
    done = sum((account.steps for account in accounts), Counter[str]())
    say("    done: " + ", ".join(f"{count} {why}" for why, count in done.most_common()))


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        # The order of sets is part of a day: it must be the same whoever plays it.
        os.execve(  # noqa: S606 - ourselves, once more
            sys.executable,
            [sys.executable, "-m", "days", *sys.argv[1:]],
            {**os.environ, "PYTHONHASHSEED": "0"},
        )
    raise SystemExit(main())
