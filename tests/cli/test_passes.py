"""Decisions on record: listed, shown, judged again, and rehearsed under other limits."""

import json
from typing import Any

import pytest

from client.scripted import Asked, Told

from .conftest import Shell
from .decisions import DIFFERS, PASS, PASSES, REHEARSED, with_decisions
from .fake import FakeApi, thing


@pytest.fixture(autouse=True)
def decisions(api: FakeApi) -> None:
    api.objects += [thing("host", "web-1")]
    with_decisions(api)


def asked(api: FakeApi, path: str) -> list[Asked]:
    return [each for each in api.asked if each.path == path]


def test_a_pass_is_one_line_with_the_guards_first(setpoint: Shell) -> None:
    heading, line = setpoint("passes").out.splitlines()
    assert heading.split() == ["PASS", "AGO", "OBJECT", "PLAN", "DECIDED"]
    assert line.split()[0::2][:2] == ["p1", "host/web-1"]
    assert line.endswith("+2 -3  held by delete_budget; 2 let through, 4 later")


def test_only_as_many_as_wanted_are_asked_for_and_of_one_object(setpoint: Shell, api: FakeApi) -> None:
    api.lists["passes"] = [{**PASS, "id": f"p{n}"} for n in range(9)]
    assert setpoint("passes", "--limit", "3", "-o", "name").out.split() == ["p0", "p1", "p2"]
    for words in (("host", "web-1"), ("host/web-1",)):
        assert setpoint("passes", *words).code == 0
    first, *others = (each.query for each in asked(api, PASSES))
    assert first == {"page_size": "3"}
    assert others == [{"ref": "host/web-1-id", "page_size": "20"}] * 2


def test_one_pass_is_shown_with_its_plan_and_no_secret(setpoint: Shell) -> None:
    for words in (("p1",), ("pass/p1",)):
        found = setpoint("passes", *words)
        assert "wanted   97 declared, 100 there then" in found.out
        assert "! delete_budget: 3 deletes of 100; allowed are 1 at once" in found.out
        assert "- host web-1 old" in found.out
        assert "very-secret" not in found.out
        assert found.err == "  next: setpoint replay p1\n"
    assert json.loads(setpoint("passes", "p1", "-o", "json").out)["case"]["plan"]["actions"]
    assert "very-secret" not in setpoint("passes", "p1", "-o", "json").out


def test_the_same_decision_again_is_no_failure(setpoint: Shell) -> None:
    found = setpoint("replay")
    assert (found.code, found.out.splitlines()[-1]) == (0, "1 judged again: every decision is the same")
    assert found.out.splitlines()[1].endswith("= same  held by delete_budget; +1 let through")


def test_another_decision_fails_and_shows_both(setpoint: Shell, api: FakeApi) -> None:
    api.answers["GET", f"{PASSES}/p1:replay"] = Told(body=DIFFERS)
    for words in ((), ("p1",), ("host", "web-1")):
        found = setpoint("replay", *words)
        assert (found.code, found.out.splitlines()[-1]) == (1, "1 judged again: 1 differ")
        both = "! differs  then: held by delete_budget; +1 let through; now: +1 -1 let through; approved"
        assert both in found.out
    assert "\n  ! delete_budget: 3 deletes of 100; allowed are 1 at once\n" in setpoint("replay", "p1").out
    machine = setpoint("replay", "-o", "json")
    assert (machine.code, json.loads(machine.out)["items"][0]["same"]) == (1, False)
    assert json.loads(setpoint("replay", "p1", "-o", "json").out)["same"] is False


def test_nothing_on_record_is_said(setpoint: Shell, api: FakeApi) -> None:
    api.lists["passes"] = []
    for verb in ("passes", "replay"):
        found = setpoint(verb)
        assert (found.code, found.out) == (0, "")
        assert "Nothing is on record yet" in found.err


