"""What the platform has and loop files too: partial approval, audit pages, a list of pauses, tracebacks."""

from pathlib import Path

import pytest

from loop.commands import QUICK, Folder
from setpoint.cli.exits import Exit

ON = {"on": True}
MANY = {f"flag-{number}": ON for number in range(6)}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def declared(folder: Folder) -> Folder:
    folder.declare(MANY)
    return folder


def held(folder: Folder) -> None:
    """Six are there, looked at often enough, and one is declared: five deletes wait for a person."""
    folder.world(MANY)
    folder.declare(MANY, QUICK)
    for _ in range(3):
        assert folder.said("run", "flags.py", "--enforce", "--once").code == Exit.DONE
    folder.declare({"flag-0": ON}, QUICK)
    assert folder.said("run", "flags.py", "--enforce", "--once").code == Exit.HELD


def test_an_approval_may_be_of_some_items_only(folder: Folder) -> None:
    held(folder)
    words = ("approve", "flags.py", "--reason", "these two", "--yes", "--only", "flag-1", "--only", "flag-2")
    said = folder.said(*words)
    assert said.code == Exit.DONE
    assert [line.strip() for line in said.err.splitlines() if line.startswith("  -")] == [
        "- flag-1",
        "- flag-2",
    ]
    assert said.out.startswith("2 of 5 items of plan ")
    assert folder.said("run", "flags.py", "--enforce", "--once").code == Exit.HELD
    assert folder.there.keys() == {"flag-0", "flag-3", "flag-4", "flag-5"}


def test_every_unknown_item_is_named_and_nothing_is_approved(folder: Folder) -> None:
    held(folder)
    words = ("--only", "flag-1", "--only", "flag-9", "--only", "nope")
    said = folder.said("approve", "flags.py", "--reason", "x", "--yes", *words)
    assert said.code == Exit.USAGE
    assert "'flag-9', 'nope'" in said.err
    assert "did you mean flag-" in said.err
    assert folder.rows("approval") == []
    assert "--only needs a value" in folder.said("approve", "flags.py", "--reason", "x", "--only").err


def test_the_audit_is_read_page_by_page_and_none_is_shown_twice(folder: Folder) -> None:
    assert "nothing was run" in declared(folder).said("audit", "flags.py").out
    held(folder)
    assert folder.said("pause", "flags.py", "--all", "--reason", "tea time").code == Exit.DONE
    whole = folder.said("audit", "flags.py", "--limit", "1000", "-o", "json").body
    assert whole["next_page"] == ""
    assert len(whole["items"]) == len(folder.rows("audit"))
    read, page = [], ("",)
    while page:
        words = ("--page", *page) if page[0] else ()
        body = folder.said("audit", "flags.py", "--limit", "2", *words, "-o", "json").body
        read += body["items"]
        page = (body["next_page"],) if body["next_page"] else ()
    assert read == whole["items"]
    shown = folder.said("audit", "flags.py")
    assert "tea time" in shown.out.splitlines()[1]
    assert folder.said("audit", "flags.py", "--limit", "0", "--page", "x").code == Exit.USAGE


def test_a_bare_pause_lists_and_a_pause_says_what_and_why(folder: Folder) -> None:
    folder.declare(MANY)
    assert folder.said("pause", "flags.py").out == "Nothing is paused.\n"
    assert folder.said("pause", "flags.py", "--all").code == Exit.USAGE
    assert folder.said("pause", "flags.py", "--reason", "x").code == Exit.USAGE
    assert folder.said("pause", "flags.py", "Flags", "--reason", "x").code == Exit.DONE
    assert [switch["mode"] for switch in folder.rows("switch")] == ["stop"]
    listed = folder.said("pause", "flags.py", "-o", "json").body["items"]
    assert [(each["loop"], each["reason"]) for each in listed] == [("Flags", "x")]
    assert folder.said("pause", "flags.py", "Flags", "--list").out == folder.said("pause", "flags.py").out
    assert "Resumed: Flags." in folder.said("resume", "flags.py").err
    again = folder.said("resume", "flags.py", "--all")
    assert (again.code, again.err) == (Exit.DONE, "Nothing is paused.\n")


BROKEN = """\
from setpoint.loop import Keyed

def inner(row): return row["tttl"]

class Broken(Keyed):
    def desired(self): return {"a": 1}
    def observe(self):
        return {"a": inner({"ttl": 1})}
    def put(self, key, value): pass
    def delete(self, key): pass
"""


def test_an_error_of_the_authors_names_its_line_and_debug_prints_all_of_it(folder: Folder) -> None:
    folder.write("broken.py", BROKEN)
    plain = folder.said("plan", "broken.py")
    assert "Broken.observe() raised KeyError: 'tttl' (broken.py:3 in inner)" in plain.out + plain.err
    assert "Traceback" not in plain.err
    whole = folder.said("plan", "broken.py", "--debug")
    assert "Traceback (most recent call last):" in whole.err
    assert "line 8, in observe" in whole.err
    assert "calls.py" not in whole.err
    folder.write("unread.py", "import nothing_like_it\n")
    assert "ModuleNotFoundError" in folder.said("plan", "unread.py", "--debug").err
