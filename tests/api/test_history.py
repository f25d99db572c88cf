"""What an object was declared as: who changed what, and when."""

from typing import Any

from harness import ORGANIZATION

from .kit import Api, channel

PATH = f"{ORGANIZATION}/notification_channels/told"


async def test_every_generation_has_its_author_and_what_it_changed(api: Api) -> None:
    await api.good("PUT", PATH, channel("told", labels={"a": "b"}))
    body: Any = channel("told", protected=True)
    body["spec"]["url"] = "https://other.example.org/"
    await api.good("PUT", PATH, body)
    await api.good("PATCH", PATH, {"metadata": {"protected": False}})
    newest, middle, oldest = (await api.get(f"{PATH}/history")).body["items"]
    assert [one["generation"] for one in (newest, middle, oldest)] == [3, 2, 1]
    assert [one["verb"] for one in (newest, middle, oldest)] == ["changed", "changed", "declared"]
    assert {one["by"] for one in (newest, middle, oldest)} == {"administrator"}
    assert newest["changed"] == [{"field": "protected", "before": True, "after": False}]
    assert middle["changed"] == [
        {"field": "labels.a", "before": "b"},
        {"field": "protected", "before": False, "after": True},
        {"field": "spec.url", "before": "https://hooks.example.org/", "after": "https://other.example.org/"},
    ]
    assert (oldest["changed"], oldest["labels"]) == ([], {"a": "b"})
    assert oldest["at"] <= middle["at"] <= newest["at"]


async def test_what_changes_nothing_makes_no_history(api: Api) -> None:
    for _ in range(3):
        await api.good("PUT", PATH, channel("told"))
    assert len((await api.get(f"{PATH}/history")).body["items"]) == 1


async def test_no_more_than_fifty_generations_are_kept(api: Api) -> None:
    for number in range(60):
        await api.good("PUT", PATH, channel("told", labels={"n": str(number)}))
    kept = (await api.get(f"{PATH}/history")).body["items"]
    assert [one["generation"] for one in kept] == list(range(60, 10, -1))


async def test_what_is_not_there_has_no_history(api: Api) -> None:
    assert (await api.get(f"{ORGANIZATION}/notification_channels/none/history")).status == 404
