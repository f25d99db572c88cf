"""From an address to its route by its parts: two hundred routes cost no more than one."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import Receive, Scope, Send

Endpoint = Callable[[Request], Awaitable[Response]]
REST: Final = ":path}"
"""How a parameter ends that takes all the parts that are left."""


@dataclass(slots=True)
class Node:
    """What may follow here: a word, a value, a value with a verb or something else behind it, or the rest."""

    words: dict[str, "Node"] = field(default_factory=dict)
    value: "Node | None" = None
    endings: dict[str, "Node"] = field(default_factory=dict)
    rest: "Node | None" = None
    ends: dict[str, tuple[Endpoint, tuple[str, ...]]] = field(default_factory=dict)
    """By method: the endpoint, and what its parameters are called."""


class Dispatch(Router):
    """Starlette's router, which tries one pattern after the other, only for what no route is found for."""

    def __init__(self, routes: Iterable[Route]) -> None:
        known = tuple(routes)
        # An address is right or wrong: a redirect would go where the Host header says.
        super().__init__(known, redirect_slashes=False)
        self._root = Node()
        for route in known:
            _add(self._root, route)

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self._found(scope) if scope["type"] == "http" else None
        if found is None:
            await super().app(scope, receive, send)
            return
        endpoint, scope["path_params"] = found
        response = await endpoint(Request(scope, receive, send))
        await response(scope, receive, send)

    def _found(self, scope: Scope) -> tuple[Endpoint, dict[str, Any]] | None:
        values: list[str] = []
        node = _walked(self._root, scope["path"][1:].split("/"), 0, values)
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        end = node.ends.get(method) if node is not None else None
        if end is None:
            return None
        endpoint, names = end
        return endpoint, dict(zip(names, values, strict=True))


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


def _walked(node: Node, parts: list[str], at: int, values: list[str]) -> Node | None:
    """The node at the end of these parts; a word before a value, an ending before a value that holds it."""
    if at == len(parts):
        return node if node.ends else None
    part, kept = parts[at], len(values)
    steps: list[tuple[Node | None, str | None]] = [(node.words.get(part), None)]
    steps += [
        (following, part.removesuffix(ending))
        for ending, following in node.endings.items()
        if part.endswith(ending) and part != ending
    ]
    steps.append((node.value, part) if part else (None, None))
    for following, value in steps:
        if following is None:
            continue
        if value is not None:
            values.append(value)
        if (end := _walked(following, parts, at + 1, values)) is not None:
            return end
        del values[kept:]
    if node.rest is not None:
        values.append("/".join(parts[at:]))
        return node.rest
    return None
