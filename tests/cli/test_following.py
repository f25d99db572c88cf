"""`watch` and `wait`: live, and always saying what is missing."""

import json
import threading

import pytest

from .conftest import Shell
from .fake import FakeApi, thing

AGENT = {"type": "AgentSeen", "status": "False", "reason": "Silent", "message": "no heartbeat for 40 s"}


@pytest.fixture(autouse=True)
def fleet(api: FakeApi) -> None:
    api.objects += [
        thing("host", "web-1"),
        thing("host", "web-2", state="PENDING", reason="creating", conditions=[AGENT]),
    ]


def soon(api: FakeApi, *happenings: tuple[str, dict[str, object] | None, str]) -> threading.Timer:
    def tell() -> None:
        for what, body, ref in happenings:
            api.happen(what, body, ref)

    timer = threading.Timer(0.15, tell)
    timer.start()
    return timer


def test_wait_says_which_object_misses_which_condition_and_why(setpoint: Shell) -> None:
    found = setpoint("wait", "hosts", "--timeout", "0.1")
    assert found.code == 5
    assert found.err.splitlines() == [
        "  host web-2 is PENDING, not READY: creating; AgentSeen is False (no heartbeat for 40 s)",
        "    next: setpoint why host/web-2",
    ]


def test_wait_ends_when_the_last_one_is_there(setpoint: Shell, api: FakeApi) -> None:
    timer = soon(api, ("entity.state_changed", thing("host", "web-2"), ""))
    found = setpoint("wait", "host/web-2", "--timeout", "5")
    timer.join()
    assert (found.code, found.out.splitlines()[-1]) == (0, "1 object READY")


def test_wait_goes_on_while_something_is_held(setpoint: Shell, api: FakeApi) -> None:
    held = thing("host", "web-2", state="HELD", reason="needs a person")
    timer = soon(
        api, ("entity.state_changed", held, ""), ("entity.state_changed", thing("host", "web-2"), "")
    )
    found = setpoint("wait", "host", "web-2", "--timeout", "5")
    timer.join()
    assert [line.split(" ", 1)[1] for line in found.out.splitlines()[:2]] == [
        "! host web-2 HELD: needs a person",
        "= host web-2 READY: as declared",
    ]


def test_wait_for_deleted_ends_with_the_object(setpoint: Shell, api: FakeApi) -> None:
    timer = soon(api, ("entity.deleted", None, "host/web-1-id"))
    found = setpoint("wait", "host", "web-1", "--for", "deleted", "--timeout", "5")
    timer.join()
    assert (found.code, "- host web-1 is gone" in found.out) == (0, True)


def test_wait_ends_badly_when_the_object_goes_instead(setpoint: Shell, api: FakeApi) -> None:
    timer = soon(api, ("entity.deleted", None, "host/web-2-id"))
    found = setpoint("wait", "host", "web-2", "--timeout", "5")
    timer.join()
    assert found.code == 1


def test_a_lost_event_is_made_up_for_by_looking(
    setpoint: Shell, api: FakeApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("setpoint.cli.follow.LOOK_AGAIN", 0.3)
    monkeypatch.setattr("setpoint.cli.follow.TICK", 0.1)
    later = threading.Timer(0.15, lambda: api.objects.__setitem__(-1, thing("host", "web-2")))
    later.start()
    assert setpoint("wait", "host", "web-2", "--timeout", "8").code == 0
    later.join()


def test_watch_tells_what_happens_and_stops_when_told(setpoint: Shell, api: FakeApi) -> None:
    timer = soon(
        api,
        ("entity.state_changed", thing("host", "web-1", state="DEGRADED"), ""),
        ("entity.deleted", None, "host/web-2-id"),
        ("entity.state_changed", thing("dns_zone", "z", "acme/shop"), ""),
    )
    found = setpoint("watch", "hosts", "--count", "2", "--timeout", "5")
    timer.join()
    assert found.out.splitlines() == [
        "12:00:00 ? host/web-1 DEGRADED  entity.state_changed: ",
        "12:00:00 - host/web-2-id   entity.deleted: ",
    ]


def test_watch_as_json_lines_is_one_document_per_event(setpoint: Shell, api: FakeApi) -> None:
    timer = soon(api, *[("t", thing("host", "web-1"), "")] * 3)
    found = setpoint("watch", "-o", "jsonl", "--count", "3", "--timeout", "5")
    timer.join()
    assert [json.loads(line)["revision"] for line in found.out.splitlines()] == [1, 2, 3]
