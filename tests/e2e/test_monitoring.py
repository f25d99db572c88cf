"""Probes, alerts and signed webhooks: raised after N, retried under the same id, resolved."""

import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

from harness import AnyJson, World, keep_secret, world

SECRET = "whisper"  # noqa: S105 - known to the receiver of this test alone
RAISE_AFTER = 3
OFTEN = {"monitoring_object": 0.2}


@dataclass
class Received:
    """One message as it came in."""

    id: str
    signed: bool
    body: AnyJson


@dataclass
class Site:
    """A web server that can be well or ill, and that receives webhooks."""

    url: str = ""
    status: int = 200
    refusals: int = 0
    probes: int = 0
    answers: list[tuple[str, int]] = field(default_factory=list)
    taken: list[Received] = field(default_factory=list)

    async def page(self, request: web.Request) -> web.Response:
        self.probes += 1
        return web.Response(status=self.status)

    async def hook(self, request: web.Request) -> web.Response:
        raw, headers = await request.read(), request.headers
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + raw
        digest = hmac.new(SECRET.encode(), signed, hashlib.sha256).digest()
        expected = "v1," + base64.b64encode(digest).decode()
        answer = 200
        if self.refusals:
            self.refusals, answer = self.refusals - 1, 500
        else:
            good = hmac.compare_digest(headers["webhook-signature"], expected)
            self.taken.append(Received(headers["webhook-id"], good, json.loads(raw)))
        self.answers.append((headers["webhook-id"], answer))
        return web.Response(status=answer)


@contextlib.asynccontextmanager
async def site() -> AsyncIterator[Site]:
    found = Site()
    application = web.Application()
    application.add_routes([web.get("/page", found.page), web.post("/hook", found.hook)])
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    found.url = "http://{}:{}".format(*runner.addresses[0])
    try:
        yield found
    finally:
        await runner.cleanup()


def watched(url: str, **spec: AnyJson) -> list[AnyJson]:
    monitored = {"raise_after": RAISE_AFTER, "channels": ["hooks"], **spec}
    return [
        {"kind": "organization", "metadata": {"name": "acme"}, "spec": {}},
        {"kind": "project", "metadata": {"name": "shop"}, "spec": {}},
        {
            "kind": "notification_channel",
            "metadata": {"name": "hooks"},
            "spec": {"url": f"{url}/hook", "secret": "secret://hooks"},
        },
        {"kind": "monitoring_object", "metadata": {"name": "page", "project": "shop"}, "spec": monitored},
    ]


async def test_a_bad_page_is_told_after_three_probes_and_told_again_when_it_is_well(tmp_path: Path) -> None:
    keep_secret(tmp_path, "hooks", SECRET)
    async with site() as page, world(tmp_path, intervals=OFTEN) as w:
        expected = [{"parameter": "http_status", "operator": "==", "threshold": 200}]
        await w.plane.declare(watched(page.url, probe="http", target=f"{page.url}/page", conditions=expected))
        await w.in_state("monitoring_objects", "page", "READY", "answers as expected")
        page.status, probed = 503, page.probes
        await w.in_state("monitoring_objects", "page", "DEGRADED", "http_status is 503, expected == 200")
        assert page.probes >= probed + RAISE_AFTER
        raised = (await messages(w, page, 1))[0]
        assert raised.signed
        assert (raised.body["type"], raised.body["id"]) == ("monitoring.alert_raised", raised.id)

        page.refusals, page.status = 2, 200
        resolved = (await messages(w, page, 2))[1]
        assert (resolved.signed, resolved.body["type"]) == (True, "monitoring.alert_resolved")
        assert resolved.body["alert"] == raised.body["alert"]
        assert page.answers[1:] == [(resolved.id, 500), (resolved.id, 500), (resolved.id, 200)]
        await w.in_state("monitoring_objects", "page", "READY")
        assert len(await w.plane.events("monitoring.alert_raised")) == 1
        assert len(await w.plane.events("monitoring.alert_resolved")) == 1


async def test_a_port_that_closes_is_told_and_two_bad_probes_are_not(tmp_path: Path) -> None:
    keep_secret(tmp_path, "hooks", SECRET)
    async with site() as page, world(tmp_path, intervals=OFTEN) as w:
        door = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
        port = door.sockets[0].getsockname()[1]
        await w.plane.declare(watched(page.url, probe="tcp", target=f"127.0.0.1:{port}"))
        await w.in_state("monitoring_objects", "page", "READY", "answers as expected")
        door.close()
        await door.wait_closed()
        await w.in_state("monitoring_objects", "page", "PENDING", "is down")
        assert page.answers == []
        await w.in_state("monitoring_objects", "page", "DEGRADED", f"127.0.0.1:{port} is down")
        assert (await messages(w, page, 1))[0].body["type"] == "monitoring.alert_raised"

        door = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", port)
        assert (await messages(w, page, 2))[1].body["type"] == "monitoring.alert_resolved"
        assert all(message.signed for message in page.taken)
        door.close()


async def messages(w: World, page: Site, number: int) -> list[Received]:
    async def there() -> list[Received] | None:
        return page.taken if len(page.taken) >= number else None

    found: list[Received] = await w.until(there, f"{number} messages taken, {page.answers}")
    assert len(found) == number
    return found
