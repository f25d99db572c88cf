"""The page of a running loop file: what it shows, whom it answers, and what its buttons do."""

import http.client
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from loop.commands import QUICK, Folder, Running
from scrape import scrape
from setpoint.engine.plan import Action, Verb
from setpoint.loop.commands.outlook import Held, Outlook
from setpoint.loop.page.http import Request, foreign
from setpoint.loop.page.sheet import Card, Decision, Deed, Sheet, html

EVIL = "<script>alert('x')</script>"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path)
    made.declare({"beta": {"on": True}}, QUICK, 'every = "1s"')
    made.world({})
    return made


@pytest.fixture
def run(folder: Folder) -> Iterator[Running]:
    with folder.running("flags.py", "--enforce", "--page", "0") as running:
        running.until(lambda: "page at http://127.0.0.1:" in running.said and "READY" in running.said)
        yield running


def asked(
    run: Running, method: str, path: str, body: str = "", **headers: str
) -> tuple[int, dict[str, str], str]:
    found = re.search(r"page at http://127\.0\.0\.1:(\d+)", run.said)
    assert found
    connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=20)
    form = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
    connection.request(
        method, path, body or None, form | {k.replace("_", "-"): v for k, v in headers.items()}
    )
    answer = connection.getresponse()
    try:
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode()
    finally:
        connection.close()


def token_in(page: str) -> str:
    found = re.search(r'name="token" value="([^"]+)"', page)
    assert found
    return found[1]


def test_it_shows_each_loop_with_its_state_and_its_last_passes(run: Running) -> None:
    status, headers, page = asked(run, "GET", "/")
    assert status == 200
    assert "default-src 'none'" in headers["content-security-policy"]
    for said in ("<title>= READY · flags.py</title>", "= READY", "1 in step", "+ 1 create", "create beta"):
        assert said in page
    assert '<meta http-equiv="refresh"' in page
    assert "<script" not in page


def test_metrics_and_livez_are_there_and_nothing_else(run: Running) -> None:
    assert asked(run, "GET", "/livez")[::2] == (200, "ok\n")
    status, headers, text = asked(run, "GET", "/metrics")
    assert (status, headers["content-type"].split(";")[0]) == (200, "text/plain")
    assert scrape(text).value("setpoint_acts_total", kind="flags", verb="create", outcome="done") == 1.0
    assert asked(run, "GET", "/else")[0] == 404
    assert asked(run, "POST", "/", "a=b")[0] == 405
    assert asked(run, "GET", "/pause")[0] == 405
    assert asked(run, "HEAD", "/")[2] == ""


def test_the_buttons_pause_and_resume_and_say_so(run: Running, folder: Folder) -> None:
    token = token_in(asked(run, "GET", "/")[2])
    status, headers, _ = asked(run, "POST", "/pause", f"token={token}&loop=")
    assert (status, headers["location"]) == (303, "/")
    page = asked(run, "GET", "/")[2]
    assert "everything is paused (stop)" in page
    assert "Resume everything" in page
    folder.world({})
    assert folder.setpoint("run", "flags.py", "--once").code == 6  # it still runs
    run.until(lambda: "HELD" in run.said)
    assert folder.there == {}
    assert asked(run, "POST", "/resume", f"token={token}&loop=")[0] == 303
    run.until(lambda: folder.there)
    assert asked(run, "POST", "/pause", f"token={token}&loop=Flags")[0] == 303
    (whole, own) = sorted(folder.rows("switch"), key=lambda switch: str(switch["key"]))
    assert (whole["mode"], whole["version"], own["mode"]) == ("run", 2, "stop")


def test_a_form_from_elsewhere_does_nothing(run: Running, folder: Folder) -> None:
    token = token_in(asked(run, "GET", "/")[2])
    for body, headers in (
        ("loop=", {}),
        ("token=guessed&loop=", {}),
        (f"token={token}&loop=", {"Origin": "http://evil.example"}),
        (f"token={token}&loop=", {"Origin": "null"}),
        (f"token={token}&loop=", {"Host": "evil.example"}),
    ):
        assert asked(run, "POST", "/pause", body, **headers)[0] == 403
    assert folder.rows("switch") == []


def test_what_is_no_request_is_refused_and_the_page_goes_on(run: Running) -> None:
    token = token_in(asked(run, "GET", "/")[2])
    assert asked(run, "POST", "/pause", f"token={token}&loop=Nope")[0] == 404
    assert asked(run, "POST", "/pause", "x" * 5000)[0] == 413
    assert asked(run, "GET", "/" + "x" * 20000)[0] == 413
    assert asked(run, "GET", "/livez")[0] == 200


@pytest.mark.parametrize(
    ("host", "origin", "method", "ours"),
    [
        ("127.0.0.1:80", None, "GET", True),
        ("localhost:80", "http://localhost:80", "POST", True),
        ("localhost:81", None, "GET", False),
        ("evil.example", None, "GET", False),
        ("", None, "GET", False),
        ("127.0.0.1:80", "http://127.0.0.1:81", "POST", False),
    ],
)
def test_only_this_page_under_its_own_name_is_believed(
    host: str, origin: str | None, method: str, ours: bool
) -> None:
    headers = {"host": host} | ({"origin": origin} if origin else {})
    assert (foreign(Request(method, "/", headers), 80) == "") is ours


def test_everything_that_comes_from_outside_is_escaped() -> None:
    action = Action(verb=Verb.UPDATE, item=EVIL, before={EVIL: 1}, after={EVIL: EVIL})
    held = Held(EVIL, EVIL, EVIL, (EVIL,))
    card = Card(
        about=EVIL,
        state=EVIL,
        reason=EVIL,
        since=1.0,
        outlook=Outlook(EVIL, (action,), (held,)),
        decisions=(Decision(1.0, EVIL),),
        deeds=(Deed(1.0, EVIL, EVIL, EVIL),),
        mode=EVIL,
        paused=EVIL,
    )
    page = html(Sheet(EVIL, EVIL, 2.0, (card,), EVIL, mode=EVIL, paused=EVIL))
    assert "<script" not in page
    assert "alert('x')" not in page
