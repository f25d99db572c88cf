"""The way on from a hold: in words, and as commands for this file, the safest first."""

from dataclasses import dataclass
from typing import Final

from setpoint.engine.case import Lever
from setpoint.engine.conclude import held_for_a_person
from setpoint.engine.consent import LEFT_OUT
from setpoint.engine.guards import WAIVABLE, Verdict
from setpoint.engine.limits import Limits
from setpoint.engine.rows import HoldRow, Mode
from setpoint.loop.commands.outlook import Held
from setpoint.loop.commands.session import Place

SWITCHED: Final = frozenset({"observe_only", "no_deletes"})
FAILING: Final = frozenset({"failure_brake", "slow_lane"})
CORRECT: Final = {
    "mass_silence": "observe() is in doubt: check that what it reads is there and complete",
    "newer_than_journal": "the state folder is in doubt: is it an older copy?",
}
"""What may be wrong where a guard does not doubt the declaration."""
Way = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Road:
    """What the ways on depend on besides the hold itself."""

    place: Place
    kind: str
    loop: str
    limits: Limits
    lever: Lever
    plan: str = ""
    """The held plan on record, if it is this one."""
    rejected: bool = False
    """Whether a person has rejected this very plan."""
    approved: bool = False
    """Whether a person has said yes to some of it, and that is not done yet."""


def held(verdict: Verdict, road: Road) -> tuple[Held, ...]:
    """Each guard's sentence with its way on; that we ourselves only look is said elsewhere."""
    own = SWITCHED if road.lever.mode is Mode.RUN else frozenset()
    return tuple(Held(h.guard, h.message, *way_on(h, road)) for h in verdict.holds if h.guard not in own)


def needs_person(verdict: Verdict, *, watching: bool = False) -> bool:
    """Whether a hold does not let go by itself; our own looking only is nobody's decision."""
    switched = not watching and any(hold.guard in SWITCHED for hold in verdict.holds)
    return switched or bool(held_for_a_person(verdict))


def way_on(hold: HoldRow, road: Road) -> Way:
    """In words, and as commands."""
    limits = road.limits
    way: Way = ("lets go by itself", ())
    match hold.guard:
        case guard if guard in WAIVABLE:
            way = _approval(guard, road)
        case guard if guard in SWITCHED:
            way = _switched(road)
        case "probation":
            first = f"{limits.probation_looks} complete looks first, {limits.probation_gap:g} s apart or more"
            way = (f"a delete needs probation: {first}; then it lets go by itself", ())
        case "protection":
            way = ("to let it be deleted after all:", (_about(hold, road, "release", "--protection"),))
        case "contested":
            words = "find the other writer, declare what it writes, or try again:"
            way = (words, (_about(hold, road, "release"),))
        case "slow_lane":
            way = ("to try it at once:", (_about(hold, road, "release"),))
        case "failure_brake":
            words = f"lets go by itself after {limits.brake_good} good acts; to see what fails:"
            way = (words, (road.place.command("why"),))
        case _:
            pass
    return way


def _approval(guard: str, road: Road) -> Way:
    place, correct = road.place, CORRECT.get(guard, "correct what is declared")
    if road.approved and guard == LEFT_OUT:
        return "it is asked about when what is approved is done", ()
    if road.rejected:
        return f"it was rejected, and stays held until it is another plan: {correct}", (
            place.command("plan", road.loop, "--full"),
        )
    if road.plan:
        reject, approve = (
            place.command(verb, road.plan, "--reason", "WHY") for verb in ("reject", "approve")
        )
        return f"nothing of it is done; {correct}, or decide:", (reject, approve)
    record = place.command("run", road.loop, "--enforce", "--once")
    approve = place.command("approve", "--reason", "WHY")
    return f"{correct}, or put it on record and approve it:", (record, approve)


def _switched(road: Road) -> Way:
    return "to go on:", (road.place.onward(road.lever.release, road.kind, road.loop),)


def _about(hold: HoldRow, road: Road, verb: str, *flags: str) -> str:
    item = hold.items[0] if hold.items else "KEY"
    return road.place.command(verb, item, "--loop", road.loop, *flags)
