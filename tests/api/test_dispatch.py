"""Addresses find their routes as they would by trying one pattern after the other."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Match, Route

from setpoint.api.dispatch import Dispatch

from .kit import Api

WORDS = (
    "v1",
    "organizations",
    "acme",
    "hosts",
    "web",
    "web:why",
    "a:b:why",
    "plans",
    "schemas",
    "x.json",
    "all",
    "",
    "me:can-i",
    "x",
)


def served(path: str, *methods: str) -> Route:
    async def endpoint(request: Request) -> Response:
        return PlainTextResponse(path)

    return Route(path, endpoint, methods=list(methods or ("GET",)))


ROUTES = (
    served("/v1/me"),
    served("/v1/me:can-i"),
    served("/v1/switches/{key:path}", "PUT"),
    served("/v1/organizations/{name}:why"),
    served("/v1/organizations/{name}"),
    served("/v1/organizations/{name}", "PUT"),
    served("/v1/organizations/{organization}/hosts"),
    served("/v1/organizations/{organization}/hosts/{name}:why"),
    served("/v1/organizations/{organization}/hosts/{name}"),
    served("/v1/organizations/{organization}/plans/all"),
    served("/v1/organizations/{organization}/plans/{id}"),
    served("/schemas/{name}.json"),
)


def by_trying(routes: tuple[Route, ...], method: str, path: str) -> tuple[Route, dict[str, str]] | None:
    for route in routes:
        match, child = route.matches({"type": "http", "method": method, "path": path})
        if match is Match.FULL:
            return route, child["path_params"]
    return None


def found(dispatch: Dispatch, method: str, path: str) -> tuple[object, dict[str, str]] | None:
    return dispatch._found({"type": "http", "method": method, "path": path})


def addresses() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(lambda parts: "/" + "/".join(parts))


@given(addresses(), st.sampled_from(("GET", "HEAD", "PUT", "POST", "DELETE")))
def test_it_finds_what_trying_one_after_the_other_finds(path: str, method: str) -> None:
    expected = by_trying(ROUTES, method, path)
    got = found(Dispatch(ROUTES), method, path)
    assert got == (None if expected is None else (expected[0].endpoint, expected[1]))


def filled(route: Route) -> Iterator[str]:
    for value in ("web", "web:x", "a-1"):
        path = route.path.replace("{key:path}", "kind:host")
        for part in route.path.split("{")[1:]:
            name = part.partition("}")[0]
            path = path.replace(f"{{{name}}}", value)
        yield path


async def test_every_route_of_the_application_is_found(api: Api) -> None:
    routes = tuple(api.routes)
    dispatch = Dispatch(routes)
    assert len(routes) > 200
    for route in routes:
        for path in filled(route):
            for method in sorted(route.methods or ()):
                expected = by_trying(routes, method, path)
                assert expected is not None
                assert found(dispatch, method, path) == (expected[0].endpoint, expected[1]), path


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/v1/nothing", 404), ("GET", "/v1/me/", 404), ("PATCH", "/v1/me", 405), ("GET", "//v1/me", 404)],
)
async def test_what_no_route_is_for_is_refused_as_before(
    api: Api, method: str, path: str, status: int
) -> None:
    assert (await api.call(method, path)).status == status
