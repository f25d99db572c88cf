"""One observed event brings the plan up to date: decode, check, hash, one slot, one action.

Half of the events of a run make something differ, half set right what the run before made differ. The guards
are not part of it: they judge a plan when a pass is due, however many events came before.
"""

from collections.abc import Sequence
from random import Random
from typing import Final

import msgspec

from bench.diff import records
from bench.diff.drift import SEED
from bench.trial import Counts, Trial
from setpoint.engine.columns import Columns, fingerprint
from setpoint.engine.plan import Action, diff, sizes

EACH: Final = 200  # Events of each sort in a run.


class Event(msgspec.Struct, frozen=True):
    """What a provider says of one item: as it is now, or gone."""

    item: str
    record: records.RecordSet | None


class Live:
    """A plan that is kept up to date."""

    def __init__(self, size: int) -> None:
        self.desired = {records.item_of(i): records.declared_record(i) for i in range(size)}
        self.columns = Columns()
        for item, record in self.desired.items():
            digest = fingerprint(record)
            self.columns.want(item, digest)
            self.columns.saw(item, digest)
        self.actions: dict[str, Action] = {}
        self._decoder = msgspec.json.Decoder(Event)

    def hear(self, sent: bytes) -> None:
        event = self._decoder.decode(sent)
        item, record = event.item, event.record
        if not self.columns.saw(item, None if record is None else fingerprint(record)):
            self.actions.pop(item, None)
            return
        wanted = self.desired.get(item)
        (self.actions[item],) = diff(
            {} if wanted is None else {item: wanted}, {} if record is None else {item: record}
        )


def events(size: int) -> Trial:
    live = Live(size)
    places = Random(SEED).sample(range(size), 4 * EACH)  # noqa: S311 - the same on each machine
    one, other = (_upset_and_settle(places[half::2], size) for half in range(2))
    turns = [one[1] + other[0], other[1] + one[0]]
    for sent in one[0]:
        live.hear(sent)

    def run() -> dict[str, Action]:
        turns.reverse()
        for sent in turns[1]:
            live.hear(sent)
        return live.actions

    return Trial(run, lambda actions: _counts(live, actions), parts=len(turns[0]))


def _upset_and_settle(places: Sequence[int], size: int) -> tuple[list[bytes], list[bytes]]:
    """Events that make things differ, and those that set the same things right again."""
    vanished, drifted = places[:EACH], places[EACH:]
    strangers = [size + place for place in vanished]
    upset = [_sent(i, None) for i in vanished]
    upset += [_sent(i, records.OTHER_TTL) for i in drifted] + [_sent(i, records.TTL) for i in strangers]
    settled = [_sent(i, records.TTL) for i in (*vanished, *drifted)] + [_sent(i, None) for i in strangers]
    return upset, settled


def _sent(number: int, ttl: int | None) -> bytes:
    record = None if ttl is None else records.declared_record(number, ttl)
    return msgspec.json.encode({"item": records.item_of(number), "record": record})


def _counts(live: Live, actions: dict[str, Action]) -> Counts:
    found = sizes(actions.values()).items()
    return {str(verb): number for verb, number in found} if live.columns.rescan() == actions.keys() else {}
