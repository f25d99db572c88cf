"""Check of `changes`: whatever differs since it was last asked, it tells, or it says None."""

from collections.abc import Iterator

from setpoint.engine.plan import ABSENT
from setpoint.loop.conformance.bench import Bench, Skipped, answered
from setpoint.loop.conformance.process import Process
from setpoint.loop.conformance.words import short
from setpoint.loop.conformance.world import spelling

AnyValue = object


def changes(bench: Bench) -> Iterator[str]:
    if not bench.has("changes"):
        raise Skipped("there is no changes")
    key, value = bench.cast.key, bench.cast.values[0]
    with bench.process() as process:
        answered(process.call("changes"), "changes")
        bench.world(process)
        bench.put(key, value)
        yield from _told(process, key, value, f"{bench.writer(exists=False)} of {key!r}")
        bench.do("delete", key)
        yield from _told(process, key, ABSENT, f"delete of {key!r}")


def _told(process: Process, key: str, value: AnyValue, deed: str) -> Iterator[str]:
    told = answered(process.call("changes"), "changes")
    if told is None:
        return  # Everything will be observed.
    if key not in told:
        yield f"after the {deed} by another process, changes() does not tell of it: {short(told)}"
    elif (told[key] is ABSENT) != (value is ABSENT) or spelling(told[key]) != spelling(value):
        yield f"after the {deed} by another process, changes() says {short(told[key])}, not {short(value)}"
