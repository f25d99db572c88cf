"""The contract as it is served: kinds, loops, OpenAPI and pages, all made from the one list of kinds."""

import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from setpoint.api.bodies import BODIES, WITHOUT, is_described
from setpoint.api.codes import CODES
from setpoint.api.reference import page
from setpoint.kinds import ALL, by_name

from .kit import Api, still

pytestmark = pytest.mark.asyncio(loop_scope="module")

REPOSITORY = Path(__file__).parent.parent.parent
METHODS = {"get", "put", "post", "patch", "delete"}
PARAMETER = re.compile(r"{([^}:]+)(?::\w+)?}")


def references(node: Any) -> list[str]:
    if isinstance(node, dict):
        own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
        return own + [ref for value in node.values() for ref in references(value)]
    return [ref for value in node for ref in references(value)] if isinstance(node, list) else []


def resolved(document: Any, ref: str) -> Any:
    for part in ref.removeprefix("#/").split("/"):
        document = document[part.replace("~1", "/").replace("~0", "~")]
    return document


async def test_the_document_lists_every_route_of_the_live_application(shared: Api) -> None:
    document = (await shared.get("/openapi.json")).body
    listed = {(path, method) for path, item in document["paths"].items() for method in item}
    live = {
        (PARAMETER.sub(r"{\1}", route.path), method.lower())
        for route in shared.routes
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert listed == live
    assert ("/openapi.json", "get") in listed


async def test_the_document_is_openapi_3_1(shared: Api) -> None:
    document = (await shared.get("/openapi.json")).body
    assert document["openapi"] == "3.1.0"
    assert {"title", "version"} <= document["info"].keys()
    for ref in references(document):
        assert resolved(document, ref), ref
    for name in document["components"]["schemas"]:
        assert re.fullmatch(r"[a-zA-Z0-9._-]+", name)
    for path, item in document["paths"].items():
        assert item.keys() <= METHODS
        for operation in item.values():
            assert operation["summary"]
            assert operation["responses"].keys() - {"304"} == {"2XX", "4XX", "5XX"}
            declared = [(p["name"], p["in"]) for p in operation["parameters"] if p["required"]]
            assert declared == [(name, "path") for name in PARAMETER.findall(path)]


async def test_the_schemas_are_schemas_and_every_example_fits_its_own(shared: Api) -> None:
    document = (await shared.get("/openapi.json")).body
    for name, schema in document["components"]["schemas"].items():
        jsonschema_rs.meta.validate(schema)
        whole = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
        checker = jsonschema_rs.validator_for(whole)
        for example in schema.get("examples", []):
            checker.validate(example)
            assert not checker.is_valid({**example, "spec": {**example["spec"], "no_such": 1}})


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
async def test_a_body_is_described_by_the_kind_of_its_own_route(shared: Api, kind: Any) -> None:
    document = (await shared.get("/openapi.json")).body
    ours = {
        f"{method} {path}": operation["requestBody"]["content"]
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if re.search(rf"/{kind.plural}(/{{name}})?$", path) and "requestBody" in operation
    }
    if kind.by_machine:
        assert ours == {}
        return
    assert {key.split()[0] for key in ours} == {"put", "patch", "post"}
    for key, content in ours.items():
        if not key.startswith("patch"):
            assert content == {"application/json": {"schema": {"$ref": f"#/components/schemas/{kind.name}"}}}


async def test_whatever_takes_a_body_says_what_may_be_in_it(shared: Api) -> None:
    document = (await shared.get("/openapi.json")).body
    for path, item in document["paths"].items():
        for method in item.keys() & {"put", "post", "patch"}:
            described = "requestBody" in item[method] or is_described(method.upper(), path)
            assert described, f"{method} {path}: what does it take? api/bodies.py"


async def test_no_body_is_described_that_no_route_takes(shared: Api) -> None:
    document = (await shared.get("/openapi.json")).body
    taken = {f"{m.upper()} {path}" for path, item in document["paths"].items() for m in item}
    for known in {*BODIES, *WITHOUT}:
        address = known.replace("{organization}", "/v1/organizations/{organization}").replace(
            "{one}", "{name}"
        )
        assert any(each.endswith(address.split(" ")[1]) for each in taken), known


async def test_health_needs_no_token_by_the_document_either(shared: Api) -> None:
    document = (await shared.get("/openapi.json")).body
    public = {path for path, item in document["paths"].items() if item.get("get", {}).get("security") == []}
    assert public == {
        "/",
        "/assets/{name}",
        "/setpoint.svg",
        "/livez",
        "/readyz",
        "/startupz",
        "/metrics",
        "/openapi.json",
        "/docs",
        "/docs/search",
        "/docs/style.css",
        "/docs/{page}",
        "/llms.txt",
        "/docs/",
        "/docs/problems",
        "/docs/problems/{code}",
        "/docs/kinds/{name}",
        "/schemas/{name}.json",
    }


async def test_kinds_are_shown_with_schema_and_example(shared: Api) -> None:
    items = (await shared.get("/v1/kinds")).body["items"]
    assert [item["name"] for item in items] == [kind.name for kind in ALL]
    for item in items:
        jsonschema_rs.validator_for(item["schema"]).validate(item["example"])
        assert item["about"]


async def test_loops_show_intervals_as_they_are_set(tmp_path: Path) -> None:
    async with still(tmp_path, intervals={"host": 7.5, "no_such_kind": 1.0}) as api:
        await api.declare({"kind": "organization", "metadata": {"name": "acme"}, "spec": {}})
        loops = {item["kind"]: item for item in (await api.get("/v1/loops")).body["items"]}
        assert loops.keys() == by_name().keys()
        assert (loops["host"]["every"], loops["host"]["default_every"]) == (7.5, 30)
        assert loops["dns_zone"]["every"] == loops["dns_zone"]["default_every"] == 120
        assert loops["dns_record"]["every"] is None
        counted = loops["organization"]  # Ours, and the foreign one of every world.
        assert counted["entities"] == sum(counted["states"].values()) == 2
        assert {"event": "entity.state_changed", "of": "reference"} in loops["host"]["on"]


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
async def test_each_kind_has_a_page_made_from_itself(shared: Api, kind: Any) -> None:
    served = await shared.get(f"/docs/kinds/{kind.name}")
    assert served.headers["Content-Type"] == "text/markdown; charset=utf-8"
    text = served.raw.decode()
    assert text == page(kind)
    assert kind.about in text
    for field in kind.spec.__struct_fields__:
        assert f"| `{field}` |" in text


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.name)
async def test_the_type_of_a_refusal_is_an_address_that_explains_it(shared: Api, code: Any) -> None:
    found = await shared.get(f"/docs/problems/{code.name}")
    assert (found.status, found.headers["Content-Type"]) == (200, "text/markdown; charset=utf-8")
    assert code.cause in found.raw.decode()
    assert code.cure in found.raw.decode()
    assert f"](problems/{code.name})" in (await shared.get("/docs/problems")).raw.decode()


async def test_a_refusal_points_at_its_page(shared: Api) -> None:
    refused = await shared.get("/docs/problems/none")
    assert refused.body["type"] == "/docs/problems/not_found"
    assert (await shared.get(refused.body["type"])).status == 200


async def test_a_page_of_no_kind_is_refused(shared: Api) -> None:
    refused = await shared.get("/docs/kinds/nothing")
    assert (refused.status, refused.body["code"]) == (404, "not_found")


async def test_the_reference_in_the_repository_is_fresh() -> None:
    script = REPOSITORY / "scripts" / "docs"
    done = subprocess.run([script, "--check"], capture_output=True, text=True, check=False)  # noqa: S603, ASYNC221
    assert done.returncode == 0, done.stderr
