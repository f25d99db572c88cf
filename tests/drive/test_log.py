"""What the log says of an error, and what it must not say."""

import io
import logging
import sys
from collections.abc import Iterator

import pytest

from setpoint.drive.log import Libraries, logged
from setpoint.log import Log, log_to

STEERS = ["\x1b[31mred", "\x1b]0;owned\x07", "\x9b31m", "\x7f", "\x00", "\u202egnp.exe", "a\u2028b", "\ud800"]


class Steering:
    """Somebody else's value, with a repr of its own."""

    def __repr__(self) -> str:
        return "<\x1b[31m>"


def fail(message: str) -> None:
    raise ValueError(message)


def failed(message: str) -> ValueError:
    """An error with where it came from."""
    try:
        fail(message)
    except ValueError as error:
        return error
    raise AssertionError


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    log_to(stream)
    yield stream
    log_to(sys.stderr)


def test_an_error_is_told_with_where_it_came_from_and_without_the_values_there(written: io.StringIO) -> None:
    def opened(token: str) -> int:
        return len(token) // 0

    try:
        opened("-".join(("for", "nobody", "to", "see")))  # Where it came from shows this line itself.
    except ZeroDivisionError as error:
        logged("scheduler")("turn failed", {"ref": "zone/1", "error": error})
    said = written.getvalue()
    assert "turn failed" in said
    assert "ref=zone/1" in said
    assert "in opened" in said
    assert "ZeroDivisionError" in said
    assert "for-nobody-to-see" not in said


def test_what_was_expected_is_one_line(written: io.StringIO) -> None:
    logged("scheduler")("turn overtaken", {"ref": "zone/1", "why": "intent moved"})
    assert written.getvalue().count("\n") == 1
    assert "why='intent moved'" in written.getvalue()


@pytest.mark.parametrize("words", STEERS, ids=ascii)
def test_no_character_of_a_line_steers_a_terminal(written: io.StringIO, words: str) -> None:
    Log("api").info(words, path=words, values=[words], who=Steering(), **{words: 1})
    error = failed(f"{words}\n2026-01-01T00:00:00Z [info     ] signed in  who=administrator")
    logged("scheduler")("turn failed", {"error": error})
    said = written.getvalue()
    assert [char for char in said if not char.isprintable() and char != "\n"] == []
    assert ascii(words)[1:-1] in said or repr(words)[1:-1] in said
    assert "turn failed" in said


def test_no_line_of_the_text_of_an_error_looks_like_one_of_the_log(written: io.StringIO) -> None:
    error = failed("odd\n2026-01-01T00:00:00Z [info     ] signed in")
    logged("scheduler")("turn failed", {"error": error})
    first, *rest = written.getvalue().splitlines()
    assert "turn failed" in first
    assert len(rest) > 2
    assert {line[:2] for line in rest} == {"  "}


def test_plain_text_is_shown_as_it_is(written: io.StringIO) -> None:
    Log("api").info("request", path="/v1/organizations/käse", who="ann@example.org", nothing="")
    assert written.getvalue().endswith("nothing= path=/v1/organizations/käse who=ann@example.org\n")


def test_what_libraries_log_is_written_by_the_same_rule(written: io.StringIO) -> None:
    library = logging.Logger("uvicorn.error")
    library.addHandler(Libraries(logging.WARNING))
    library.info("as ever")
    library.warning("odd %s", "\x1b[31m")
    error = failed("\x1b]0;owned\x07")
    library.error("Exception in ASGI application\n", exc_info=error)
    said = written.getvalue()
    assert "as ever" not in said
    assert "[warning  ] odd \\x1b[31m" in said
    assert "[error    ] Exception in ASGI application" in said
    assert "ValueError: \\x1b]0;owned\\x07" in said
    assert "\x1b" not in said
