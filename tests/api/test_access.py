"""Who gets in: every route of the live application, asked by nobody, strangers, agents and administrators."""

import re

import aiohttp
import pytest

from harness import ORGANIZATION
from setpoint.access.credential import hash_token
from setpoint.engine.entity import Ref
from setpoint.engine.store import Change, Put
from setpoint.engine.token import Token

from .kit import Api, as_other

PUBLIC = {
    "/livez",
    "/readyz",
    "/startupz",
    "/docs/problems",
    "/docs/problems/{code}",
    "/metrics",
    "/openapi.json",
    "/docs/kinds/{name}",
    "/docs",
    "/docs/",
    "/docs/search",
    "/docs/style.css",
    "/docs/{page:path}",
    "/llms.txt",
    "/schemas/{name}.json",
}
CONSOLE = {"/", "/setpoint.svg", "/assets/{name:path}"}
"""There are files behind these where it was built."""
AGENTS_OWN = {"/v1/agent/enrol", "/v1/agent/heartbeat"}
SIGNING_IN = {"/v1/sessions", "/v1/links:open", "/v1/links:use", "/v1/accounts:recover"}
ABOUT_ONESELF = re.compile(r"/v1/(me([/:].*)?|sessions/current.*)\Z")
AGENT_KEY = "the-key-of-some-agent"


def asked(api: Api, inside: str) -> list[tuple[str, str]]:
    """Every method and path of the live application below a prefix."""
    return [
        (method, re.sub(r"{[^}]+}", "acme", route.path))
        for route in api.routes
        if route.path.startswith(inside)
        for method in sorted(route.methods or set())
    ]


@pytest.mark.parametrize(
    "authorization", ["", "Bearer wrong", "Bearer ", "Bearer", "Basic {token}", "{token}", "Bearer {token}x"]
)
async def test_every_route_refuses_whoever_has_no_token(api: Api, authorization: str) -> None:
    headers = {"Authorization": authorization.format(token=api.run.token)} if authorization else {}
    async with aiohttp.ClientSession() as session:
        stranger = Api(api.url, api.data, api.run, session, api.secrets)
        for method, path in asked(api, "/v1"):
            if path in SIGNING_IN:
                continue
            answer = await stranger.call(method, path, headers=headers)
            assert answer.status == 401, (method, path)
            assert answer.headers["WWW-Authenticate"] == "Bearer"


async def test_there_is_no_route_outside_v1_but_the_public_ones(api: Api) -> None:
    assert {route.path for route in api.routes if not route.path.startswith("/v1/")} == PUBLIC | CONSOLE
    async with aiohttp.ClientSession() as session:
        for path in sorted(each.replace("{name}", "host").replace("{code}", "stale") for each in PUBLIC):
            async with session.get(api.url + path.replace("{page:path}", "index.md")) as response:
                assert response.status == 200


async def test_an_agent_may_report_and_nothing_else(api: Api) -> None:
    key = Token(hash=hash_token(AGENT_KEY), subject="agent web-1", role="agent", ref=Ref("agent/1"))
    await api.store.commit(Change(writes=(Put(key),)))
    async with as_other(api, AGENT_KEY) as agent:
        for method, path in asked(api, "/v1"):
            if path not in AGENTS_OWN | SIGNING_IN:
                answer = await agent.call(method, path, {} if method in ("PUT", "POST", "PATCH") else None)
                # What is not theirs looks as if it were not there.
                oneself = ABOUT_ONESELF.match(path)
                assert answer.status in ((200, 400, 403) if oneself else (404,)), (method, path)
        unknown = await agent.call("POST", "/v1/agent/heartbeat", {})
        assert (unknown.status, unknown.body["code"]) == (401, "unenrolled")


async def test_the_administrator_does_not_speak_for_an_agent(api: Api) -> None:
    refused = await api.call("POST", "/v1/agent/heartbeat", {"facts": {}})
    assert (refused.status, refused.body["code"]) == (403, "forbidden")


async def test_the_name_of_the_scheme_is_written_as_one_likes(api: Api) -> None:
    async with aiohttp.ClientSession(headers={"Authorization": f"bearer {api.run.token}"}) as session:
        small = Api(api.url, api.data, api.run, session, api.secrets)
        assert (await small.get(f"{ORGANIZATION}")).status == 200
