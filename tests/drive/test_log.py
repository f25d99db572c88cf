"""What the log says of an error, and what it must not say."""

import io
import sys
from collections.abc import Iterator

import pytest

from setpoint.drive.log import logged
from setpoint.log import log_to


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
