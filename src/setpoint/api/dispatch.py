"""From an address to its route by its parts: two hundred routes cost no more than one."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, Final

from msgspec import Struct, field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import Receive, Scope, Send

from setpoint.api.problem import BUG, NOT_FOUND, bug, refusal_of

Endpoint = Callable[[Request], Awaitable[Response]]
Lost = Callable[[Request], Awaitable[Response | None]]
"""Asked about an address that no route knows; None where that is a mistake."""
REST: Final = ":path}"
"""How a parameter ends that takes all the parts that are left."""


class Node(Struct):
    """What may follow here: a word, a value, a value with a verb or something else behind it, or the rest."""

    words: dict[str, "Node"] = field(default_factory=dict)
    value: "Node | None" = None
    endings: dict[str, "Node"] = field(default_factory=dict)
    rest: "Node | None" = None
    ends: dict[str, tuple[Endpoint, tuple[str, ...]]] = field(default_factory=dict)
    """By method: the endpoint, and what its parameters are called."""


class Dispatch(Router):
    """Starlette's router, which tries one pattern after the other, only for what no route is found for."""

    def __init__(self, routes: Iterable[Route], lost: Lost | None = None) -> None:
        known = tuple(routes)
        # An address is right or wrong: a redirect would go where the Host header says.
        super().__init__(known, redirect_slashes=False)
        self._root, self._lost = Node(), lost or _nothing
        for route in known:
            _add(self._root, route)

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().app(scope, receive, send)
            return
        request, found = Request(scope, receive, send), self._found(scope)
        try:
            if found is None:
                await super().app(scope, receive, send)
                return
            endpoint, scope["path_params"] = found
            response = await endpoint(request)
        except Exception as error:
            unknown = isinstance(error, HTTPException) and error.status_code == NOT_FOUND
            page = await self._lost(request) if unknown else None
            response = page or refusal_of(request, error) or bug(request)
            await response(scope, receive, send)
            if response.status_code == BUG:
                raise  # For the log of whoever serves us.
            return
        await response(scope, receive, send)

    def _found(self, scope: Scope) -> tuple[Endpoint, dict[str, Any]] | None:
        parts, values = scope["path"][1:].split("/"), list[str]()
        node = _straight(self._root, parts, values) or _walked(self._root, parts, 0, values)
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        end = node.ends.get(method) if node is not None else None
        if end is None:
            return None
        endpoint, names = end
        return endpoint, dict(zip(names, values, strict=True))


async def _nothing(request: Request) -> None:
    return None


def _add(root: Node, route: Route) -> None:
    node, names = root, []
    for part in route.path[1:].split("/"):
        if not part.startswith("{"):
            node = node.words.setdefault(part, Node())
            continue
        name, _, ending = part[1:].partition("}")
        names.append(name.partition(":")[0])
        if part.endswith(REST):
            node.rest = node.rest or Node()
            node = node.rest
        elif ending:
            node = node.endings.setdefault(ending, Node())
        else:
            node.value = node.value or Node()
            node = node.value
    for method in route.methods or ():
        node.ends.setdefault(method, (route.endpoint, tuple(names)))


def _straight(node: Node, parts: list[str], values: list[str]) -> Node | None:
    """The end of these parts where no choice has to be taken back: nearly always, and in one go."""
    for part in parts:
        following = node.words.get(part)
        if following is None:
            if node.value is None or not part or (node.endings and part.endswith(tuple(node.endings))):
                values.clear()
                return None
            following = node.value
            values.append(part)
        node = following
    if not node.ends:
        values.clear()
        return None
    return node


def _walked(node: Node, parts: list[str], at: int, values: list[str]) -> Node | None:
    """The node at the end of these parts; a word before a value, an ending before a value that holds it."""
    if at == len(parts):
        return node if node.ends else None
    part, kept = parts[at], len(values)
    for following, value in _steps(node, part):
        if value is not None:
            values.append(value)
        if (end := _walked(following, parts, at + 1, values)) is not None:
            return end
        del values[kept:]
    if node.rest is not None:
        values.append("/".join(parts[at:]))
        return node.rest
    return None


def _steps(node: Node, part: str) -> Iterator[tuple[Node, str | None]]:
    """Where this part may lead, and the value that it is there."""
    if (word := node.words.get(part)) is not None:
        yield word, None
    for ending, following in node.endings.items():
        if part.endswith(ending) and part != ending:
            yield following, part.removesuffix(ending)
    if node.value is not None and part:
        yield node.value, part
