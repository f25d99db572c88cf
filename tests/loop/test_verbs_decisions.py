"""What a person asks and decides about a loop file: why, pause, protect, release, replay, rehearse."""

from pathlib import Path

import pytest

from loop.commands import QUICK, Folder

ON, OFF = {"on": True}, {"on": False}
WANTED = {"dark-mode": ON, "beta": OFF, "eu-only": ON}
TWO = """\
from setpoint.loop import Keyed

class One(Keyed):
    async def desired(self): return {"shared": 1, "left": 1}
    async def observe(self): return {}
    async def put(self, key, value): raise OSError("no such shelf")
    async def delete(self, key): pass

class Two(Keyed):
    async def desired(self): return {"shared": 2}
    async def observe(self): return {}
    async def put(self, key, value): pass
    async def delete(self, key): pass
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path)
    made.declare(WANTED, QUICK)
    made.world(WANTED)
    return made


def once(folder: Folder) -> int:
    return folder.said("run", "flags.py", "--enforce", "--once").code


def looked_at(folder: Folder) -> None:
    assert [once(folder) for _ in range(3)] == [0, 0, 0]
    folder.remember_longer()


def test_why_says_a_sentence_then_the_chain_then_the_evidence(folder: Folder) -> None:
    folder.world({"beta": OFF})
    assert once(folder) == 0
    out = folder.said("why", "flags.py").out.splitlines()
    assert out[0].startswith("Flags is READY since ")
    assert out[0].endswith("3 in step")
    assert "create done  dark-mode" in "\n".join(out)


def test_why_about_a_key_says_what_is_wanted_and_what_is_seen(folder: Folder) -> None:
    looked_at(folder)
    folder.world(WANTED | {"old": ON})
    assert folder.said("pause", "flags.py", "--all", "--mode", "observe", "--reason", "repair").code == 0
    assert once(folder) == 4
    told = folder.said("why", "flags.py", "old", "-o", "json").body
    assert (told["wanted"], told["seen"]) == (None, ON)
    assert told["next"] == ["setpoint resume flags.py --all"]
    out = folder.said("why", "flags.py", "old").out
    assert out.startswith("old is to be deleted, but observe by ")
    assert "  wanted: absent\n  seen:   on=true\n" in out
    assert "beta is as declared" in folder.said("why", "flags.py", "beta").out
    assert "did you mean beta?" in folder.said("why", "flags.py", "bet").err


def test_why_asks_which_loop_where_a_key_is_in_two(folder: Folder) -> None:
    folder.write("two.py", TWO)
    ran = folder.said("run", "two.py", "--enforce", "--once")
    assert ran.code == 1
    assert "? create left has no answer: One.put('left') raised OSError: no such shelf" in ran.out
    ran = folder.said("why", "two.py", "shared")
    assert ran.code == 2
    assert "  next: setpoint why two.py One shared\n  next: setpoint why two.py Two shared\n" in ran.err
    assert folder.said("why", "two.py", "One", "shared").code == 0
    assert "no such shelf" in folder.said("why", "two.py", "left").out


@pytest.mark.parametrize(("mode", "built", "kept"), [("no-deletes", True, True), ("stop", False, True)])
def test_a_pause_withholds_as_much_as_it_says(folder: Folder, mode: str, built: bool, kept: bool) -> None:
    looked_at(folder)
    folder.world({"beta": OFF, "eu-only": ON, "old": ON})
    said = folder.said("pause", "flags.py", "Flags", "--mode", mode, "--reason", "moving house")
    assert said.out.splitlines()[1].split() == ["Flags", mode, "0s", *said.out.splitlines()[1].split()[3:]]
    assert once(folder) == 4
    assert ("dark-mode" in folder.there, "old" in folder.there) == (built, kept)
    assert "moving house" in folder.said("plan", "flags.py").out


def test_resume_keeps_the_row_and_the_first_delete_is_on_probation_again(folder: Folder) -> None:
    looked_at(folder)
    assert folder.said("pause", "flags.py", "--all", "--reason", "now").code == 0
    done = folder.said("resume", "flags.py")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("Resumed: every loop. ")
    assert [(s["mode"], s["version"]) for s in folder.rows("switch")] == [("run", 2)]
    assert folder.said("resume", "flags.py").err == "Nothing is paused.\n"
    folder.world(WANTED | {"old": ON})
    assert "on probation (new code, limits or switch): 0 of 2" in folder.said("plan", "flags.py").out
    assert once(folder) == 0


def test_what_is_protected_stays_until_the_protection_is_taken_off(folder: Folder) -> None:
    looked_at(folder)
    assert folder.said("protect", "flags.py", "beta").code == 2
    said = folder.said("protect", "flags.py", "beta", "--reason", "the shop needs it")
    assert (said.code, said.out) == (0, "beta of Flags is protected: no path deletes it\n")
    fewer = {key: value for key, value in WANTED.items() if key != "beta"}
    folder.declare(fewer, QUICK)
    assert [once(folder) for _ in range(3)] == [4, 4, 4]
    assert folder.there == WANTED
    plan = folder.said("plan", "flags.py").out
    assert "next: setpoint release flags.py beta --loop Flags --protection" in plan
    refused = folder.said("release", "flags.py", "beta")
    assert (refused.code, "next: setpoint release flags.py beta --protection" in refused.err) == (1, True)
    assert folder.said("release", "flags.py", "bta", "--protection").code == 1
    assert folder.said("release", "flags.py", "beta", "--protection").code == 0
    assert once(folder) == 0
    assert folder.there == fewer
    actions = [line["action"] for line in folder.rows("audit")]
    assert ("item.protected" in actions, "item.unprotected" in actions) == (True, True)


def test_a_misspelt_protection_is_told_so(folder: Folder) -> None:
    looked_at(folder)
    said = folder.said("protect", "flags.py", "bta", "--reason", "mine")
    assert said.out == (
        "bta of Flags is protected: no path deletes it; it has not been seen yet; did you mean beta?\n"
    )


def test_what_is_contested_is_written_again_after_a_release(folder: Folder) -> None:
    folder.declare(WANTED, QUICK, "contested_times = 2")
    other = WANTED | {"beta": ON}
    codes = []
    for _ in range(4):
        folder.world(other)
        codes.append(once(folder))
    assert codes[-1] == 4
    assert folder.there == other
    nothing = folder.said("release", "flags.py", "eu-only")
    assert nothing.code == 1
    assert "eu-only is neither contested nor failing; to release: beta: contested: on" in nothing.err
    said = folder.said("release", "flags.py", "beta")
    assert (said.code, said.out) == (0, "beta of Flags is released (contested: on): it is tried anew\n")
    assert once(folder) == 0
    assert folder.there == WANTED


def test_without_a_key_everything_that_is_stuck_is_released(folder: Folder) -> None:
    folder.declare(WANTED, QUICK, "contested_times = 2")
    nothing = folder.said("release", "flags.py")
    assert (nothing.code, "nothing of Flags is contested or failing" in nothing.err) == (1, True)
    for _ in range(4):
        folder.world(WANTED | {"beta": ON})
        once(folder)
    assert folder.said("release", "flags.py").out == (
        "beta of Flags is released (contested: on): it is tried anew\n"
    )
    assert folder.said("release", "flags.py", "--protection").code == 2
    assert once(folder) == 0
    assert folder.there == WANTED


def test_every_recorded_pass_replays_to_the_same_decision(folder: Folder) -> None:
    folder.world({"old": ON})
    assert [once(folder) for _ in range(3)][-1] == 0
    ran = folder.said("replay", "flags.py", "--all", "-o", "json")
    assert ran.code == 0
    items = ran.body["items"]
    assert len(items) > 2
    assert all(item["same"] and item["decided"] == item["again"] for item in items)
    one = folder.said("replay", "flags.py", items[0]["id"])
    assert one.out.splitlines()[-1] == "1 judged again: every decision is the same"
    assert folder.said("replay", "flags.py", "nothing").code == 2


def test_a_rehearsed_limit_shows_what_it_would_have_held(folder: Folder) -> None:
    looked_at(folder)
    folder.world(WANTED | {"old": ON})
    assert once(folder) == 0
    same = folder.said("rehearse", "flags.py", "deletes_ceiling=9")
    assert same.out.splitlines()[-1].endswith("0 would have been held more, 0 less")
    more = folder.said("rehearse", "flags.py", "probation_looks=99", "-o", "json").body
    assert more["held_more"] == 1
    assert [item["held_more"] for item in more["items"]] == [["probation"]]
    assert "1 would have been held more" in folder.said("rehearse", "flags.py", "probation_looks=99").out


def test_a_limit_that_does_not_exist_or_does_not_fit_is_told_with_all_others(folder: Folder) -> None:
    ran = folder.said("rehearse", "flags.py", "delete_share=0.1", "shrink_share=2", "wave_floor")
    assert ran.code == 2
    assert "there is no limit 'delete_share'; did you mean deletes_share?" in ran.err
    assert "shrink_share=2: " in ran.err
    assert "wave_floor needs a value: wave_floor=10 is the default" in ran.err
    every = folder.said("rehearse", "flags.py").err
    assert "deletes_ceiling=10" in every
