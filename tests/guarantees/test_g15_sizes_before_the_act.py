"""15. The size of every difference is published before anything acts on it; an unusual one pages."""

from typing import Any

from msgspec.structs import replace

from engine.people import usual
from engine.plant import Plant
from scrape import Scrape, scrape
from setpoint.drive.meter import Tally
from setpoint.engine.entity import Ref, Scope

BOOKS = {f"{n:02d}": n for n in range(30)}


class LateTally(Tally):
    """Publishes sizes only when a pass is over."""

    def diff(self, kind: str, ref: Ref, sizes: Any) -> None:
        self.sizes = (kind, ref, sizes)

    def passed(self, kind: str, outcome: str, seconds: float, scope: Scope) -> None:
        super().diff(*self.sizes)
        super().passed(kind, outcome, seconds, scope)


def metered(plant: Plant, tally: Tally) -> list[Scrape]:
    """What a scrape shows at each call from now on, before the call is made."""
    parts = {name: replace(getattr(plant.reconciler, name), meter=tally) for name in ("journal", "door")}
    plant.reconciler = replace(plant.reconciler, meter=tally, **parts)
    seen: list[Scrape] = []

    async def at_call() -> None:
        seen.append(scrape(tally.render()))

    plant.loop.while_acting = at_call
    return seen


async def shrunk(plant: Plant, by: int = 3) -> Ref:
    ref = await plant.shelf(BOOKS)
    await plant.declare("shelf", "novels", books=dict(list(BOOKS.items())[by:]))
    return ref


def spike(seen: Scrape) -> tuple[float | None, float | None]:
    size = seen.value("setpoint_diff_changes", kind="shelf", action="delete")
    return size, seen.value("setpoint_acts_total", kind="shelf", verb="delete", outcome="done")


async def test_a_scrape_shows_the_deletes_while_the_acts_are_still_at_zero(plant: Plant) -> None:
    ref = await shrunk(plant)
    seen = metered(plant, Tally(plant.runtime.now))
    await plant.calm(ref)
    assert [spike(each) for each in seen] == [(3.0, None), (3.0, 1.0), (3.0, 2.0)]


async def test_an_unusual_plan_pages_before_its_first_act(kept: Plant) -> None:
    ref = await usual(kept, 2, 2, 2, 2, 2)
    await kept.declare("shelf", "novels", books=dict.fromkeys(BOOKS, "edited"))
    seen = metered(kept, Tally(kept.runtime.now))
    paged: list[bool] = []

    async def at_call() -> None:
        paged.append("plan.unusual" in [event.type for event in kept.events()])

    kept.loop.while_acting = at_call
    await kept.run(ref)
    assert (paged, seen) == ([True], [])


async def test_removed_sizes_published_after_the_pass_show_nothing_in_time(plant: Plant) -> None:
    ref = await shrunk(plant)
    seen = metered(plant, LateTally(plant.runtime.now))
    await plant.calm(ref)
    assert spike(seen[0])[0] is None
