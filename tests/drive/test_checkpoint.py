"""A chain that was changed in any way after it was shipped does not hold what was shipped."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec import json
from msgspec.structs import replace

from setpoint.drive.checkpoint import Checkpoint, Shipped, read_shipped, sealed
from setpoint.engine.audit import broken_at, chained
from setpoint.engine.rows import Audit

KEY = "a key that no database holds"
LINES = 40


def chain(words: list[str]) -> list[Audit]:
    found: list[Audit] = []
    for number, word in enumerate(words, 1):
        line = Audit(organization="acme", actor=word, action="a", ref="r", at=float(number))
        found.append(chained(line, revision=number, previous=found[-1].hash if found else ""))
    return found


def shipped(lines: list[Audit], *at: int) -> Shipped:
    points = [
        sealed(KEY, Checkpoint(organization="acme", revision=each, hash=lines[each - 1].hash, at=1.0))
        for each in at
    ]
    return read_shipped(KEY, [json.encode(point) for point in points])


def is_noticed(lines: list[Audit], points: Shipped) -> bool:
    return broken_at(lines) is not None or points.missing("acme", (each.hash for each in lines)) != ()


WHOLE = chain([f"person {number}" for number in range(LINES)])
POINTS = shipped(WHOLE, 10, 20, LINES)
PLACE = st.integers(0, LINES - 1)


def test_the_chain_as_it_was_shipped_is_whole_and_may_go_on() -> None:
    assert not is_noticed(WHOLE, POINTS)
    assert not is_noticed(chain([each.actor for each in WHOLE] + ["later"]), POINTS)
    assert not is_noticed([], Shipped())


@given(at=PLACE)
def test_a_line_that_was_changed_dropped_or_put_in_is_noticed(at: int) -> None:
    flipped, dropped = [*WHOLE], [*WHOLE]
    flipped[at] = replace(WHOLE[at], actor="somebody else")
    del dropped[at]
    put_in = [*WHOLE[:at], WHOLE[0], *WHOLE[at:]]
    assert all(is_noticed(each, POINTS) for each in (flipped, dropped, put_in))


@given(one=PLACE, other=PLACE)
def test_lines_that_changed_places_are_noticed(one: int, other: int) -> None:
    swapped = [*WHOLE]
    swapped[one], swapped[other] = WHOLE[other], WHOLE[one]
    assert is_noticed(swapped, POINTS) is (one != other)


@given(left=st.integers(0, LINES - 1))
def test_a_chain_that_was_cut_back_is_noticed_though_it_fits_in_itself(left: int) -> None:
    assert is_noticed(WHOLE[:left], POINTS)


@given(at=PLACE)
def test_a_chain_that_was_written_anew_is_noticed(at: int) -> None:
    words = [each.actor for each in WHOLE]
    words[at] = "somebody else"
    rewritten = chain(words)
    assert broken_at(rewritten) is None
    assert is_noticed(rewritten, POINTS)


@given(at=st.integers(0, 200), flip=st.integers(1, 255))
def test_a_checkpoint_that_was_changed_is_nobodys(at: int, flip: int) -> None:
    raw = bytearray(
        json.encode(sealed(KEY, Checkpoint(organization="acme", revision=7, hash="ab" * 32, at=1.0)))
    )
    raw[at % len(raw)] ^= flip
    found = read_shipped(KEY, [bytes(raw)])
    assert found.foreign == 1 or found == read_shipped(KEY, [json.encode(found.points["acme"][0])])


def test_another_installations_key_seals_nothing_here() -> None:
    point = sealed("another", Checkpoint(organization="acme", revision=7, hash="ab", at=1.0))
    assert read_shipped(KEY, [json.encode(point), b"{", b""]) == Shipped({}, 3)
