"""Requests nobody would write, against every route of the live application.

What holds for every answer is checked by the kit: none is an error of ours, each refusal has one shape."""

import json
import re
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .kit import Api

pytestmark = pytest.mark.asyncio(loop_scope="module")

MANY = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
NAMES = ["acme", "shop", "prod", "hetzner", "example-org", "hooks", "nobody", "all", "kind:host", "READY"]
ENVELOPE = ["kind", "metadata", "name", "labels", "protected", "spec", "status", "items", "owner", "prune"]
FIELDS = ["reason", "mode", "digest", "token", "facts", "zone", "provider", "values", "type", "conditions"]
METHODS = [None, None, None, "GET", "PUT", "POST", "PATCH", "DELETE", "OPTIONS"]

texts = st.one_of(st.sampled_from(NAMES), st.text(max_size=20))
leaves = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), texts)
keys = st.one_of(st.sampled_from(ENVELOPE + FIELDS), st.text(max_size=8))
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=12,
)
metadata = st.fixed_dictionaries({}, optional={"name": texts | values, "labels": values, "project": texts})
declarations = st.fixed_dictionaries(
    {}, optional={"kind": texts | values, "metadata": metadata | values, "spec": values}
)
bodies = st.one_of(
    st.binary(max_size=40),
    values.map(json.dumps),
    declarations.map(json.dumps),
    st.lists(declarations, max_size=3).map(lambda items: json.dumps({"items": items})),
)
queries = st.dictionaries(
    st.sampled_from(["page_size", "page_token", "state", "labels", "since", "cascade"]), texts, max_size=3
)
headers = st.dictionaries(
    st.sampled_from(["If-Match", "If-None-Match", "Last-Event-ID", "Content-Type"]),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12),
    max_size=2,
)


@st.composite
def asked(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "route": draw(st.integers(0, 1000)),
        "method": draw(st.sampled_from(METHODS)),
        "parts": draw(st.lists(texts.filter(bool), min_size=4, max_size=4)),
        "query": draw(queries),
        "headers": draw(headers),
        "data": draw(bodies),
    }


@given(asked=asked())
@MANY
async def test_no_request_is_answered_with_an_error_of_ours(shared: Api, asked: dict[str, Any]) -> None:
    route = shared.routes[asked["route"] % len(shared.routes)]
    parts = iter(asked["parts"])
    path = re.sub(r"{[^}]+}", lambda _: quote(next(parts), safe=""), route.path)
    method = asked["method"] or sorted(route.methods or {"GET"})[-1]
    query = "&".join(f"{key}={quote(value)}" for key, value in asked["query"].items())
    answer = await shared.call(method, f"{path}?{query}", data=asked["data"], headers=asked["headers"])
    assert answer.status != 503


async def test_what_was_stored_by_all_that_can_still_be_read(shared: Api) -> None:
    for kind in (await shared.get("/v1/kinds")).body["items"]:
        assert (await shared.get(f"/v1/{kind['plural']}?page_size=500")).status == 200
    assert (await shared.get("/v1/loops")).status == 200
