"""Too much in one body, and too many at the same time."""

import asyncio
import json
from collections.abc import AsyncIterator

from declarations import record
from harness import ORGANIZATION, PROJECT

from .kit import Api

RECORDS = f"{PROJECT}/dns_records"


async def test_a_body_that_says_it_is_too_large_is_refused_unread(api: Api) -> None:
    host, port = api.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    who = f"Host: localhost\r\nAuthorization: Bearer {api.run.token}"
    head = f"POST {ORGANIZATION}/declarations HTTP/1.1\r\n{who}\r\nContent-Length: 1000000000\r\n\r\n"
    writer.write(head.encode())
    answer = await asyncio.wait_for(reader.readuntil(b"}"), 60)
    writer.close()
    assert b"413" in answer.split(b"\r\n")[0]
    assert json.loads(answer.split(b"\r\n\r\n")[1])["code"] == "too_large"


async def test_a_body_that_never_ends_is_refused_at_the_limit(api: Api) -> None:
    limit, chunk = 4 * 1024 * 1024, b" " * 65536

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(limit // len(chunk) + 1):
            yield chunk
        await asyncio.Event().wait()

    refused = await asyncio.wait_for(
        api.call("POST", f"{ORGANIZATION}/declarations", data=endless()), timeout=60
    )
    assert (refused.status, refused.body["code"]) == (413, "too_large")


async def test_fifty_writers_with_the_same_version_are_one_winner(api: Api) -> None:
    path = f"{RECORDS}/r1"
    tag = (await api.call("PUT", path, record(1))).headers["ETag"]
    same = {"If-Match": tag}
    writes = [api.call("PUT", path, record(1, f"192.0.2.{n}"), headers=same) for n in range(2, 52)]
    found = [answer.status for answer in await asyncio.gather(*writes)]
    assert sorted(found) == [200] + [412] * 49


async def test_of_twenty_that_make_the_same_one_makes_it(api: Api) -> None:
    made = [api.call("POST", RECORDS, record(1, f"192.0.2.{n}")) for n in range(1, 21)]
    answers = await asyncio.gather(*made)
    assert sorted(answer.status for answer in answers) == [201] + [409] * 19
    assert {answer.body["code"] for answer in answers if answer.status == 409} == {"exists"}


async def test_patches_of_different_fields_at_the_same_time_all_stay(api: Api) -> None:
    path = f"{RECORDS}/r1"
    await api.good("PUT", path, record(1))
    patches = [api.call("PATCH", path, {"metadata": {"labels": {f"l{n}": "x"}}}) for n in range(6)]
    assert {answer.status for answer in await asyncio.gather(*patches)} == {200}
    assert set((await api.get(path)).body["metadata"]["labels"]) == {f"l{n}" for n in range(6)}
