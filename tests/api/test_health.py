"""Alive, ready and measured."""

import asyncio
import json
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.requests import Request

from setpoint.api.drain import Drain
from setpoint.api.health import Health
from setpoint.drive.meter import Tally
from setpoint.engine.metrics import METRICS
from setpoint.storage.memory import MemoryStore

from .kit import Api


async def test_alive_and_ready(api: Api) -> None:
    assert (await api.get("/livez")).raw == b"ok\n"
    ready = await api.get("/readyz")
    assert (ready.status, ready.body) == (
        200,
        {"ready": True, "checks": {"accepting": "ok", "store": "ok", "disk": "ok"}},
    )


async def test_each_check_is_named_for_people_too(api: Api) -> None:
    good = b"[+] accepting: ok\n[+] store: ok\n[+] disk: ok\n[+] acting: ok\nready\n"
    assert (await api.get("/readyz?verbose")).raw == good
    api.run.application.stop()
    said = await api.get("/readyz?verbose=1")
    bad = b"[-] accepting: draining\n[+] store: ok\n[+] disk: ok\n[+] acting: ok\nnot ready\n"
    assert (said.status, said.raw) == (503, bad)


async def test_a_start_is_over_once_the_store_was_there(api: Api) -> None:
    started = await api.get("/startupz")
    assert (started.status, started.body) == (200, {"started": True, "checks": {"store": "ok"}})
    await api.store.close()
    assert (await api.get("/startupz")).status == 200


async def test_not_ready_while_draining_but_alive_and_still_answering(api: Api) -> None:
    api.run.application.stop()
    ready = await api.get("/readyz")
    assert (ready.status, ready.body["checks"]) == (
        503,
        {"accepting": "draining", "store": "ok", "disk": "ok"},
    )
    assert (await api.get("/livez")).status == 200
    assert (await api.get("/v1/kinds")).status == 200


async def test_a_store_that_does_not_answer_makes_it_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stuck(MemoryStore):
        async def get(self, row: type[Any], key: str) -> Any:
            await asyncio.Event().wait()

    monkeypatch.setattr("setpoint.api.health.STORE_SECONDS", 0.01)
    health = Health(Stuck(), Tally(lambda: 0.0), Drain())
    ready = await health.ready(Request({"type": "http"}))
    assert ready.status_code == 503
    assert json.loads(bytes(ready.body))["checks"]["store"].startswith("no answer within ")


async def test_a_closed_store_is_said_so_everywhere(api: Api) -> None:
    await api.store.close()
    ready = await api.get("/readyz")
    assert (ready.status, ready.body["checks"]["store"]) == (503, "the store is closed")
    refused = await api.get("/v1/kinds")
    assert (refused.status, refused.body["code"], refused.body["retryable"]) == (503, "unavailable", True)
    assert refused.headers["Retry-After"] == "2"


async def test_metrics_are_read_by_the_parser_of_prometheus(api: Api) -> None:
    answer = await api.get("/metrics")
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    families = {family.name: family for family in text_string_to_metric_families(answer.raw.decode())}
    assert families.keys() == {metric.name.removesuffix("_total") for metric in METRICS}
    assert all(family.documentation.endswith(".") for family in families.values())
