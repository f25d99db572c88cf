"""`serve()`: a loop file is its own command."""

from pathlib import Path

import pytest

from loop.commands import Folder

WANTED = {"beta": {"on": True}}
TWO = """\
from setpoint.loop import Keyed, serve

class Good(Keyed):
    async def desired(self): return {"a": 1}
    async def observe(self): return {"a": 1}
    async def put(self, key, value): pass
    async def delete(self, key): pass

class Bad(Good):
    every = "never"

class Other(Good): pass

serve(Other(), Bad())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path)
    made.declare(WANTED)
    made.world({})
    return made


def test_without_a_verb_it_says_what_there_is(folder: Folder) -> None:
    bare, asked = folder.python("flags.py"), folder.python("flags.py", "--help")
    assert (bare.code, asked.code) == (2, 0)
    assert bare.out == asked.out
    assert "usage: python flags.py VERB" in bare.out
    assert "start with: python flags.py plan" in bare.out


def test_commands_that_lead_on_are_spelled_for_the_file_itself(folder: Folder) -> None:
    assert "next: python flags.py run --enforce" in folder.python("flags.py", "run", "--once").err
    assert "usage: python flags.py plan [LOOP] [flags]" in folder.python("flags.py", "plan", "-h").out


def test_a_misspelt_verb_is_recognised(folder: Folder) -> None:
    ran = folder.python("flags.py", "paln")
    assert ran.code == 2
    assert "there is no verb 'paln' for loop files\n  did you mean plan?" in ran.err


def test_state_is_beside_the_file_wherever_it_is_called_from(folder: Folder) -> None:
    (folder.path / "elsewhere").mkdir()
    inside = Folder(folder.path / "elsewhere")
    inside.world({})
    assert inside.python("../flags.py", "run", "--enforce", "--once").code == 0
    assert (folder.path / ".setpoint" / "flags" / "setpoint.db").exists()
    assert inside.there == WANTED


def test_a_file_that_serves_without_asking_who_runs_it_can_be_read_by_the_command(folder: Folder) -> None:
    folder.write("two.py", TWO)
    ran = folder.setpoint("plan", "two.py", "Other")
    assert "Other: = in step, nothing to change" in ran.out


def test_one_broken_loop_is_named_and_the_others_go_on(folder: Folder) -> None:
    folder.write("two.py", TWO)
    ran = folder.python("two.py", "plan")
    assert ran.code == 1
    assert ran.out == "Other: = in step, nothing to change\n"
    assert "loop Bad cannot run" in ran.err
    assert "'never' is not a length of time" in ran.err
