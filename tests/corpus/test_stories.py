"""Incidents that take more than one moment: a small world, a real pass, and what must not happen in it."""

import pytest

from engine.library import nothing
from engine.plant import ANN, Plant
from guarantees.depot import Depot
from setpoint.engine.entity import Ref, State
from setpoint.engine.errors import Conflict, Rejected, Transient
from setpoint.engine.plan import ABSENT
from setpoint.engine.rows import ActState

BOOKS = {f"{n:02d}": n for n in range(30)}


async def test_aws_dynamodb_dns_2025_a_delayed_enactor_does_not_write_an_old_plan_over_a_newer_one(
    kept: Plant,
) -> None:
    ref = await kept.shelf({"dns": "old plan"}, found={"dns": "older plan"})

    async def delayed() -> None:
        kept.loop.while_observing = nothing
        other = await kept.taken_over()
        await kept.declare("shelf", "novels", books={"dns": "new plan"})
        await other.calm(ref)

    kept.loop.while_observing = delayed
    with pytest.raises(Conflict):
        await kept.run(ref)
    assert kept.loop.found == {"dns": "new plan"}


async def test_aws_dynamodb_dns_2025_an_empty_result_is_refused_and_a_person_can_repair_it(
    kept: Plant,
) -> None:
    ref = await kept.shelf({"dns": "live"})
    await kept.declare("shelf", "novels", books={})
    await kept.calm(ref)
    assert (kept.loop.found, (await kept.status(ref)).state) == ({"dns": "live"}, State.HELD)
    await kept.declare("shelf", "novels", books={"dns": "repaired"})
    await kept.calm(ref)
    assert kept.loop.found == {"dns": "repaired"}


async def test_argo_cd_18480_a_listing_that_fails_is_not_an_empty_one(plant: Plant) -> None:
    ref = await plant.shelf(BOOKS)
    plant.loop.blind = Transient("the secrets could not be listed")
    for _ in range(20):
        await plant.run(ref)
        plant.runtime.pass_by(60.0)
    assert (plant.acts(), plant.loop.found) == ([], BOOKS)


async def test_kubernetes_58334_a_lookup_that_fails_for_a_fresh_node_deletes_nothing(plant: Plant) -> None:
    ref = await plant.shelf(BOOKS)
    plant.loop.found["fresh"] = "healthy"
    plant.loop.looks = {"fresh": Transient("the cloud does not answer")}
    for _ in range(3):
        await plant.run(ref)
        plant.runtime.pass_by(60.0)
    assert plant.loop.found["fresh"] == "healthy"


async def test_kubernetes_28901_four_of_four_that_seem_gone_are_not_remade(plant: Plant) -> None:
    nodes = dict.fromkeys("abcd", 1)
    ref = await plant.shelf(nodes)
    plant.loop.found = {}
    plant.loop.looks = dict.fromkeys("abcd", ABSENT)
    await plant.calm(ref)
    assert (plant.acts(), (await plant.status(ref)).state) == ([], State.HELD)


async def orphans(plant: Plant, *, conflict: bool) -> Depot:
    """Crossplane 749: a create whose answer was lost, in a world that lists what was made only later."""
    depot = Depot()
    said = Conflict("conflict") if conflict else Transient("no answer", landed=True)
    if conflict:
        said.landed = True  # type: ignore[union-attr]
    depot.fails = lambda act: said if len(depot.calls) == 1 else None
    depot.page = lambda number: (
        [] if len(depot.calls) < 2 and plant.runtime.now() < BORN + 20 else depot.page_of(number)
    )
    plant.reconciler.loops["shelf"] = depot  # type: ignore[index]
    ref = (await plant.declare("shelf", "novels", books={"paid": 1})).ref
    for _ in range(60):
        plant.runtime.pass_by(min(await plant.run(ref) or 1.0, 1.0))
    return depot


BORN = 1_000_000.0


@pytest.mark.parametrize("conflict", [True, False], ids=["conflict", "answer lost"])
async def test_crossplane_749_a_lost_answer_after_a_create_leaves_no_paid_orphan(
    kept: Plant, *, conflict: bool
) -> None:
    depot = await orphans(kept, conflict=conflict)
    assert len(depot.named("paid")) == 1
    assert [act.state for act in kept.acts()] == [ActState.DONE]


async def test_kustomize_controller_1664_a_delete_that_was_refused_is_tried_again(kept: Plant) -> None:
    ref: Ref = await kept.shelf(BOOKS)
    await kept.declare("shelf", "novels", books=dict(list(BOOKS.items())[1:]))
    kept.loop.answers = {"00": [Rejected("in use")] * 5}
    await kept.run(ref)
    assert (await kept.status(ref)).state is State.DEGRADED
    for _ in range(30):
        kept.runtime.pass_by(await kept.run(ref) or 60.0)
    assert "00" not in kept.loop.found
    assert (await kept.status(ref)).state is State.READY


async def test_kustomize_controller_1664_what_leaves_stays_declared_until_it_is_gone(kept: Plant) -> None:
    ref = await kept.shelf({"dune": 1})
    kept.loop.answers = {"dune": [Rejected("in use")] * 3}
    await kept.declarer.delete(ref, ANN)
    await kept.run(ref)
    assert (await kept.entity(ref)).deleting == "asked"


async def test_skyscanner_2021_what_is_changed_everywhere_goes_out_in_waves(plant: Plant) -> None:
    ref = await plant.shelf(BOOKS)
    await plant.declare("shelf", "novels", books=dict.fromkeys(BOOKS, "two characters more"))
    plant.loop.say = {"unhealthy": frozenset(BOOKS)}
    for _ in range(10):
        await plant.run(ref)
        plant.runtime.pass_by(60.0)
    assert list(plant.loop.found.values()).count("two characters more") == 1
