"""8. What is destroyed is weighed: a zone with its records is not one thing among many."""

import pytest
from msgspec.structs import replace

from engine.situations import case, deletes
from kinds.test_dns_zone import ZONE, found, planned, record
from setpoint.engine.case import Case
from setpoint.engine.guards import judge
from setpoint.kinds import dns_zone, host

from .removal import without


def test_one_zone_with_four_hundred_records_weighs_five_hundred() -> None:
    leaving = replace(ZONE, declared=replace(ZONE.declared, deleting="withdrawn"))
    names = [f"r{n}" for n in range(400)]
    plan = planned([record(name) for name in names], [found(name) for name in names], entity=leaving)
    assert [(action.item, action.weight) for action in plan.actions] == [(dns_zone.ZONE_ITEM, 500)]


def zones(number: int) -> Case:
    """So many zones of 400 records are to go from a domain that owns 20 of them and 5,000 records."""
    return case(deletes(number, weight=500), actual=5_020, desired=5_000, weight=15_000)


@pytest.mark.parametrize(("number", "goes"), [(1, True), (3, True), (4, False)])
def test_zones_go_up_to_a_tenth_of_all_that_is_owned(number: int, goes: bool) -> None:
    assert bool(judge(zones(number)).allowed) == goes


@pytest.mark.parametrize("hosts", [2, 3, 5, 10, 50])
def test_one_host_can_be_deleted(hosts: int) -> None:
    weight = host.WEIGHT
    judged = case(deletes(1, weight=weight), actual=hosts, desired=hosts - 1, weight=weight * hosts)
    assert len(judge(judged).allowed) == 1


def test_removed_four_zones_go_as_if_they_were_records(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "weight")
    assert len(judge(zones(4)).allowed) == 4
