"""A task begun once more says from where it goes on."""

import pytest

from client.scripted import Told

from .conftest import Shell
from .fake import FakeApi
from .long_work import OPERATION, OPERATIONS, with_operations


@pytest.mark.parametrize(
    ("retry", "said"),
    [
        ({"from": "b", "stands": ["a"]}, "begun once more, from b; what a did stands\n"),
        ({"from": "a", "stands": []}, "begun once more, from a, its first step: nothing of it stands\n"),
    ],
)
def test_it_is_said_what_stands(setpoint: Shell, api: FakeApi, retry: dict[str, object], said: str) -> None:
    with_operations(api)
    api.answers["POST", f"{OPERATIONS}/t1:retry"] = Told(202, {**OPERATION, "retry": retry})
    found = setpoint("retry", "t1", "--reason", "the quota was raised")
    assert (found.code, said in found.err) == (0, True), found.err
