"""What the switch file says, as the switch that people see; whatever others paused stands."""

from pathlib import Path

import pytest

from setpoint.drive.halting import Halting, recorded
from setpoint.engine.rows import Mode, Switch
from setpoint.engine.store import NOTHING, SWITCHES, Change, Put
from setpoint.storage.memory import MemoryStore
from setpoint.storage.switch_file import Said, SwitchFile

OURS = Said(id="id1", by="ann", reason="a fire")


def switch(mode: Mode, by: str) -> Switch:
    return Switch(key="all", mode=mode, by=by, reason="x", since=1.0, version=4)


@pytest.mark.parametrize(
    ("known", "stops", "mode"),
    [
        (None, True, Mode.STOP),
        (None, False, None),
        (switch(Mode.RUN, "bob"), True, Mode.STOP),
        (switch(Mode.STOP, "bob"), True, None),
        (switch(Mode.NO_DELETES, "bob"), True, None),
        (switch(Mode.STOP, "bob"), False, None),
        (switch(Mode.STOP, "ann, by switch file id1"), True, None),
        (switch(Mode.STOP, "ann, by switch file id1"), False, Mode.RUN),
        (switch(Mode.STOP, "ann, by switch file id2"), False, None),
    ],
)
def test_the_switch_follows_the_file_and_leaves_what_others_set(
    known: Switch | None, stops: bool, mode: Mode | None
) -> None:
    change = recorded(known, OURS, stops=stops, now=2.0)
    rows = [write.row for write in change.writes if isinstance(write, Put)]
    assert [row.mode for row in rows] == ([] if mode is None else [mode])
    assert [line.organization for line in change.audit] == [""] * len(rows)


async def test_people_read_of_it_once_and_until_it_is_over(tmp_path: Path) -> None:
    store, file = MemoryStore(), SwitchFile(tmp_path)
    file.prepare("id1")
    halting = Halting(store, file, lambda: 5.0)
    await halting.settle()
    assert await store.read(SWITCHES) == []
    file.stop("ann", "a fire")
    for _ in range(2):
        await halting.settle()
    (row,) = await store.read(SWITCHES)
    assert (row.mode, row.by, row.reason) == (Mode.STOP, "ann, by switch file id1", "a fire")
    file.resume()
    await halting.settle()
    (row,) = await store.read(SWITCHES)
    assert (row.mode, row.version) == (Mode.RUN, 2)
    assert [line.action for line in store.audit[""]] == ["switch.set", "switch.set"]
    assert recorded(row, OURS, stops=False, now=6.0) == NOTHING == Change()
