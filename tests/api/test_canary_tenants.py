"""The foreign organization of every world is heard of when a filter between tenants is taken away."""

from typing import Any

import pytest

from foreign import Ear, ear_of
from harness import ORGANIZATION
from setpoint.api.sight import Sight
from setpoint.engine import store as queries

from .kit import Api, as_other

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def ear(shared: Api) -> Any:
    """What it hears here is wanted, and forgotten."""
    found = ear_of(shared.run)
    assert list(found.hits) == []
    yield found
    found.hits.clear()


def without_tenant(shared: Api, monkeypatch: pytest.MonkeyPatch, wanted: Any) -> None:
    """One query forgets which organization was asked about."""
    store: Any = shared.run.application.scheduler.store
    usual = type(store).read

    async def read(self: Any, query: Any, **given: Any) -> Any:
        if query is wanted and given.get("organization"):
            given["organization"] = ear_of(shared.run).name
        return await usual(self, query, **given)

    monkeypatch.setattr(type(store), "read", read)


@pytest.mark.parametrize(
    ("query", "path"),
    [(queries.EVENTS_AFTER, "events"), (queries.AUDIT_PAGE, "audit"), (queries.TOKENS_IN, "tokens")],
    ids=lambda each: each if isinstance(each, str) else "",
)
async def test_a_query_without_its_tenant_is_heard(
    shared: Api, ear: Ear, monkeypatch: pytest.MonkeyPatch, query: Any, path: str
) -> None:
    await shared.good("GET", f"{ORGANIZATION}/{path}")
    assert list(ear.hits) == []
    without_tenant(shared, monkeypatch, query)
    await shared.good("GET", f"{ORGANIZATION}/{path}")
    assert ear.name in ear.hits[0]


async def test_a_list_that_asks_nobody_is_heard(
    shared: Api, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = (await shared.good("POST", f"{ORGANIZATION}/tokens", {"name": "eve", "role": "owner"}))["token"]
    async with as_other(shared, token) as owner:
        assert ear.name not in (await owner.get("/v1/projects")).raw.decode()
        assert list(ear.hits) == []
        monkeypatch.setattr(Sight, "may_to", lambda *_: True)
        await owner.get("/v1/projects")
    assert "GET /v1/projects by eve" in ear.hits[0]


async def test_whoever_runs_it_all_may_hear_of_it_and_a_tenant_may_not(shared: Api, ear: Ear) -> None:
    assert ear.name in (await shared.get("/v1/organizations")).raw.decode()
    assert list(ear.hits) == []
    scope = {
        "method": "GET",
        "path": f"{ORGANIZATION}/projects",
        "query_string": b"",
        "setpoint.who": "administrator",
    }
    assert not await ear._may_hear(scope)
