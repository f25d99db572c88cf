"""The table of RFC 7396, appendix A, and what a merge patch means for an object."""

from typing import Any

import pytest

from declarations import record
from harness import PROJECT
from setpoint.api.merge_patch import merged

from .kit import Api

pytestmark = pytest.mark.asyncio(loop_scope="module")

WHOLE = f"{PROJECT}/dns_records/r1"


@pytest.mark.parametrize(
    ("original", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
async def test_a_patch_is_merged_as_the_standard_says(original: Any, patch: Any, result: Any) -> None:
    assert merged(original, patch) == result


@pytest.mark.parametrize(
    ("patch", "spec", "labels", "protected"),
    [
        ({}, {"ttl": 300}, {"a": "1"}, True),
        ({"spec": {"ttl": 600}}, {"ttl": 600}, {"a": "1"}, True),
        ({"spec": {"ttl": None}}, {"ttl": None}, {"a": "1"}, True),
        ({"spec": {"values": ["192.0.2.2"]}}, {"values": ["192.0.2.2"]}, {"a": "1"}, True),
        ({"metadata": {"labels": None}}, {"ttl": 300}, {}, True),
        ({"metadata": {"protected": False}}, {"ttl": 300}, {"a": "1"}, False),
        ({"kind": "dns_record", "metadata": {"name": "r1"}}, {"ttl": 300}, {"a": "1"}, True),
    ],
)
async def test_a_patch_of_an_object(shared: Api, patch: Any, spec: Any, labels: Any, protected: bool) -> None:
    await shared.good("PUT", WHOLE, record(1, labels={"a": "1"}, protected=True))
    headers = {"Content-Type": "application/merge-patch+json"}
    changed = await shared.good("PATCH", WHOLE, patch, headers=headers)
    assert changed["spec"] == changed["spec"] | spec
    assert (changed["metadata"]["labels"], changed["metadata"]["protected"]) == (labels, protected)


@pytest.mark.parametrize(
    ("patch", "status"),
    [
        ({"spec": None}, 422),
        ({"spec": {"type": None}}, 422),
        ({"metadata": {"name": "other"}}, 422),
        ({"metadata": {"generation": 7}}, 422),
        ({"status": {"state": "READY"}}, 422),
        ({"kind": "host"}, 422),
        ([], 400),
        ("x", 400),
    ],
)
async def test_a_patch_that_would_break_the_object_is_refused(shared: Api, patch: Any, status: int) -> None:
    before = await shared.good("PUT", WHOLE, record(1))
    assert (await shared.call("PATCH", WHOLE, patch)).status == status
    assert (await shared.get(WHOLE)).body == before
