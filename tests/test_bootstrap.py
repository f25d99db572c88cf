"""What the wiring adds to its parts: what a drive tells is in the log."""

from pathlib import Path
from typing import Any

import pytest

from engine.fake_runtime import FakeRuntime
from setpoint.bootstrap import Application, Parts, build
from setpoint.engine.rows import Installation
from setpoint.log import heard
from setpoint.providers.secrets import FolderSecrets
from setpoint.settings import Settings
from setpoint.storage.memory import MemoryStore


async def nobody(*asked: str) -> Any:
    raise AssertionError(asked)


@pytest.fixture
def application(tmp_path: Path) -> Application:
    parts = Parts(
        store=MemoryStore(),
        runtime=FakeRuntime(),
        secrets=FolderSecrets(tmp_path),
        installation=Installation(id="here"),
        owner="me",
        alone=True,
        settings=Settings(),
        url="http://localhost",
        key="of a test",
        enrolment=nobody,
        genuine=nobody,
    )
    return build(parts)


async def test_what_a_drive_tells_is_logged_and_what_nobody_expected_as_an_error(
    application: Application,
) -> None:
    bug = KeyError("a bug")
    for drive in (application.scheduling, application.working):
        with heard() as logs:
            drive.turns.told("turn overtaken", {"ref": "host/a", "why": "intent moved"})
            drive.turns.told("turn failed", {"ref": "host/a", "error": bug})
        assert logs == [
            {"event": "turn overtaken", "log_level": "info", "ref": "host/a", "why": "intent moved"},
            {"event": "turn failed", "log_level": "error", "ref": "host/a", "exc_info": bug},
        ]
    await application.close()
