"""kill -9 at every named point of the act protocol, on a loop file: never two for one key, none untracked.

`SETPOINT_KILLS=300 pytest tests/chaos/test_named_points.py` for the figure; a small dose otherwise.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random
from signal import SIGKILL

import pytest

from chance import fresh_chance
from setpoint.drive.fail_points import POINTS

KILLS = int(os.environ.get("SETPOINT_KILLS", "18"))
HELD = 4
KEYS = [f"lot-{number}" for number in range(8)]


@pytest.mark.timeout(900)
def test_a_kill_at_any_point_makes_nothing_twice_and_loses_nothing(tmp_path: Path) -> None:
    chance = fresh_chance()
    shutil.copy(Path(__file__).with_name("lots.py"), tmp_path / "lots.py")
    (tmp_path / "world").mkdir()
    killed: Counter[str] = Counter()
    wanted: dict[str, int] = {}
    while sum(killed.values()) < KILLS or set(killed) < set(POINTS):
        wanted = changed(wanted, chance)
        (tmp_path / "wanted.json").write_text(json.dumps(wanted))
        # The point that was struck least: settling is reached only after another kill left an act open.
        point = min(POINTS, key=lambda name: (killed[name], chance.random()))
        point = "call.after" if point == "settle.mid" and not open_acts(tmp_path) else point
        if run(tmp_path, f"{point}:{chance.randint(1, 2)}") == -SIGKILL:
            killed[point] += 1
        assert set(there(tmp_path).values()) <= {1}, "one key, two things"
        if chance.random() < 0.3:
            converged(tmp_path, wanted)
    converged(tmp_path, wanted)
    print(json.dumps(killed))  # noqa: T201 - the figures are what a run is for
    verified = setpoint(tmp_path, "audit", "verify", "lots.py")
    assert verified.returncode == 0, verified.stderr


def changed(wanted: dict[str, int], chance: Random) -> dict[str, int]:
    """Something to create, to change, and now and then to delete; never nothing at all."""
    after = dict(wanted)
    for key in chance.sample(KEYS, 3):
        if key in after and len(after) > 5 and chance.random() < 0.3:
            del after[key]
        else:
            after[key] = chance.randint(0, 10**9)
    return after


def run(folder: Path, fail_at: str = "") -> int:
    return setpoint(folder, "run", "lots.py", "--enforce", "--once", fail_at=fail_at).returncode


def setpoint(folder: Path, *words: str, fail_at: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "setpoint", *words],
        cwd=folder,
        env={**os.environ, "SETPOINT_FAIL_AT": fail_at},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def converged(folder: Path, wanted: dict[str, int]) -> None:
    """Within a few runs everything is as wanted, each once, and none has an open act: exit 0 says so."""
    said = None
    for _ in range(12):
        said = setpoint(folder, "run", "lots.py", "--enforce", "--once")
        if said.returncode == 0:
            break
        if said.returncode == HELD:
            setpoint(folder, "approve", "lots.py", "--yes", "--reason", "so many deletes are meant")
    assert said is not None
    assert said.returncode == 0, said.stdout + said.stderr
    assert there(folder) == dict.fromkeys(wanted, 1)
    values = {lot["key"]: lot["value"] for lot in lots(folder)}
    assert values == wanted
    assert open_acts(folder) == 0


def lots(folder: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in (folder / "world").iterdir()]


def there(folder: Path) -> Counter[object]:
    return Counter(lot["key"] for lot in lots(folder))


def open_acts(folder: Path) -> int:
    database = next(folder.glob(".setpoint/lots/setpoint.db"), None)
    if database is None:
        return 0
    with closing(sqlite3.connect(database)) as connection:
        return int(connection.execute("SELECT count(*) FROM act WHERE slot IS NOT NULL").fetchone()[0])
