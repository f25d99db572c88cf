"""A listing is complete or it raises: every page once, and as many things as the vendor says there are."""

from collections.abc import Mapping
from typing import Any, Final

from setpoint.engine.errors import Transient
from setpoint.providers.transport import Transport

PAGE_SIZE: Final = 50
AnyJson = Any


async def listed(
    transport: Transport, path: str, noun: str, params: Mapping[str, str] | None = None
) -> list[AnyJson]:
    """Everything on every page. A page that is missing, repeated or short is noticed."""
    found: list[AnyJson] = []
    page: int | None = 1
    total = 0
    while page is not None:
        wanted = {**(params or {}), "page": str(page), "per_page": str(PAGE_SIZE)}
        answer = await transport.call("GET", path, params=wanted)
        paging = answer["meta"]["pagination"]
        if paging["page"] != page:
            raise Transient(f"listing of {noun} incomplete: asked for page {page}, got {paging['page']}")
        found += answer[noun]
        total = paging["total_entries"]
        following = paging["next_page"]
        if following is not None and following != page + 1:
            raise Transient(f"listing of {noun} incomplete: page {page} is followed by {following}")
        page = following
    distinct = {_identity(item) for item in found}
    if len(found) != total or len(distinct) != len(found):
        twice = f", {len(found) - len(distinct)} of them twice" if len(distinct) != len(found) else ""
        said = f"the provider announced {total} and gave {len(found)}{twice}"
        raise Transient(f"listing of {noun} incomplete: {said}")
    return found


def _identity(item: AnyJson) -> str:
    return str(item["id"])
