"""A provider that asks to come later has not failed: nobody brakes, and nothing is put in the slow lane."""

from setpoint.engine.entity import State
from setpoint.engine.errors import Transient

from .plant import Plant


def busy(times: int) -> list[Exception]:
    return [Transient("asked too often", retry_after=1.0) for _ in range(times)]


async def test_what_is_put_off_is_pending_and_tried_again_soon(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1}, found={})
    plant.loop.answers = {"dune": busy(1)}
    assert await plant.run(ref) == 1.0
    assert (await plant.status(ref)).state is State.PENDING
    for _ in range(3):
        plant.runtime.pass_by(1)
        await plant.run(ref)
    assert (plant.loop.found, (await plant.status(ref)).state) == ({"dune": 1}, State.READY)


async def test_thirty_times_put_off_is_no_failure(plant: Plant) -> None:
    ref = await plant.shelf({"dune": 1, "emma": 1}, found={"emma": 1})
    plant.loop.answers = {"dune": busy(30)}
    for _ in range(30):
        await plant.run(ref)
        plant.runtime.pass_by(1)
    assert (await plant.ledger(ref)).failing == {}
    assert "failure_brake" not in {told[2] for told in plant.meter.told if told[0] == "held"}
    await plant.calm(ref)
    assert plant.loop.found == {"dune": 1, "emma": 1}
