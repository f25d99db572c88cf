"""A person's word about one item: released, protected, and no longer protected."""

import json

import pytest

from client.scripted import Told

from .conftest import Shell
from .decisions import HOST, RELEASED, with_decisions
from .fake import FakeApi, thing


@pytest.fixture(autouse=True)
def decisions(api: FakeApi) -> None:
    api.objects += [thing("host", "web-1")]
    with_decisions(api)


def sent(api: FakeApi) -> list[tuple[str, object]]:
    return [(asked.path, asked.body) for asked in api.asked if asked.method == "POST"]


def test_an_item_with_a_slash_is_an_item_and_not_an_object(setpoint: Shell, api: FakeApi) -> None:
    for words in (("host", "web-1", "www/A"), ("host/web-1", "www/A")):
        found = setpoint("release", *words, "--reason", "the other tool is gone")
        assert (found.code, found.out) == (
            0,
            "www/A of host web-1 is released (contested: ttl): it is tried anew\n",
        )
        assert found.err == "  next: setpoint why host web-1\n"
    assert sent(api) == [(f"{HOST}:release", {"reason": "the other tool is gone", "item": "www/A"})] * 2


def test_without_an_item_all_that_is_stuck_is_meant_and_a_reason_is_made_up(
    setpoint: Shell, api: FakeApi
) -> None:
    assert setpoint("release", "host", "web-1").code == 0
    assert sent(api) == [(f"{HOST}:release", {"reason": "released on the command line"})]


def test_protection_is_set_and_taken_off(setpoint: Shell, api: FakeApi) -> None:
    api.answers["POST", f"{HOST}:release"] = Told(body={**RELEASED, "decided": "unprotected"})
    made = setpoint("protect", "host", "web-1", "www/A", "--reason", "the shop")
    assert made.out == "www/A of host web-1 is protected (contested: ttl): no path deletes it\n"
    gone = setpoint("release", "host", "web-1", "www/A", "--protection", "--reason", "moved")
    assert gone.out.startswith("www/A of host web-1 is unprotected")
    assert sent(api) == [
        (f"{HOST}:protect", {"reason": "the shop", "item": "www/A"}),
        (f"{HOST}:release", {"reason": "moved", "item": "www/A", "protection": True}),
    ]


def test_nothing_to_release_is_a_failure_with_a_way_on(setpoint: Shell, api: FakeApi) -> None:
    detail, hint = "nothing of host web-1 is contested or failing", "setpoint why host web-1"
    problem = {"detail": detail, "code": "nothing_to_release", "hint": hint}
    api.answers["POST", f"{HOST}:release"] = Told(409, problem)
    found = setpoint("release", "host", "web-1")
    assert (found.code, found.err.splitlines()) == (1, [f"error: {detail}", f"  next: {hint}"])
    assert json.loads(setpoint("release", "host", "web-1", "-o", "json").err)["code"] == "nothing_to_release"


@pytest.mark.parametrize(
    "command",
    [
        ("release",),
        ("release", "host"),
        ("release", "host", "web-1", "a", "b"),
        ("protect", "host", "web-1", "a"),
        ("protect", "host", "--reason", "x"),
    ],
    ids=" ".join,
)
def test_words_that_mean_nothing_are_refused(setpoint: Shell, api: FakeApi, command: tuple[str, ...]) -> None:
    found = setpoint(*command)
    assert (found.code, found.out, sent(api)) == (2, "", [])
