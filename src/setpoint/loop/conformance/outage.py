"""Checks of what is said while sources fail: an error, never less than all of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from setpoint.engine.plan import UNKNOWN
from setpoint.loop.conformance.bench import Bench, Skipped, Untested
from setpoint.loop.conformance.haste import hasty
from setpoint.loop.conformance.process import Process, Said
from setpoint.loop.conformance.refusal import refusing
from setpoint.loop.conformance.sources import COMMANDS, NETWORK, Watch
from setpoint.loop.conformance.words import short
from setpoint.loop.conformance.world import World, differences, spelling

SINGLE_FAILURES: Final = 12
FAMILY: Final = "unreachable"
UNMOVED: Final = "could not be made to fail: it keeps a connection that is not Python's, or uses memory alone"


@dataclass(frozen=True, slots=True)
class Outage:
    """One question, asked while something failed."""

    title: str
    what: str
    said: Said
    whole: Said
    single: bool = False

    @property
    def told(self) -> bool:
        """Whether nobody could take it for the truth, unless it is."""
        if not self.said.well or self.said.answer is UNKNOWN:
            return True
        return _same(self.said.answer, self.whole.answer)

    @property
    def words(self) -> str:
        return f"{self.title} answered {_less(self.said.answer, self.whole.answer)} while {self.what}"


def unreachable(bench: Bench) -> Iterator[str]:
    outages = bench.once("outages", watched)
    yield from _worst(outages, lambda outage: not outage.single)
    # What desired reads may be nothing but its own text; what is there is read from somewhere.
    reads = ("observe", *(("look",) if bench.has("look") else ()))
    unmoved = [method for method in reads if not any(each.title.startswith(f"{method}(") for each in outages)]
    if unmoved:
        raise Untested(f"what {' and '.join(unmoved)} reads {UNMOVED}", FAMILY)


def partial(bench: Bench) -> Iterator[str]:
    outages = [each for each in bench.once("outages", watched) if each.single]
    if not outages:
        raise Skipped("it reads at most one thing")
    if any(not each.told for each in bench.once("outages", watched) if not each.single):
        raise Skipped("it does not even tell when everything fails")
    yield from _worst(outages, lambda _: True)


def _worst(outages: "list[Outage]", counts: Callable[[Outage], bool]) -> Iterator[str]:
    """The first of each method: the others would say the same again."""
    untold = {each.title: each for each in reversed(outages) if counts(each) and not each.told}
    yield from (each.words for each in untold.values())


def watched(bench: Bench) -> list[Outage]:
    """Each question with everything failing, with each source failing alone, and with bad answers."""
    world = bench.world()
    questions: list[tuple[object, ...]] = [("desired",), ("observe",)]
    if bench.has("look") and world.spelt:
        questions.append(("look", next(iter(world.spelt))))
    return [outage for question in questions for outage in _outages(bench, *question)]


def _outages(bench: Bench, method: object, *args: object) -> Iterator[Outage]:
    name, title = str(method), Process.title(str(method), *args)
    watch = Watch()
    whole = bench.ask(name, *args, around=watch)
    if not whole.well:
        return
    if not watch.touched:
        yield from _from_the_start(bench, whole, name, *args)
        return
    for failing in (None, *range(1, min(len(watch.touched), SINGLE_FAILURES) + 1)):
        broken = Watch(None if failing is None else {failing})
        said = bench.ask(name, *args, around=hasty(broken))
        if broken.failed:
            single = failing is not None and len(watch.touched) > 1
            yield Outage(title, broken.failed, said, whole, single)
    if refused(watch):
        said = bench.ask(name, *args, around=hasty(refusing()))
        yield Outage(title, refused(watch), said, whole)


def refused(watch: Watch) -> str:
    """What a refusal looks like to whoever reached for these."""
    # What is connected already stays with whom it is connected to.
    services, commands = ({*watch.touched} & sort for sort in (NETWORK - {"socket.send"}, COMMANDS))
    return "every service answered 503" if services else "every command ended with 1" if commands else ""


def _from_the_start(bench: Bench, whole: Said, method: str, *args: object) -> Iterator[Outage]:
    """What is opened when the loop is made fails then; that it cannot be made is telling enough."""
    with Watch(None) as watch:
        try:
            process = bench.process()
        except Exception as error:  # noqa: BLE001 - whatever their code raises is what we want to know
            said = Said(error=error)
        else:
            with process:
                said = process.call(method, *args)
    if watch.failed:
        yield Outage(Process.title(method, *args), watch.failed, said, whole)


def _same(answer: object, whole: object) -> bool:
    if isinstance(answer, dict) and isinstance(whole, dict):
        return not differences(World.of(whole), World.of(answer))
    return spelling(answer) == spelling(whole)


def _less(answer: object, whole: object) -> str:
    if not isinstance(answer, dict) or not isinstance(whole, dict):
        return short(answer)
    missing = len(whole.keys() - answer.keys())
    return f"{short(answer)}, {missing} of {len(whole)} keys missing," if missing else short(answer)
