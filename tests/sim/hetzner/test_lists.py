"""Lists: pages, order, filters, and every mistake in a question told at once."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from .conftest import World


async def many(world: World, count: int) -> None:
    await asyncio.gather(
        *(
            world.new_server(f"s-{number:03}", labels={"even": str(number % 2 == 0)})
            for number in range(count)
        )
    )


async def test_pages_add_up_to_everything(world: World) -> None:
    await many(world, 120)
    names: list[str] = []
    page: int | None = 1
    while page is not None:
        reply = await world.get("/servers", page=page, per_page=50, sort="name")
        names += reply.names("servers")
        page = reply.body["meta"]["pagination"]["next_page"]
    assert names == [f"s-{number:03}" for number in range(120)]


async def test_a_page_says_where_it_stands(world: World) -> None:
    await many(world, 7)
    assert (await world.get("/servers", page=2, per_page=3)).body["meta"]["pagination"] == {
        "page": 2,
        "per_page": 3,
        "previous_page": 1,
        "next_page": 3,
        "last_page": 3,
        "total_entries": 7,
    }


@pytest.mark.parametrize(("asked", "given"), [({}, 25), ({"per_page": 50}, 50), ({"per_page": 500}, 50)])
async def test_a_page_has_25_items_unless_asked_and_never_more_than_50(
    world: World, asked: dict[str, int], given: int
) -> None:
    await many(world, 60)
    assert len((await world.get("/servers", **asked)).body["servers"]) == given


async def test_a_page_behind_the_last_is_empty(world: World) -> None:
    await many(world, 2)
    reply = await world.get("/servers", page=9)
    assert reply.body["servers"] == []
    assert reply.body["meta"]["pagination"]["total_entries"] == 2


async def test_the_sdk_reads_over_all_pages(world: World, sdk: Callable[..., Awaitable[Any]]) -> None:
    await many(world, 101)
    assert len(await sdk(lambda client: client.servers.get_all())) == 101
    assert len(await sdk(lambda client: client.servers.get_all(label_selector="even=True"))) == 51


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("name", ["a", "b", "c"]),
        ("name:desc", ["c", "b", "a"]),
        ("id", ["b", "c", "a"]),
        ("id:desc", ["a", "c", "b"]),
        ("created:asc", ["b", "c", "a"]),
    ],
)
async def test_lists_are_sorted_as_asked(world: World, sort: str, names: list[str]) -> None:
    for name in ("b", "c", "a"):
        await world.new_server(name)
        world.clock.pass_by(1)
    assert (await world.get("/servers", sort=sort)).names("servers") == names


async def test_a_second_sort_key_decides_where_the_first_is_equal(world: World) -> None:
    for name in ("b", "a"):
        await world.new_server(name)
    reply = await world.call("GET", "/v1/servers", params=[("sort", "created"), ("sort", "name:desc")])
    assert reply.names("servers") == ["b", "a"]


async def test_names_and_statuses_filter(world: World) -> None:
    off = await world.new_server("off", start_after_create=False)
    await world.new_server("on")
    await world.status_is(off, "off")
    assert (await world.get("/servers", name="on")).names("servers") == ["on"]
    assert (await world.get("/servers", name="o")).names("servers") == []
    assert (await world.get("/servers", status="off")).names("servers") == ["off"]


async def test_every_mistake_in_a_question_is_told(world: World) -> None:
    reply = await world.get("/servers", page=0, per_page="many", sort="colour", label_selector="a=b=c")
    assert (reply.status, reply.code) == (400, "invalid_input")
    assert reply.bad_fields == {"page", "per_page", "sort", "label_selector"}


@pytest.mark.parametrize("path", ["/locations", "/server_types", "/images"])
async def test_the_catalogue_is_listed_and_each_entry_is_had_by_id(world: World, path: str) -> None:
    key = path.strip("/")
    listed = (await world.get(path, per_page=50)).body[key]
    for entry in listed:
        assert (await world.get(f"{path}/{entry['id']}")).body[key.removesuffix("s")] == entry
    assert (await world.get(path, name=listed[0]["name"])).body[key][0] == listed[0]
    assert (await world.get(f"{path}/999999999")).code == "not_found"
