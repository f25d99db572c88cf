"""A page for every error code, served where the `type` of a refusal points: its cause and its cure."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from setpoint.api.codes import CODES
from setpoint.api.layout import document
from setpoint.api.mistakes import MISTAKES
from setpoint.api.problem import Refused
from setpoint.api.reference import table

PAGES: Final = {code.name: code for code in CODES}


async def serve(request: Request) -> Response:
    """GET the page of one error code: Markdown, or HTML for a browser."""
    name = request.path_params["code"]
    if name not in PAGES:
        hint = "GET /docs/problems lists them"
        raise Refused(404, "not_found", f"there is no error code {name[:64]}", hint=hint)
    return document(request, page(name))


async def contents(request: Request) -> Response:
    """GET every error code: Markdown, or HTML for a browser."""
    rows = [(f"[{code.name}](problems/{code.name})", str(code.status), code.cause) for code in CODES]
    codes = table(("code", "status", "cause"), rows)
    mistakes = table(("code", "cause", "what to do"), [(f"`{m.name}`", m.cause, m.cure) for m in MISTAKES])
    text = f"# Error codes\n\n{codes}\n\n## Codes of single mistakes\n\n{mistakes}\n"
    return document(request, text, lambda to: f"/docs/{to}")


def page(name: str) -> str:
    code = PAGES[name]
    return f"# {code.name}\n\nStatus {code.status}. {code.cause}\n\n**What to do:** {code.cure}\n"
