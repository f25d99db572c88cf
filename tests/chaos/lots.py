"""A loop over a world that lets everything happen twice: each create makes one more file."""

import json
from pathlib import Path
from uuid import uuid4

from setpoint.loop import ABSENT, Keyed

HERE = Path(__file__).parent
WORLD = HERE / "world"


class Lots(Keyed):
    """Lots are exactly those in wanted.json."""

    every = "1s"
    deadline = "2s"
    observe_deadline = "60s"
    probation_gap = 0.01
    contested_times = 1000

    def desired(self):
        return json.loads((HERE / "wanted.json").read_text())

    def observe(self):
        return {lot["key"]: lot["value"] for lot in map(self.read, sorted(WORLD.iterdir()))}

    def create(self, key, value):
        self.write(WORLD / uuid4().hex, {"key": key, "value": value})

    def update(self, key, value):
        self.write(self.file(key), {"key": key, "value": value})

    def delete(self, key):
        self.file(key).unlink()

    def look(self, key):
        return next((lot["value"] for lot in map(self.read, WORLD.iterdir()) if lot["key"] == key), ABSENT)

    def file(self, key):
        return next(path for path in WORLD.iterdir() if self.read(path)["key"] == key)

    def read(self, path):
        return json.loads(path.read_text())

    def write(self, path, lot):
        draft = HERE / f"{path.name}.draft"
        draft.write_text(json.dumps(lot))
        draft.rename(path)
