"""What a pass does not know: acts without an answer, and listings that a look contradicts."""

from msgspec.structs import replace

from setpoint.engine.entity import State
from setpoint.engine.errors import Conflict, Transient
from setpoint.engine.limits import Limits
from setpoint.engine.plan import UNKNOWN, Verb
from setpoint.engine.rows import ActState

from .plant import Plant


async def test_an_unanswered_build_keeps_the_deletes_of_its_pass_from_beginning(plant: Plant) -> None:
    ref = await plant.proven(await plant.shelf({"new": 1}, found={"old": 1}))
    plant.loop.answers = {"new": [Transient("no answer", landed=True)]}
    await plant.run(ref)
    assert [act.item for act in plant.loop.acts] == ["new"]
    await plant.calm(ref)
    assert plant.loop.found == {"new": 1}


async def test_an_act_without_an_answer_is_settled_by_the_next_pass(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    plant.loop.answers = {"dune": [Transient("no answer", landed=True)]}
    assert await plant.run(ref) == 0.0
    await plant.run(ref)
    assert ([act.state for act in plant.acts()], plant.loop.looked) == ([ActState.DONE], ["dune"])
    assert (await plant.status(ref)).state is State.READY


async def test_an_act_of_hours_ago_that_is_still_open_is_settled_too(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    plant.loop.answers, plant.loop.looks = {"dune": [Transient("gone", landed=True)]}, {"dune": UNKNOWN}
    await plant.run(ref)
    plant.loop.found = {}
    plant.runtime.pass_by(10_000)
    assert await plant.run(ref) == 1.0
    assert [act.state for act in plant.acts()] == [ActState.UNKNOWN]
    plant.loop.looks = {}
    await plant.calm(ref)
    assert [act.state for act in plant.acts()] == [ActState.FAILED, ActState.DONE]


async def test_what_is_waited_for_is_looked_at_every_second_and_not_in_a_rush(plant: Plant) -> None:
    ref = await plant.shelf(dict.fromkeys("abc", 1), found={})
    plant.loop.answers, plant.loop.looks = {"a": [Conflict("exists")]}, {"a": UNKNOWN}
    await plant.calm(ref)
    assert [await plant.run(ref) for _ in range(3)] == [1.0, 1.0, 1.0]
    assert [act.item for act in plant.loop.acts] == ["a", "b", "c"]


async def test_a_listing_that_lost_something_is_checked_by_a_look(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1})
    plant.loop.found, plant.loop.looks = {}, {"dune": 1}
    assert await plant.run(ref) == 1.0
    assert plant.acts() == []
    status = await plant.status(ref)
    assert status.reason == "the listing and a direct look disagree about dune"
    plant.loop.looks = {}
    await plant.calm(ref)
    assert [act.verb for act in plant.acts()] == [Verb.CREATE]


async def test_what_we_made_and_no_listing_shows_is_looked_at_before_it_is_made_again(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    await plant.run(ref)
    plant.loop.found, plant.loop.looks = {}, {"dune": 1}
    plant.runtime.pass_by(30.0)
    await plant.run(ref)
    assert (len(plant.acts()), plant.loop.looked) == (1, ["dune"])


async def test_everything_that_rests_on_an_absence_is_looked_at_before_it_is_made(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1, "emma": 2})
    plant.loop.found, plant.loop.looks = {}, {"dune": 1, "emma": UNKNOWN}
    await plant.run(ref)
    assert (plant.acts(), sorted(plant.loop.looked)) == ([], ["dune", "emma"])


async def test_nothing_is_looked_at_twice_in_one_pass(plant: Plant) -> None:
    ref = await plant.shelf({"a": 1, "b": 1, "c": 1})
    await plant.put(replace(await plant.ledger(ref), wave=1))
    plant.loop.found, plant.loop.looks = {}, {"b": 1}
    await plant.run(ref)
    assert plant.loop.looked == ["a", "b", "c"]
    assert [act.item for act in plant.acts()] == ["a", "c"]


async def test_a_listing_that_is_wrong_about_many_is_not_believed_about_the_rest(plant: Plant) -> None:
    books = {f"{number:02d}": number for number in range(12)}
    ref = await plant.shelf(books)
    plant.limits = Limits(vanished_floor=12)
    plant.loop.found, plant.loop.looks = {}, {item: books[item] for item in list(books)[:10]}
    assert await plant.run(ref) == 1.0
    assert (plant.acts(), len(plant.loop.looked)) == ([], 10)


async def test_a_delete_is_looked_at_before_it_is_begun(plant: Plant) -> None:
    ref = await plant.proven(await plant.shelf({"dune": 1}, found={"dune": 1, "emma": 1}))
    plant.loop.looks = {"emma": "changed meanwhile"}
    await plant.run(ref)
    assert (plant.acts(), plant.loop.looked) == ([], ["emma"])


async def test_a_look_that_fails_fails_the_pass(plant: Plant) -> None:
    ref = await plant.proven(await plant.shelf({"dune": 1}, found={"dune": 1, "emma": 1}))
    plant.loop.looks = {"emma": Transient("no answer")}
    await plant.run(ref)
    assert (plant.acts(), (await plant.status(ref)).reason) == ([], "no answer")
