"""Holes of well-known guards: the peer's rule lets it pass, ours holds it."""

import pytest

from engine.people import approve, decision, shelves
from engine.plant import Plant
from engine.situations import case, creates, deletes, guards_of, ledger, updates
from setpoint.engine.entity import State
from setpoint.engine.errors import Rejected
from setpoint.engine.guards import judge
from setpoint.engine.release import protect

from .peers import (
    Zone,
    argo_cd_allow_empty,
    argo_cd_self_heal,
    cluster_api_max_unhealthy,
    metacontroller,
    octodns_thresholds,
    terraform_prevent_destroy,
)


@pytest.mark.parametrize("there", [10, 100, 1_000])
def test_one_survivor_disarms_argo_cds_empty_guard_and_not_ours(there: int) -> None:
    assert argo_cd_allow_empty(Zone(there, deletes=there - 1))
    judged = case(deletes(there - 1), desired=1, actual=there, accepted=there)
    assert judge(judged).allowed == ()


@pytest.mark.parametrize("there", range(2, 10))
def test_octodns_lets_small_zones_go_whole_and_we_do_not(there: int) -> None:
    assert octodns_thresholds(Zone(there, deletes=there))
    assert judge(case(deletes(there), desired=1, actual=there)).allowed == ()


def test_octodns_lets_thirty_percent_go_and_thirty_percent_change_and_we_hold_the_deletes() -> None:
    assert octodns_thresholds(Zone(100, deletes=30, updates=30))
    verdict = judge(case((*updates(30), *deletes(30)), desired=70, actual=100, accepted=70))
    assert not any(action.destructive for action in verdict.allowed)


async def test_octodns_judges_each_zone_alone_and_ours_counts_all_of_them(plant: Plant) -> None:
    refs = await shelves(plant, 40, withdrawn=2)
    assert all(octodns_thresholds(Zone(30, deletes=8)) for _ in refs)
    for ref in refs:
        await plant.calm(ref)
    assert len(plant.acts()) == 50


async def test_octodns_force_waives_everything_and_our_approval_only_what_was_shown(plant: Plant) -> None:
    assert octodns_thresholds(Zone(100, deletes=100), force=True)
    [ref] = await shelves(plant, 1, withdrawn=6)
    await plant.run(ref)
    await approve(plant, plant.plans()[0])
    await plant.declare("shelf", "shelf-00", books={})
    await plant.run(ref)
    assert plant.acts() == []
    assert (await plant.status(ref)).state is State.HELD


@pytest.mark.parametrize(("gone", "of"), [(4, 4), (50, 50), (30, 100)])
def test_cluster_apis_mass_failure_stop_is_off_by_default_and_ours_is_not(gone: int, of: int) -> None:
    assert cluster_api_max_unhealthy(of, gone)
    known = tuple(action.item for action in creates(of))
    assert guards_of(case(creates(gone), desired=of, actual=of - gone, ledger=ledger(known=known))) == [
        "mass_silence"
    ]


async def test_terraforms_prevent_destroy_goes_with_its_block_and_our_protection_stays(kept: Plant) -> None:
    assert terraform_prevent_destroy(block_is_there=False, prevent_destroy=True)
    ref = await kept.shelf({f"{n:02d}": n for n in range(30)})
    await kept.store.commit(protect(await decision(kept, ref, "00")))
    await kept.declare("shelf", "novels", books={f"{n:02d}": n for n in range(1, 30)})
    await kept.calm(ref)
    assert "00" in kept.loop.found


async def test_argo_cd_never_tries_a_failed_revision_again_and_we_do(plant: Plant) -> None:
    assert not argo_cd_self_heal(failed_revision="abc", revision="abc")
    ref = await plant.shelf({"dune": 1}, found={})
    plant.loop.answers = {"dune": [Rejected("not now")] * 30}
    for _ in range(200):
        plant.runtime.pass_by(await plant.run(ref) or 60.0)
    assert plant.loop.found == {"dune": 1}
    assert (await plant.entity(ref)).generation == 1


async def test_metacontroller_deletes_before_it_creates_and_we_after(plant: Plant) -> None:
    assert metacontroller(["old"], ["new"]) == ["delete old", "create new"]
    ref = await plant.proven(await plant.shelf({"new": 1, "x": 1}, found={"old": 1, "x": 1}))
    await plant.calm(ref)
    assert [f"{act.verb} {act.item}" for act in plant.loop.acts] == ["create new", "delete old"]


async def test_an_empty_answer_deletes_all_children_of_metacontroller_and_none_of_ours(plant: Plant) -> None:
    assert metacontroller(["a", "b", "c"], []) == ["delete a", "delete b", "delete c"]
    ref = await plant.shelf(dict.fromkeys("abc", 1))
    await plant.declare("shelf", "novels", books={})
    await plant.calm(ref)
    assert sorted(plant.loop.found) == ["a", "b", "c"]
    assert "nothing is declared while 3 exist" in (await plant.status(ref)).reason
