"""Tables at 80, 120 and 200 columns: never wrapped, the reason cut last, names and states whole."""

import io

import pytest

from setpoint.cli.listing import View, columns_of, painted, row_of
from setpoint.cli.prose import described
from setpoint.cli.screen import Screen
from setpoint.cli.table import Column, lines
from setpoint.client.resource import Kind, Object

from .fake import kind, thing

HOST = Kind(kind("host", "workspace", {"SIZE": "spec.size", "IMAGE": "spec.image", "TOKEN": "spec.token"}))
NOON_AND_A_BIT = 1_794_744_000.0 + 605
REASON = "no heartbeat for 40 s (2 looks, agent silent); re-creating, attempt 1, usually 12 s"
FLEET = [
    thing("host", "web-1", spec={"size": "cx22", "image": "debian-12", "token": "hush"}),
    thing("host", "web-2", spec={"size": "cx22", "image": "debian-12"}, state="DEGRADED", reason=REASON),
    thing("host", "web-3", "acme/shop/staging", state="PENDING", reason="declared", observed_generation=0),
    thing("host", "a-host-with-a-rather-long-name", state="HELD", reason="5 deletes of 6;\nallowed are 3"),
    thing("host", "web-4", state="FAILED", reason="refused", deleting="asked"),
]

AT_80 = """\
NAME                            STATE       SIZE  AGE  REASON
web-1                           = READY     cx22  10m  as declared
web-2                           ? DEGRADED  cx22  10m  no heartbeat for 40 s (2…
web-3                           + PENDING         10m  declared
a-host-with-a-rather-long-name  ! HELD            10m  5 deletes of 6; allowed…
web-4                           - FAILED          10m  refused"""

AT_120 = """\
NAME                            STATE       SIZE  IMAGE      TOKEN     AGE  REASON
web-1                           = READY     cx22  debian-12  (hidden)  10m  as declared
web-2                           ? DEGRADED  cx22  debian-12            10m  \
no heartbeat for 40 s (2 looks, agent silen…
web-3                           + PENDING                              10m  declared
a-host-with-a-rather-long-name  ! HELD                                 10m  5 deletes of 6; allowed are 3
web-4                           - FAILED                               10m  refused"""

AT_200 = """\
NAME                            SCOPE         STATE       SIZE  IMAGE      TOKEN     AGE  REASON
web-1                           shop/prod     = READY     cx22  debian-12  (hidden)  10m  as declared
web-2                           shop/prod     ? DEGRADED  cx22  debian-12            10m  \
no heartbeat for 40 s (2 looks, agent silent); re-creating, attempt 1, usually 12 s
web-3                           shop/staging  + PENDING                              10m  declared
a-host-with-a-rather-long-name  shop/prod     ! HELD                                 10m  \
5 deletes of 6; allowed are 3
web-4                           shop/prod     - FAILED                               10m  refused"""


def table(columns: int, level: str, **environment: str) -> list[str]:
    screen = Screen(
        io.StringIO(), io.StringIO(), io.StringIO(), {"COLUMNS": str(columns), **environment}, "table"
    )
    view = View(level=level, now=NOON_AND_A_BIT)
    rows = [row_of(Object(body), HOST, view) for body in FLEET]
    return painted(screen, columns_of(HOST, view), rows)


@pytest.mark.parametrize(
    ("columns", "level", "golden"),
    [(80, "workspace", AT_80), (120, "workspace", AT_120), (200, "organization", AT_200)],
)
def test_a_table_fits_its_screen(columns: int, level: str, golden: str) -> None:
    found = table(columns, level)
    assert "\n".join(found) == golden
    assert max(map(len, found)) <= columns


@pytest.mark.parametrize("columns", range(20, 220, 7))
def test_no_line_is_ever_wider_than_the_screen_once_names_fit(columns: int) -> None:
    rows = [("web-1", "= READY", "a" * 30, "b" * 90), ("web-2", "~ PENDING", "c", "d" * 200)]
    found = lines([Column("NAME"), Column("STATE"), Column("X", gives=True), Column("WHY")], rows, columns)
    assert max(map(len, found)) <= columns
    assert found[1].startswith("web-1  = READY")


def test_without_a_screen_nothing_is_cut() -> None:
    found = lines([Column("NAME"), Column("REASON")], [("web-1", "x" * 500)], None)
    assert found[1].endswith("x" * 500)


def test_colours_stand_beside_words_and_symbols_never_alone() -> None:
    plain, coloured = table(120, "workspace"), table(120, "workspace", CLICOLOR_FORCE="1")
    assert "\x1b[" not in "".join(plain)
    assert "\x1b[32m= READY" in coloured[1]
    assert table(120, "workspace", CLICOLOR_FORCE="1", NO_COLOR="1") == plain


def test_wide_characters_take_two_columns() -> None:
    found = lines([Column("A"), Column("B")], [("漢字", "x"), ("ab", "y")], None)
    assert found == ["A     B", "漢字  x", "ab    y"]


SECONDS_AGO, SOON = "2026-11-15T12:10:02+00:00", "2026-11-15T12:10:32+00:00"
LATE = "not observed for 3 min; expected every 30 s"


def observed(**status: object) -> Object:
    body = thing("host", "web-1")
    return Object({**body, "status": {**body["status"], **status}})


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ({"observed_at": SECONDS_AGO, "next_observation_at": SOON}, "3s ago, next in 27s"),
        ({"observed_at": SECONDS_AGO, "next_observation_at": SECONDS_AGO}, "3s ago, next look due now"),
        ({"observed_at": SECONDS_AGO, "next_observation_at": None}, "3s ago"),
        ({"observed_at": None, "next_observation_at": SOON}, "not yet, next in 27s"),
        ({"observed_at": SECONDS_AGO, "next_observation_at": None, "stale": LATE}, LATE),
        ({"observed_at": None, "next_observation_at": None, "stale": ""}, ""),
    ],
)
def test_a_description_says_when_it_was_observed_and_is_next(status: dict[str, object], words: str) -> None:
    screen = Screen(io.StringIO(), io.StringIO(), io.StringIO(), {}, "table")
    lines = described(observed(**status), {}, screen, NOON_AND_A_BIT)
    found = [line.removeprefix("  observed").strip() for line in lines if line.startswith("  observed")]
    assert found == ([words] if words else [])


def test_what_nobody_looks_at_is_not_shown_as_if_all_were_well() -> None:
    view = View(level="workspace", now=NOON_AND_A_BIT, wide=True)
    row = row_of(observed(stale=LATE, observed_at=SECONDS_AGO), HOST, view)
    assert "? READY" in row
    assert "3s (late)" in row
    assert row[-1].startswith(f"{LATE}; until then: ")
    failed = row_of(observed(stale=LATE, state="DEGRADED", reason="the cloud is away"), HOST, view)
    assert failed[-1] == "the cloud is away"
