"""Events told to a real server: signed so that anybody can check, once more when asked, or parked."""

import base64
import contextlib
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from harness import ORGANIZATION, World, keep_secret, world
from providers.test_hetzner_trouble import answering

HOOK = f"{ORGANIZATION}/webhooks/ci"
SECRET = "whsec_" + base64.b64encode(b"the-key").decode()
Got = list[tuple[Any, bytes]]


def signed_with(key: bytes, headers: Any, body: bytes) -> bool:
    """As a receiver checks it (Standard Webhooks), with nothing of ours."""
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    wanted = "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    return wanted in headers["webhook-signature"].split(" ")


@dataclass
class Told:
    """A world with one webhook, what its receiver got, and what it answers."""

    w: World
    got: Got
    answers: list[int]

    async def change(self, label: str) -> None:
        body = {"metadata": {"labels": {"a": label}}}
        await self.w.plane.good("PATCH", f"{ORGANIZATION}/projects/shop", body)


@contextlib.asynccontextmanager
async def telling(data: Path) -> AsyncIterator[Told]:
    got: Got = []
    answers = [204]

    async def respond(request: web.BaseRequest) -> web.Response:
        got.append((request.headers.copy(), await request.read()))
        return web.Response(status=answers[0])

    async with answering(respond) as url, world(data, intervals={"webhook": 0.2}) as w:
        keep_secret(data, "events", SECRET)
        spec = {"url": f"{url}/in", "secret": "secret://events"}
        hook = {
            "kind": "webhook",
            "metadata": {"name": "ci"},
            "spec": {**spec, "events": ["entity.config_*"]},
        }
        await w.plane.declare([*w.setting(), hook])
        await w.in_state("webhooks", "ci", "READY", "begins now")
        yield Told(w, got, answers)


async def test_what_happens_is_told_and_signed(tmp_path: Path) -> None:
    async with telling(tmp_path) as told:
        await told.change("b")
        ((headers, body), *_) = await messages(told, 1)
        event = json.loads(body)
        assert (event["specversion"], event["type"]) == ("1.0", "dev.setpoint.entity.config_changed.v1")
        assert headers["Content-Type"] == "application/cloudevents+json"
        assert signed_with(b"the-key", headers, body)
        assert not signed_with(b"other", headers, body)
        assert SECRET not in str(told.got)


async def test_a_delivery_is_made_once_more_under_the_same_id(tmp_path: Path) -> None:
    async with telling(tmp_path) as told:
        await told.change("b")
        (delivery,) = await deliveries(told.w, "done")
        again = await told.w.plane.good("POST", f"{HOOK}:redeliver", {"delivery": delivery["id"]})
        first, second = await messages(told, 2)
        assert (first[0]["webhook-id"], first[1]) == (second[0]["webhook-id"], second[1])
        path = f"{ORGANIZATION}/operations/{again['id']}:wait?timeout=10"
        assert (await told.w.plane.good("GET", path))["state"] == "done"
        unknown = await told.w.plane.call("POST", f"{HOOK}:redeliver", {"delivery": "none"})
        assert unknown.status == 404


async def test_what_is_refused_is_parked_and_the_next_is_told_all_the_same(tmp_path: Path) -> None:
    async with telling(tmp_path) as told:
        told.answers[0] = 410
        await told.change("b")
        (parked,) = await deliveries(told.w, "parked")
        assert "refused the message with 410" in parked["message"]
        told.answers[0] = 204
        await told.change("c")
        assert len(await deliveries(told.w, "done")) == 1


async def messages(told: Told, number: int) -> Got:
    async def enough() -> bool:
        return len(told.got) >= number

    await told.w.until(enough, f"{number} messages")
    return told.got


async def deliveries(w: World, state: str) -> list[Any]:
    async def some() -> list[Any]:
        items = (await w.plane.good("GET", f"{HOOK}/deliveries"))["items"]
        return [each for each in items if each["state"] == state]

    found: list[Any] = await w.until(some, f"a delivery that is {state}")
    return found
