"""An organization of ten thousand: previews come in pages, writes read by pages, and others are answered."""

import asyncio
import contextlib
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from harness import ORGANIZATION
from setpoint.api import holders
from setpoint.engine.entity import Declared, Ref, Scope
from setpoint.engine.store import Change, Put

from .belonging import ROLES
from .kit import Api, settled, still

pytestmark = pytest.mark.asyncio(loop_scope="module")

MANY = 10_000
READ = {"keys": ["project.dns_zone"], "verbs": ["read"]}
UPDATE = {"keys": ["project.dns_zone"], "verbs": ["update"]}
RARE = ("m00003", "m06001", "m09999")


def membership(number: int) -> Declared:
    """Everybody has a role; the rare one is that of a few."""
    name = f"m{number:05}"
    roles = [{"role": "rare" if name in RARE else "dns"}, {"role": "member", "project": "shop"}]
    return Declared(
        ref=Ref(f"membership/{name}-id"),
        kind="membership",
        scope=Scope("acme"),
        name=name,
        spec={"email": f"{name}@example.org", "roles": roles},
    )


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def crowd(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Api]:
    async with still(Path(tmp_path_factory.mktemp("crowd"))) as api:
        await api.declare(*settled())
        for name in ("dns", "rare"):
            await api.good("PUT", f"{ROLES}/{name}", {"spec": {"rules": [READ]}})
        for first in range(0, MANY, 1000):
            rows = map(membership, range(first, first + 1000))
            await api.store.commit(Change(writes=tuple(Put(row) for row in rows)))
        yield api


@contextlib.asynccontextmanager
async def counted(api: Api, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[dict[str, list[int]]]:
    """How many memberships each read brought; meanwhile nobody else waits for long."""
    sizes, waits, usual = defaultdict[str, list[int]](list), list[float](), type(api.store).read

    async def read(self: Any, query: Any, **asked: Any) -> Any:
        rows = await usual(self, query, **asked)
        if brought := sum(isinstance(row, Declared) and row.kind == "membership" for row in rows):
            sizes[query.name].append(brought)
        return rows

    async def ticking() -> None:
        while True:
            began = time.thread_time()
            await asyncio.sleep(0)
            waits.append(time.thread_time() - began)

    with monkeypatch.context() as patched:
        patched.setattr(type(api.store), "read", read)
        ticker = asyncio.create_task(ticking())
        yield sizes
        ticker.cancel()
    # Of our own work between two turns of the loop, however busy the machine is with that of others.
    assert max(waits) < 0.25, sorted(waits)[-5:]


async def test_a_preview_reads_no_more_than_its_page_needs(
    crowd: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    preview = f"{ROLES}/dns:preview?page_size=50"
    async with counted(crowd, monkeypatch) as sizes:
        first = await crowd.good("POST", preview, {"spec": {"rules": [UPDATE]}})
    assert (len(first["items"]), first["items"][0]["name"]) == (50, "m00000@example.org")
    assert max(map(max, sizes.values())) == holders.AT_ONCE
    assert sizes["declared_by_name"] == [holders.AT_ONCE]


async def test_pages_of_a_preview_together_are_about_everybody_once(crowd: Api) -> None:
    names, after, pages = list[str](), "", 0
    while pages == 0 or after:
        path = f"{ROLES}/rare:preview?page_size=2&page_token={after}"
        page = await crowd.good("POST", path, {"spec": {"rules": [UPDATE]}})
        assert page["items"] or not page["next_page_token"]
        names += [each["name"] for each in page["items"]]
        after, pages = page["next_page_token"], pages + 1
    assert names == [f"{name}@example.org" for name in RARE]
    assert pages >= len(RARE)  # Each ends where enough was read, not where it is full.


async def test_what_changes_a_role_of_everybody_reads_by_pages(
    crowd: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with counted(crowd, monkeypatch) as sizes:
        await crowd.good("PUT", f"{ROLES}/dns", {"spec": {"rules": [READ, UPDATE]}})
    assert sizes["declared_page"] == [holders.AT_ONCE] * (MANY // holders.AT_ONCE)
    async with counted(crowd, monkeypatch) as sizes:
        spec = {"email": "new@example.org", "roles": [{"role": "dns"}]}
        await crowd.good("PUT", f"{ORGANIZATION}/memberships/new", {"spec": spec})
    assert sum(map(sum, sizes.values())) <= holders.AT_ONCE
