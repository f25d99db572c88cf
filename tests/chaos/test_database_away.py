"""The database goes away and comes back: what there is stays in sight, and nothing is done meanwhile."""

from pathlib import Path
from random import Random

import pytest

from declarations import record, setting, workspace, zone
from fleet import Fleet, Member, fleet
from harness import is_ready, until
from scrape import Scrape, scrape
from setpoint.sim.hetzner import Effect

from .storm import story

THINGS, CALLS = "setpoint_account_things", "setpoint_provider_calls_total"


@pytest.mark.timeout(300)
async def test_while_the_database_is_away_what_there_is_stays_in_sight_and_nothing_is_done(
    tmp_path: Path,
) -> None:
    async with fleet(tmp_path, 1, Random(7)) as here:  # noqa: S311 - there is one of each
        first = [*setting(here.sim.url), workspace(), zone("example-org"), record(1, zone="example-org")]
        await until(lambda: here.declare(first), "it is declared", lambda: story(here))
        await until(lambda: all_ready(here), "it converged", lambda: story(here))
        scheduler = here.of("scheduler")[0]
        done, processes = len(made(here)), [member.process for member in here.members]
        before = await counted(here, scheduler)

        here.server.kill()
        assert (await ready(here, scheduler), await here.declare([record(2, zone="example-org")])) == (
            503,
            False,
        )
        await until(lambda: looked_on(here, scheduler, before), "it looks on", lambda: story(here))
        assert len(made(here)) == done

        here.server.start()
        later = [record(3, zone="example-org")]
        await until(lambda: here.declare(later), "it is declared", lambda: story(here))
        await until(lambda: all_ready(here, 2), "it converged again", lambda: story(here))
        assert [member.process for member in here.members] == processes
        assert all(member.alive for member in here.members)
        assert len(made(here)) == done + 1


def made(here: Fleet) -> list[Effect]:
    return [e for verb in ("create", "update", "delete") for e in here.sim.effects(verb, "rrset")]


async def looked_on(here: Fleet, scheduler: Member, before: Scrape) -> bool:
    """Whether the account was swept twice more."""
    found = await counted(here, scheduler)
    more = answers(found) - answers(before)
    return more >= 4 and found.value(THINGS, provider="hetzner", sort="zone") == 1


def answers(found: Scrape) -> float:
    good = [labels for labels in found.labels(CALLS) if labels["outcome"] == "2xx"]
    return sum(found.value(CALLS, **labels) or 0.0 for labels in good)


async def counted(here: Fleet, member: Member) -> Scrape:
    async with here.session.get(f"{member.url}/metrics") as answer:
        return scrape(await answer.text())


async def ready(here: Fleet, member: Member) -> int:
    async with here.session.get(f"{member.url}/readyz") as answer:
        return answer.status


async def all_ready(here: Fleet, number: int = 1) -> bool:
    found = await here.every("dns_records")
    return len(found) == number and all(is_ready(one) for one in found)
