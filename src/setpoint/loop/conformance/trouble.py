"""Checks of what writing does while sources fail: it says so, as an Exception, and harms nobody."""

from collections.abc import Iterator
from dataclasses import dataclass

from setpoint.loop.conformance.bench import Bench, Broke, Untested
from setpoint.loop.conformance.deed import Deed, deeds
from setpoint.loop.conformance.haste import hasty
from setpoint.loop.conformance.outage import FAMILY, SINGLE_FAILURES, UNMOVED, refused, watched
from setpoint.loop.conformance.process import Around, Said
from setpoint.loop.conformance.refusal import refusing
from setpoint.loop.conformance.sources import Watch
from setpoint.loop.conformance.words import blamed, listed
from setpoint.loop.conformance.world import differences


@dataclass(frozen=True, slots=True)
class Trouble:
    """One deed, done while something failed."""

    deed: Deed
    what: str
    said: Said
    landed: bool
    harmed: tuple[str, ...]


def told(bench: Bench) -> Iterator[str]:
    untold = {t.deed.method: t for t in reversed(_troubles(bench)) if t.said.well and not t.landed}
    for trouble in untold.values():
        yield f"{trouble.deed.title} ended well while {trouble.what}, and nothing was done"


def harmless(bench: Bench) -> Iterator[str]:
    harmful = {t.deed.method: t for t in reversed(_troubles(bench)) if t.harmed}
    for trouble in harmful.values():
        yield f"{trouble.deed.title} while {trouble.what}: {listed(trouble.harmed)}"


def exceptions(bench: Bench) -> Iterator[str]:
    """Of everything that was called while something failed."""
    ends = [(each.title, each.what, each.said) for each in bench.once("outages", watched)]
    ends += [(each.deed.title, each.what, each.said) for each in bench.once("troubles", suffered)]
    if not ends:
        raise Untested(f"what it reads and writes {UNMOVED}", FAMILY)
    first = {
        title.partition("(")[0]: (title, what, said) for title, what, said in reversed(ends) if _fatal(said)
    }
    for title, what, said in first.values():
        error = said.error
        yield f"{title} raised {blamed(error) if error else ''} while {what}"


def _fatal(said: Said) -> bool:
    return said.error is not None and not isinstance(said.error, Exception)


def _troubles(bench: Bench) -> list[Trouble]:
    found = bench.once("troubles", suffered)
    unmoved = sorted({deed.method for deed in deeds(bench)} - {each.deed.method for each in found})
    if unmoved and not any(each.harmed or (each.said.well and not each.landed) for each in found):
        family = FAMILY if not bench.once("outages", watched) else "failures are told"
        raise Untested(f"what {' and '.join(unmoved)} writes {UNMOVED}", family)
    return found


def suffered(bench: Bench) -> list[Trouble]:
    """Each deed with everything failing, with each source failing alone, and with bad answers."""
    return [trouble for deed in deeds(bench) for trouble in _of_one(bench, deed)]


def _of_one(bench: Bench, deed: Deed) -> Iterator[Trouble]:
    watch = Watch()
    bench.restore()
    deed.set_up(bench, bench.stage)
    if not deed.do(bench, watch).well:
        return
    for failing in (None, *range(1, min(len(watch.touched), SINGLE_FAILURES) + 1)):
        broken = Watch(None if failing is None else {failing})
        trouble = _trouble(bench, deed, broken)
        if broken.failed:
            yield trouble(broken.failed)
    if refused(watch):
        yield _trouble(bench, deed, refusing())(refused(watch))


def _trouble(bench: Bench, deed: Deed, around: Around) -> "_Told":
    bench.restore(damaged=True)
    deed.set_up(bench, bench.stage)
    said = deed.do(bench, hasty(around))
    try:
        now = bench.world(until=lambda world: not said.well or deed.landed(world))
    except Broke as broke:
        return _Told(deed, said, True, (f"then {broke}",))
    return _Told(deed, said, deed.landed(now), tuple(differences(bench.stage, now, but=deed.key)))


@dataclass(frozen=True, slots=True)
class _Told:
    """A trouble whose cause is known only afterwards."""

    deed: Deed
    said: Said
    landed: bool
    harmed: tuple[str, ...]

    def __call__(self, what: str) -> Trouble:
        return Trouble(self.deed, what, self.said, self.landed, self.harmed)
