"""The stage that these tests play on, and the runners that play."""

from collections.abc import Iterator

import pytest

from kinds.stage import Stage
from runners.harness import Scene
from temporal import TemporalServer, temporal_server


@pytest.fixture
async def stage() -> Stage:
    return await Stage().set_up()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TemporalServer]:
    """One for all tests of this process; nobody kills it."""
    with temporal_server(tmp_path_factory.mktemp("temporal")) as up:
        yield up


@pytest.fixture(params=["embedded", "temporal"])
def scene(request: pytest.FixtureRequest, stage: Stage) -> Scene:
    """The same on each runner."""
    if request.param == "embedded":
        return Scene(stage, "embedded")
    return Scene(stage, request.getfixturevalue("server").address)
