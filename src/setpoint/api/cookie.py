"""The session of a browser: a cookie that no script reads and no other site can set."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

NAME: Final = "__Host-setpoint"


def put(response: Response, secret: str, seconds: float) -> None:
    response.set_cookie(
        NAME, secret, max_age=int(seconds), path="/", secure=True, httponly=True, samesite="lax"
    )


def drop(response: Response) -> None:
    response.delete_cookie(NAME, path="/", secure=True, httponly=True, samesite="lax")


def read(request: Request) -> str:
    return request.cookies.get(NAME, "")
