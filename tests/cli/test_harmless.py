"""Nothing that is shown steers the terminal, in any format, and what programs read stays what it was."""

import io
import json

import pytest
import yaml

from setpoint.cli.output import FORMATS, show
from setpoint.cli.screen import Screen

STEERS = "a\x1b]0;title\x07b\x9b31mc\x00d\u202ee\x7ff\u2066g\x1b[8mh\ri"
BODY = {"items": [{"kind": "host", "metadata": {"name": STEERS}, "spec": {STEERS: [STEERS]}}]}


def screen(format: str = "table", **environment: str) -> Screen:  # noqa: A002 - as the flag is called
    return Screen(io.StringIO(), io.StringIO(), io.StringIO(), environment, format)


def steers(text: str) -> list[str]:
    return [char for char in text if not char.isprintable() and char not in "\n\t"]


@pytest.mark.parametrize("format_", FORMATS)
def test_no_format_lets_it_through_and_programs_read_it_back(format_: str) -> None:
    here = screen(format_)
    show(here, BODY)
    text = here.stdout.getvalue()  # type: ignore[attr-defined]
    assert steers(text) == []
    if format_ == "json":
        assert json.loads(text) == BODY
    if format_ == "jsonl":
        assert json.loads(text) == BODY["items"][0]
    if format_ == "yaml":
        assert yaml.safe_load(text) == BODY["items"][0]


@pytest.mark.parametrize("said", ["data", "tell", "say"])
def test_every_way_to_the_screen_is_harmless(said: str) -> None:
    here = screen()
    getattr(here, said)(STEERS)
    assert steers(here.stdout.getvalue() + here.stderr.getvalue()) == []  # type: ignore[attr-defined]


def test_our_own_colours_stay_and_no_others() -> None:
    here = screen(CLICOLOR_FORCE="1")
    here.data(f"{here.paint('x', 'READY')} {STEERS}")
    text = here.stdout.getvalue()  # type: ignore[attr-defined]
    assert text.startswith("\x1b[32mx\x1b[0m a")
    assert steers(text) == ["\x1b", "\x1b"]
