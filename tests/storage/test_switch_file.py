"""The switch file: it stops with words and without, and needs no room on the disk."""

import errno
import os
from pathlib import Path

import pytest

from setpoint.storage import switch_file
from setpoint.storage.switch_file import RUNNING, STOPPED, SwitchFile


def test_it_stops_and_goes_on_by_a_new_name(tmp_path: Path) -> None:
    file = SwitchFile(tmp_path)
    file.prepare("id1")
    size = (tmp_path / RUNNING).stat().st_size
    assert (file.stopped(), file.resume()) == ("", False)
    file.stop("ann", "a fire")
    assert "ann (a fire; next: setpoint resume --data DIR)" in file.stopped()
    assert file.said().id == "id1"
    assert (tmp_path / STOPPED).stat().st_size == size
    file.prepare("id2")
    file.stop("bob", "still")
    assert (file.said().by, file.said().id) == ("bob", "id1")
    assert file.resume()
    assert (file.stopped(), sorted(each.name for each in tmp_path.iterdir())) == ("", [RUNNING])


@pytest.mark.parametrize("words", [b"", b"\0" * 64, b"{", b"[]", b'{"by": 7}', b"stop!"])
def test_whatever_it_says_its_name_stops(tmp_path: Path, words: bytes) -> None:
    file = SwitchFile(tmp_path)
    file.prepare("id1")
    (tmp_path / STOPPED).write_bytes(words)
    assert file.stopped()
    assert file.said().id == "id1"
    assert file.resume()
    assert not file.stopped()


def test_on_a_full_disk_the_words_are_lost_and_the_stop_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = SwitchFile(tmp_path)
    file.prepare("id1")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(switch_file.os, "pwrite", full)
    monkeypatch.setattr(switch_file.os, "fsync", full)
    file.stop("ann", "a fire")
    assert file.stopped()
    assert file.resume()


def test_a_folder_that_does_not_answer_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> os.stat_result:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(Path, "stat", broken)
    assert SwitchFile(tmp_path).stopped()