def test_a_rehearsal_says_what_would_have_been_and_over_how_much(setpoint: Shell, api: FakeApi) -> None:
    found = setpoint("rehearse", "deletes_share=0.01", "wave_floor=2", "host", "web-1")
    _, line, summary = found.out.splitlines()
    would = "held by delete_budget: 3 deletes of 100; allowed are 1 at once; 0 let through instead of 3"
    assert line.endswith(f"host/web-1  {would}")
    assert summary == "3 passes on record: 1 would have been held more, 0 less"
    (sent,) = asked(api, f"{PASSES}:rehearse")
    assert sent.body == {"limits": {"deletes_share": 0.01, "wave_floor": 2}, "ref": "host/web-1-id"}


def test_a_rehearsal_goes_through_every_page(setpoint: Shell, api: FakeApi) -> None:
    def page(sent: Asked) -> Told:
        return Told(body={**REHEARSED, "next_page_token": "" if sent.query.get("page_token") else "p1/x"})

    api.answers["POST", f"{PASSES}:rehearse"] = page
    found = json.loads(setpoint("rehearse", "deletes_share=0.01", "-o", "json").out)
    assert (found["looked_at"], found["held_more"], len(found["items"])) == (6, 2, 2)
    assert [each.query.get("page_token") for each in asked(api, f"{PASSES}:rehearse")] == [None, "p1/x"]


def test_much_that_differs_is_cut_and_said(setpoint: Shell, api: FakeApi) -> None:
    many = {**REHEARSED, "items": REHEARSED["items"] * 30, "held_more": 30}
    api.answers["POST", f"{PASSES}:rehearse"] = Told(body=many)
    assert "and 10 more; --full lists them" in setpoint("rehearse", "deletes_share=0.01").out
    assert len(setpoint("rehearse", "deletes_share=0.01", "--full").out.splitlines()) == 32


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        ("2", 2),
        ("-2", -2),
        ("0.5", 0.5),
        ("1e3", 1000.0),
        ("a", "a"),
        ("", ""),
        ("nan", "nan"),
        ("inf", "inf"),
    ],
)
def test_what_is_no_number_is_left_to_the_server_to_tell(
    setpoint: Shell, api: FakeApi, said: str, sent: Any
) -> None:
    setpoint("rehearse", f"deletes_share={said}")
    (only,) = asked(api, f"{PASSES}:rehearse")
    assert only.body["limits"] == {"deletes_share": sent}


def test_all_mistakes_of_a_rehearsal_are_shown(setpoint: Shell, api: FakeApi) -> None:
    errors = [
        {
            "pointer": "/limits/a",
            "code": "unknown_limit",
            "message": "a is not a limit",
            "hint": "did you mean b?",
        },
        {"pointer": "/limits/c", "code": "bad_value", "message": "c is a number"},
    ]
    problem = {"detail": "2 mistakes; nothing was judged", "code": "bad_rehearsal", "errors": errors}
    api.answers["POST", f"{PASSES}:rehearse"] = Told(422, problem)
    found = setpoint("rehearse", "a=1", "c=x")
    assert (found.code, found.out) == (2, "")
    assert found.err.splitlines() == [
        "error: 2 mistakes; nothing was judged",
        "  /limits/a: a is not a limit; did you mean b?",
        "  /limits/c: c is a number",
    ]


@pytest.mark.parametrize(
    "command",
    [
        ("passes", "--limit", "0"),
        ("passes", "host", "web-1", "www/A"),
        ("replay", "host/web-1", "www/A"),
        ("rehearse",),
        ("rehearse", "host", "web-1"),
        ("rehearse", "a=1", "host"),
        ("rehearse", "a=1", "host", "web-1", "www/A"),
    ],
    ids=" ".join,
)
def test_words_that_mean_nothing_are_refused(setpoint: Shell, api: FakeApi, command: tuple[str, ...]) -> None:
    found = setpoint(*command)
    assert (found.code, found.out) == (2, "")
    assert "error:" in found.err
    assert asked(api, f"{PASSES}:rehearse") == []


@pytest.mark.parametrize("columns", [80, 120])
def test_every_line_fits_the_screen(setpoint: Shell, columns: int) -> None:
    for words in (("passes",), ("passes", "p1"), ("replay",), ("rehearse", "deletes_share=0.01")):
        out = setpoint(*words, COLUMNS=str(columns)).out
        assert max(map(len, out.splitlines())) <= columns, words
