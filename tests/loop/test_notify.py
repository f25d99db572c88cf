"""Being told when a loop needs somebody: once for each change, beside the loop, and never in its way."""

import asyncio
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from loop.commands import QUICK, Folder
from setpoint.cli.exits import Exit
from setpoint.engine.entity import Ref, State, Status
from setpoint.engine.errors import Rejected
from setpoint.loop import notify
from setpoint.loop.notify import (
    LAST_RETRY,
    TRIES,
    Book,
    Letter,
    Notice,
    Notifier,
    Target,
    noted,
    put_off,
    targets_of,
)

ON = {"on": True}
MANY = {f"flag-{number}": ON for number in range(6)}
HERE = Target("here", "here", print)


class Hook(ThreadingHTTPServer):
    """A webhook that remembers what it was told, and answers as it is told to."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Visit)
        self.heard: list[dict[str, Any]] = []
        self.answers = 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/T0P-SECRET"

    @property
    def states(self) -> list[str]:
        return [each["state"] for each in self.heard]


class Visit(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Hook)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if server.answers == 200:
            server.heard.append(body)
        self.send_response(server.answers)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hook() -> Iterator[Hook]:
    with Hook() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def status(state: State, reason: str = "because") -> Status:
    return Status(ref=Ref("flags/flags"), state=state, reason=reason)


def told(*states: State) -> list[str]:
    """What is told of a loop that goes through these states."""
    book, heard = Book(), []
    for state in states:
        notice = notify.notice_of(book.told.get("Flags", ""), "Flags", status(state), 1.0)
        if notice is not None:
            heard.append(notice.state)
            book = Book(told=noted(book, notice, (HERE,)).told)  # Delivered at once.
    return heard


TELL = "import os, sys\nopen('heard', 'a').write(os.environ['SETPOINT_STATE'] + sys.stdin.read())"
R, P, H, D, F = State.READY, State.PENDING, State.HELD, State.DEGRADED, State.FAILED


@pytest.mark.parametrize(
    ("states", "heard"),
    [
        ((P, R, P, R), []),
        ((H, H, H), [H]),
        ((H, P, H, P, H), [H]),
        ((F, P, R, R), [F, R]),
        ((H, R, H), [H, R, H]),
        ((D, F, R), [D, F, R]),
    ],
)
def test_each_change_of_state_is_told_once(states: tuple[State, ...], heard: list[str]) -> None:
    assert told(*states) == heard


def letter(state: str, target: str = "here", loop: str = "Flags") -> Letter:
    return Letter(notice=Notice(loop=loop, state=state, before="", reason="", at=1.0), target=target)


def test_a_trouble_that_nobody_heard_of_is_over_without_a_word() -> None:
    other = letter("FAILED", loop="Other")
    book = noted(Book(letters=(letter("HELD"), other)), letter("READY").notice, (HERE,))
    assert book.letters == (other,)
    assert [each.notice.state for each in noted(Book(), letter("READY").notice, (HERE,)).letters] == ["READY"]


def test_tries_are_ever_further_apart_and_end() -> None:
    found, one, now = [], letter("HELD"), 100.0
    while (later := put_off(one, now)) is not None:
        found.append(later.due - now)
        one = later
    assert found == sorted(found)
    assert (len(found), max(found)) == (TRIES - 1, LAST_RETRY)


def test_what_cannot_be_told_is_refused_at_the_start_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)
    with pytest.raises(Rejected) as caught:
        targets_of(["http:///nowhere", " ", "slack://token/secret"])
    assert "has no host" in str(caught.value)
    assert "is empty" in str(caught.value)
    assert "pip install 'setpoint[notify]'" in str(caught.value)
    assert "secret" not in str(caught.value)


def held(folder: Folder) -> None:
    folder.world(MANY)
    folder.declare(MANY, QUICK)
    for _ in range(3):
        assert folder.said("run", "flags.py", "--enforce", "--once").code == Exit.DONE
    folder.declare({"flag-0": ON}, QUICK)


def test_a_run_from_cron_tells_once_and_once_more_when_it_is_over(folder: Folder, hook: Hook) -> None:
    held(folder)
    run = ("run", "flags.py", "--enforce", "--once", "--notify", hook.url)
    for _ in range(3):
        assert folder.said(*run).code == Exit.HELD
    assert hook.states == ["HELD"]
    assert hook.heard[0]["text"].startswith("Flags is HELD: ")
    folder.declare(MANY, QUICK)
    for _ in range(2):
        assert folder.said(*run).code == Exit.DONE
    assert hook.states == ["HELD", "READY"]
    assert "SECRET" not in (folder.path / ".setpoint" / "flags" / "notify.json").read_text()


def test_what_one_run_could_not_deliver_the_next_one_does(folder: Folder, hook: Hook) -> None:
    held(folder)
    run = ("run", "flags.py", "--enforce", "--once")
    hook.answers = 503
    ran = folder.said(*run, SETPOINT_NOTIFY=hook.url)
    assert ran.code == Exit.HELD
    assert "it answered 503" in ran.err
    assert "SECRET" not in ran.err
    hook.answers = 200
    while not hook.heard:
        assert folder.said(*run, SETPOINT_NOTIFY=hook.url).code == Exit.HELD
    assert hook.states == ["HELD"]


def test_a_command_hears_it_on_its_standard_input_and_in_its_environment(folder: Folder) -> None:
    held(folder)
    folder.write(
        "tell.py", "import os, sys\nopen('heard', 'a').write(os.environ['SETPOINT_STATE'] + sys.stdin.read())"
    )
    import sys  # noqa: PLC0415

    command = f"{sys.executable} tell.py"
    folder.declare({"flag-0": ON}, QUICK, f"notify = {command!r}")
    for _ in range(2):
        assert folder.said("run", "flags.py", "--enforce", "--once").code == Exit.HELD
    assert (folder.path / "heard").read_text().startswith("HELDFlags is HELD: ")
    assert (folder.path / "heard").read_text().count("HELD:") == 1


def test_a_run_that_stays_is_told_of_too_and_a_run_that_only_looks_is_not(folder: Folder, hook: Hook) -> None:
    held(folder)
    assert folder.said("run", "flags.py", "--once", "--notify", hook.url).code == Exit.HELD
    assert hook.heard == []
    with folder.running("flags.py", "--enforce", "--notify", hook.url) as run:
        run.until(lambda: hook.states == ["HELD"])
        assert run.interrupt() == Exit.INTERRUPTED


async def test_a_target_that_hangs_is_in_nobodys_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notify, "SECONDS", 0.05)
    gate, heard, said = threading.Event(), [], []
    targets = {"Flags": (Target("a", "hangs", lambda _: gate.wait(60)), Target("b", "hears", heard.append))}
    notifier = Notifier(targets, tmp_path, lambda: 0.0, lambda what, fields: said.append(fields))
    working = asyncio.create_task(notifier.run())
    try:
        notifier.look("Flags", status(State.HELD))
        notifier.look("Flags", status(State.HELD))
        while not heard or not said:  # noqa: ASYNC110 - until both were tried
            await asyncio.sleep(0.01)
        assert [notice.state for notice in heard] == ["HELD"]
        assert said[0]["to"] == "hangs"
    finally:
        gate.set()
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        notifier.close()


async def test_a_file_of_notices_that_is_spoilt_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / notify.FILE).write_text("{")
    heard: list[Notice] = []
    notifier = Notifier({"Flags": (Target("a", "a", heard.append),)}, tmp_path, lambda: 0.0, lambda *_: None)
    notifier.look("Flags", status(State.FAILED))
    await notifier.deliver()
    assert [notice.state for notice in heard] == ["FAILED"]
    notifier.close()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Apprise loads modules that Python will drop.
def test_an_apprise_url_is_told_by_apprise(hook: Hook) -> None:
    pytest.importorskip("apprise")
    (target,) = targets_of(f"json://127.0.0.1:{hook.server_port}/T0P-SECRET")
    hook.heard.clear()
    target.send(Notice(loop="Flags", state="READY", before="HELD", reason="3 in step", at=1.0))
    assert hook.heard[0]["message"] == "Flags is READY again (it was HELD): 3 in step"
    assert "SECRET" not in target.shown
    with pytest.raises(Rejected, match="not a URL that Apprise knows"):
        targets_of("nosuchthing://x")
