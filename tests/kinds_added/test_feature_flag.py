"""One file and one entry in a list: the kind gets routes, verbs, schema, metrics, a loops row and docs."""

import asyncio
import io
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from declarations import setting
from harness import ORGANIZATION, PROJECT, Plane, client, is_ready, quick, until
from setpoint.cli.remote import main as setpoint
from setpoint.kinds import ALL
from setpoint.up import Running, running

from .feature_flag import FEATURE_FLAG

FLAGS = f"{PROJECT}/feature_flags"
KINDS = (*ALL, FEATURE_FLAG)
LINES_ALLOWED = 80


class Shop:
    """A control plane that knows the kind, and the file of an application."""

    def __init__(self, plane: Plane, run: Running, file: Path) -> None:
        self.plane = plane
        self.run = run
        self.file = file

    def flag(self, *, enabled: bool) -> dict[str, Any]:
        return {"spec": {"file": str(self.file), "key": "new-checkout", "enabled": enabled}}

    def read(self) -> Any:
        return json.loads(self.file.read_text())

    async def ready(self) -> None:
        async def there() -> bool:
            return is_ready(await self.plane.good("GET", f"{FLAGS}/checkout"))

        await until(there, "the flag to be READY", self.plane.story)

    async def cli(self, *words: str) -> str:
        environment = {"SETPOINT_URL": self.run.url, "SETPOINT_TOKEN": self.run.token}
        out, err = io.StringIO(), io.StringIO()
        streams: Any = {"stdin": io.StringIO(), "stdout": out, "stderr": err}
        code = await asyncio.to_thread(setpoint, list(words), environment, **streams)
        assert code == 0, err.getvalue()
        return out.getvalue()


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    file = tmp_path / "flags.json"
    file.write_text(json.dumps({"not-ours": 7}))
    settings = quick(tmp_path / "data", intervals={"feature_flag": 0.2})
    async with running(settings, kinds=KINDS) as run, client(run.url, run.token) as session:
        shop = Shop(Plane(run.url, tmp_path / "data", session), run, file)
        await shop.plane.declare(setting("http://127.0.0.1:9/v1"))
        await shop.plane.good("PUT", f"{FLAGS}/checkout", shop.flag(enabled=True))
        await shop.ready()
        yield shop


def test_it_is_one_short_file() -> None:
    assert len((Path(__file__).parent / "feature_flag.py").read_text().splitlines()) <= LINES_ALLOWED


async def test_its_loop_holds_the_file_at_what_is_declared(shop: Shop) -> None:
    assert shop.read() == {"not-ours": 7, "new-checkout": True}
    shop.file.write_text(json.dumps({"not-ours": 8, "new-checkout": False}))

    async def mended() -> bool:
        return bool(shop.read() == {"not-ours": 8, "new-checkout": True})

    await until(mended, "the drift to be closed", shop.plane.story)
    await shop.plane.good("PATCH", f"{FLAGS}/checkout", {"spec": {"enabled": False}})
    await shop.ready()
    assert shop.read() == {"not-ours": 8, "new-checkout": False}
    await shop.plane.good("DELETE", f"{FLAGS}/checkout")

    async def gone() -> bool:
        return (await shop.plane.call("GET", f"{FLAGS}/checkout")).status == 404

    await until(gone, "the flag to be gone", shop.plane.story)
    assert shop.read() == {"not-ours": 8}
    assert [(act.verb, act.item) for act in shop.plane.acts()] == [
        ("create", "new-checkout"),
        ("update", "new-checkout"),
        ("update", "new-checkout"),
        ("delete", "new-checkout"),
    ]


async def test_the_api_has_its_routes_schema_loop_metrics_and_page(shop: Shop) -> None:
    assert [one["metadata"]["name"] for one in await shop.plane.every("feature_flags")] == ["checkout"]
    wrong = await shop.plane.call("PUT", f"{FLAGS}/checkout", {"spec": {"fil": "x"}})
    assert {error["pointer"] for error in wrong.body["errors"]} == {"/spec", "/spec/fil"}
    kinds = {kind["name"]: kind for kind in (await shop.plane.good("GET", "/v1/kinds"))["items"]}
    shown = kinds["feature_flag"]
    jsonschema_rs.validator_for(shown["schema"]).validate(shown["example"])
    document = await shop.plane.good("GET", "/openapi.json")
    one = f"{FLAGS}/{{name}}".replace("acme", "{organization}").replace("shop", "{project}")
    assert document["paths"][one].keys() == {"get", "put", "patch", "delete"}
    content = document["paths"][one]["put"]["requestBody"]["content"]["application/json"]
    assert content == {"schema": {"$ref": "#/components/schemas/feature_flag"}}
    loops = {row["kind"]: row for row in (await shop.plane.good("GET", "/v1/loops"))["items"]}
    row = loops["feature_flag"]
    assert (row["every"], row["default_every"], row["states"]) == (0.2, 5, {"READY": 1})
    metrics = str((await shop.plane.call("GET", "/metrics")).body)
    assert 'setpoint_acts_total{kind="feature_flag",outcome="done",verb="create"} 1.0' in metrics
    page = str((await shop.plane.call("GET", "/docs/kinds/feature_flag")).body)
    for words in ("## feature_flag", "A switch that an application", "every 5 seconds", "key: new-checkout"):
        assert words in page
    await shop.plane.good("PUT", "/v1/switches/kind:feature_flag", {"reason": "a drill"})


async def test_the_command_line_has_its_verbs(shop: Shop) -> None:
    listed = await shop.cli("get", "feature_flags")
    assert "KEY" in listed
    assert "new-checkout" in listed
    assert "READY" in await shop.cli("get", "flags", "-o", "wide")
    assert str(shop.file) in await shop.cli("describe", "feature_flag", "checkout")
    explained = await shop.cli("explain", "feature_flag")
    assert "Whether it is on." in explained
    assert "new-checkout" in explained
    assert (await shop.cli("why", "feature_flag/checkout")).startswith("checkout is READY")
    assert "feature_flag" in await shop.cli("loops")
    assert "feature_flag" in await shop.cli("kinds")
    told = await shop.plane.good("GET", f"{ORGANIZATION}/events?page_size=500")
    assert [event for event in told["items"] if event["ref"].startswith("feature_flag/")]
