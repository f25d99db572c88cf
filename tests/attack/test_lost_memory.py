"""Somebody makes a loop forget what it did, or loosens its limits, to delete more than one hour allows."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from attack.kit import ENOUGH, PYTHON, Ran

EVERYTHING = [f"flag-{n:02d}" for n in range(40)]
FILE = """\
import json
from pathlib import Path
from setpoint.loop import Keyed

WORLD = Path(__file__).parent / "world.json"

class {name}(Keyed):
    probation_gap = 0.01
    {limits}

    def desired(self): return {{key: 1 for key in {wanted!r}}}
    def observe(self): return json.loads(WORLD.read_text())
    def put(self, key, value): self.save({{**self.observe(), key: value}})
    def delete(self, key): self.save({{k: v for k, v in self.observe().items() if k != key}})
    def save(self, things): WORLD.write_text(json.dumps(things))
"""


@dataclass
class Workshop:
    """A folder with one loop file, which is rewritten before each step."""

    path: Path
    file: str = "flags.py"
    name: str = "Flags"
    limits: str = ""
    wanted: list[str] = field(default_factory=lambda: list(EVERYTHING))

    @property
    def there(self) -> list[str]:
        return sorted(json.loads((self.path / "world.json").read_text()))

    def world(self, keys: list[str]) -> None:
        (self.path / "world.json").write_text(json.dumps(dict.fromkeys(keys, 1)))

    def run(self, times: int = 3) -> Ran:
        """So many runs, each a process of its own; how the last one ended."""
        text = FILE.format(name=self.name, limits=self.limits, wanted=self.wanted)
        (self.path / self.file).write_text(text)
        return [self.said("run", self.file, "--enforce", "--once") for _ in range(times)][-1]

    def said(self, *words: str) -> Ran:
        command = [PYTHON, "-m", "setpoint", *words]
        done = subprocess.run(  # noqa: S603 - our own words
            command, cwd=self.path, capture_output=True, text=True, timeout=ENOUGH, check=False
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def rename_file(self, step: int) -> None:
        (self.path / self.file).unlink()
        self.file = f"flags{step}.py"

    def rename_class(self, step: int) -> None:
        self.name = f"Flags{step}"

    def forget(self, step: int) -> None:
        shutil.rmtree(self.path / ".setpoint")

    def rename_both(self, step: int) -> None:
        self.rename_file(step)
        self.rename_class(step)

    def keep_the_old_file(self, step: int) -> None:
        """The old file stays, so its memory is still somebody's."""
        self.file = f"flags{step}.py"


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    """Everything is there already, and the loop has looked."""
    found = Workshop(tmp_path)
    found.world(EVERYTHING)
    assert found.run().code == 0
    return found


TRICKS = (
    [
        Workshop.forget,
        Workshop.rename_both,
        Workshop.rename_class,
        Workshop.rename_file,
        Workshop.keep_the_old_file,
    ]
    if os.environ.get("SETPOINT_ATTACK") == "full"
    else [Workshop.forget, Workshop.rename_both]
)


@pytest.mark.parametrize("trick", TRICKS)
def test_step_by_step_no_more_goes_than_without_the_trick(
    workshop: Workshop, trick: Callable[[Workshop, int], None]
) -> None:
    for step in range(3):
        trick(workshop, step)
        workshop.wanted = workshop.wanted[:-4]
        workshop.run()
    assert len(workshop.there) >= len(EVERYTHING) - 8


def test_a_lost_memory_makes_and_changes_at_once_and_says_until_when_it_holds(workshop: Workshop) -> None:
    workshop.forget(0)
    workshop.wanted = [*EVERYTHING[:-1], "new"]
    ran = workshop.run()
    assert (ran.code, workshop.there) == (4, sorted([*EVERYTHING, "new"]))
    assert "new_memory" in ran.out
    assert "no deletes are left until" in " ".join(ran.out.split())


def test_what_a_lost_memory_holds_can_be_approved(workshop: Workshop) -> None:
    workshop.forget(0)
    workshop.wanted = EVERYTHING[:-1]
    workshop.run()
    approved = workshop.said("approve", "flags.py", "--reason", "it is meant", "--yes")
    assert approved.code == 0, approved.err
    assert (workshop.run(1).code, workshop.there) == (0, EVERYTHING[:-1])


def test_after_an_approved_shrink_a_rename_needs_nobody(workshop: Workshop) -> None:
    workshop.forget(0)
    workshop.wanted = EVERYTHING[:20]
    workshop.run()
    approved = workshop.said("approve", "flags.py", "--reason", "half of it is not used", "--yes")
    assert approved.code == 0, approved.err
    assert (workshop.run(1).code, workshop.there) == (0, EVERYTHING[:20])
    workshop.wanted = ["renamed", *EVERYTHING[1:20]]
    assert (workshop.run().code, workshop.there) == (0, sorted(workshop.wanted))


def test_a_new_loop_deletes_what_it_made_itself(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.world([])
    assert workshop.run().code == 0
    workshop.wanted = ["renamed", *EVERYTHING[2:]]
    assert (workshop.run().code, workshop.there) == (0, sorted(workshop.wanted))


def test_a_loop_that_was_renamed_goes_on_without_a_hold(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.world([])
    assert workshop.run().code == 0
    workshop.rename_both(0)
    workshop.wanted = EVERYTHING[:-1]
    assert (workshop.run(1).code, workshop.there) == (0, EVERYTHING[:-1])


def test_limits_loosened_in_the_same_edit_do_not_count_for_its_deletes(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.world([])  # It makes everything itself: no other guard is asked.
    workshop.run()
    shares = ("deletes_share", "shrink_share", "weight_share")
    counts = ("deletes_ceiling", "shrink_floor", "deletes_floor", "unusual_floor", "small_domain")
    loose = [*(f"{name} = 0.99" for name in shares), *(f"{name} = 1000" for name in counts)]
    workshop.limits, workshop.wanted = "; ".join(loose), EVERYTHING[:1]
    ran = workshop.run()
    assert (ran.code, workshop.there) == (4, EVERYTHING)
    assert "a looser limit was set and counts for deletes from" in " ".join(ran.out.split())


def test_limits_loosened_while_the_memory_is_lost_do_not_count_either(workshop: Workshop) -> None:
    workshop.forget(0)
    workshop.limits, workshop.wanted = "deletes_share = 0.99; deletes_ceiling = 1000", EVERYTHING[:20]
    assert workshop.run().code == 4
    assert workshop.there == EVERYTHING


def test_limits_that_are_tightened_count_at_once(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.world([])
    workshop.run()
    workshop.limits, workshop.wanted = "deletes_ceiling = 1", EVERYTHING[2:]
    assert (workshop.run().code, workshop.there) == (4, EVERYTHING)


def test_repetition_and_strangers_do_not_make_a_silent_world_ours(tmp_path: Path) -> None:
    """All that is ours is gone and many others are listed: another world, in which nothing is made."""
    shop = Workshop(tmp_path, wanted=EVERYTHING[:12])
    shop.world([])
    shop.run(2)
    assert shop.there == EVERYTHING[:12]
    strangers = [f"stranger-{n:02d}" for n in range(61)]
    shop.world(strangers)
    for _ in range(3):
        ran = shop.run(1)
        assert shop.there == strangers, ran
