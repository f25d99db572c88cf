"""Guards and limits explained, and shown with their numbers where they held something."""

import json
from typing import Any

import pytest

from client.scripted import Told

from .conftest import Shell
from .decisions import HOST, with_decisions
from .fake import FakeApi, thing

GUARDS = [
    {
        "name": "weight",
        "about": "Not too much.",
        "release": "setpoint approve",
        "limits": {"weight_share": 0.1},
    },
    {
        "name": "contested",
        "about": "No fights.",
        "release": "setpoint release",
        "limits": {},
        "said": "they undo it",
    },
]
TOLD: dict[str, Any] = {
    "sentence": "web-1 is HELD since 5 s: they undo it",
    "situation": "contested",
    "chain": ["declared: generation 1"],
    "next": ["setpoint release host web-1 www/A"],
    "evidence": {"guards": [{"said": "", **guard} for guard in GUARDS]},
}


@pytest.fixture(autouse=True)
def decisions(api: FakeApi) -> None:
    api.objects += [thing("host", "web-1")]
    with_decisions(api)
    api.answers["GET", f"{HOST}:why"] = Told(body=TOLD)


def test_every_guard_is_a_line_with_how_it_lets_go(setpoint: Shell) -> None:
    for word in ("guards", "guard"):
        assert [line.split()[:3] for line in setpoint("explain", word).out.splitlines()] == [
            ["GUARD", "WITHHOLDS", "RELEASED"],
            ["delete_budget", "deletes", "approve"],
            ["protection", "items", "release"],
        ]


def test_one_guard_is_told_with_its_limits(setpoint: Shell) -> None:
    assert setpoint("explain", "guard.delete_budget").out.splitlines() == [
        "delete_budget",
        "  about      Only so many deletes at once.",
        "  withholds  what would be destroyed",
        "  released   setpoint approve",
        "  spares     what a person asked for by name",
        "",
        "  LIMIT          VALUE  DEFAULT  ABOUT",
        "  deletes_share  0.2    0.1      About deletes_share.",
        "    dns_zone     0.05",
        "    host/web-1   0.01",
    ]
    assert "LIMIT" not in setpoint("explain", "guard.protection").out
    assert setpoint("explain", "delete_budget").out == setpoint("explain", "guard.delete_budget").out
    body = json.loads(setpoint("explain", "guard.delete_budget", "-o", "json").out)
    assert body["limits"][0]["kinds"] == {"dns_zone": 0.05}


def test_every_limit_is_told_with_its_value_here_and_its_default(setpoint: Shell) -> None:
    rows = [line.split() for line in setpoint("explain", "limits").out.splitlines()]
    assert rows[1][:3] == ["deletes_share", "0.2", "0.1"]
    assert rows[2:4] == [["dns_zone", "0.05"], ["host/web-1", "0.01"]]
    assert rows[4][:3] == ["wave_floor", "10", "0.1"]
    assert setpoint("explain", "limits", "-o", "name").out.split() == ["deletes_share", "wave_floor"]
    assert setpoint("explain", "limit.deletes_share").out.splitlines()[1:] == [
        "  about      About deletes_share.",
        "  value      0.2; dns_zone=0.05, host/web-1=0.01",
        "  default    0.1",
        "  must be    a number, more than 0, less than 1",
        "  read by    delete_budget",
        "  try half   setpoint rehearse deletes_share=0.1",
    ]
    assert "rehearse wave_floor=5" in setpoint("explain", "limit.wave_floor").out


@pytest.mark.parametrize(
    ("what", "hint"),
    [
        ("guard.delete_budgt", "did you mean delete_budget?"),
        ("limits.deletes_sahre", "did you mean deletes_share?"),
    ],
)
def test_a_near_miss_gets_a_suggestion(setpoint: Shell, what: str, hint: str) -> None:
    found = setpoint("explain", what)
    assert (found.code, hint in found.err, "setpoint explain" in found.err) == (2, True, True)


def test_why_puts_the_situation_in_front(setpoint: Shell) -> None:
    assert setpoint("why", "host", "web-1").out.splitlines() == [
        "contested: web-1 is HELD since 5 s: they undo it",
        "  declared: generation 1",
        "  next: setpoint release host web-1 www/A",
    ]


@pytest.mark.parametrize("flag", [("--full",), ("-o", "wide")])
def test_in_full_why_shows_every_guard_with_its_numbers(setpoint: Shell, flag: tuple[str, ...]) -> None:
    assert setpoint("why", "host", "web-1", *flag).out.splitlines()[3:] == [
        "",
        "Guards",
        "  = weight     Not too much. [weight_share=0.1]",
        "  ! contested  they undo it; released: setpoint release",
    ]


def test_why_asks_about_one_item(setpoint: Shell, api: FakeApi) -> None:
    for words in (("host", "web-1", "www/A"), ("host/web-1", "www/A"), ("host/web-1",)):
        assert setpoint("why", *words).code == 0
    queries = [asked.query for asked in api.asked if asked.path.endswith(":why")]
    assert queries == [{"item": "www/A"}, {"item": "www/A"}, {}]
    many = setpoint("why", "host", "web-1", "a", "b")
    assert (many.code, "why is about one item, not 2" in many.err) == (2, True)


def test_an_older_server_that_says_less_is_understood(setpoint: Shell, api: FakeApi) -> None:
    api.answers["GET", f"{HOST}:why"] = Told(body={"sentence": "web-1 is READY", "chain": [], "next": []})
    assert setpoint("why", "host", "web-1", "--full").out == "web-1 is READY\n"


@pytest.mark.parametrize("columns", [80, 120])
def test_every_line_fits_the_screen(setpoint: Shell, columns: int) -> None:
    for what in ("guards", "guard.delete_budget", "limits", "limit.deletes_share"):
        out = setpoint("explain", what, COLUMNS=str(columns)).out
        assert max(map(len, out.splitlines())) <= columns, what
