"""A route whose pattern is made when somebody looks at it: the dispatch finds its way without."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, compile_path, request_response

AnyPart = Any
LATER: Final = ("path_regex", "path_format", "param_convertors", "app")


class LateRoute(Route):
    """Two hundred and seventy patterns take longer to compile than everything else takes to start."""

    def __init__(self, path: str, endpoint: Callable[[Request], Awaitable[Response]], method: str) -> None:
        self.path, self.endpoint, self.name = path, endpoint, endpoint.__name__
        self.methods = {method, "HEAD"} if method == "GET" else {method}
        self.include_in_schema = True

    def __getattr__(self, name: str) -> AnyPart:
        if name not in LATER:
            raise AttributeError(name)
        self.path_regex, self.path_format, self.param_convertors = compile_path(self.path)
        self.app = request_response(self.endpoint)
        return self.__dict__[name]
