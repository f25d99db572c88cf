"""How much one organization may have declared: so many objects, of so many bytes together.

Counting reads every row of the organization, so what was counted is believed for a while, with all that was
asked for since added to it. Only where that comes to a bound is it counted anew: an estimate refuses nobody.
"""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import json

from setpoint.api.problem import Refused
from setpoint.engine.entity import Declared
from setpoint.engine.rows import Holding
from setpoint.engine.store import DECLARED_OF, HOLDING, Store, listed
from setpoint.settings import Settings

BELIEVED_SECONDS: Final = 60.0


class Quota:
    """Asked of all rows of one request together, before they are written."""

    def __init__(self, store: Store, settings: Settings, monotonic: Callable[[], float]) -> None:
        self._store, self._monotonic = store, monotonic
        self._most = Holding(objects=settings.organization_objects, bytes=settings.organization_bytes)
        self._counted: dict[str, tuple[float, Holding]] = {}

    async def check(self, rows: Sequence[Declared]) -> None:
        """Refused where an organization would have more than it may."""
        for organization in sorted({row.organization for row in rows if row.organization}):
            mine = [row for row in rows if row.organization == organization and not row.deleting]
            at, held = self._counted.get(organization, (0.0, Holding(objects=0, bytes=0)))
            after = _with(held, mine)
            now = self._monotonic()
            if organization not in self._counted or now - at > BELIEVED_SECONDS or self._is_much(after):
                [held] = await self._store.read(HOLDING, organization=organization)
                at, after = now, await self._exactly(held, mine)
                self._refuse(organization, held, after)
            self._counted[organization] = (at, after)

    async def _exactly(self, held: Holding, rows: Sequence[Declared]) -> Holding:
        """What is changed takes the place of what it was."""
        refs = [row.ref for row in rows if row.generation]
        before = await self._store.read(DECLARED_OF, refs=listed(refs)) if refs else ()
        after = _with(held, rows)
        return Holding(objects=after.objects, bytes=after.bytes - sum(map(_size, before)))

    def _is_much(self, held: Holding) -> bool:
        most = self._most
        return 0 < most.objects < held.objects or 0 < most.bytes < held.bytes

    def _refuse(self, organization: str, held: Holding, after: Holding) -> None:
        """Whoever has too much already may still change and make smaller what is there."""
        most = self._most
        if 0 < most.objects < after.objects and after.objects > held.objects:
            what = f"{after.objects} objects; at most {most.objects}"
        elif 0 < most.bytes < after.bytes and after.bytes > held.bytes:
            what = f"{after.bytes} bytes of declarations; at most {most.bytes}"
        else:
            return
        hint = "delete what is not needed, or ask whoever runs the installation for more"
        raise Refused(422, "too_much_declared", f"{organization} would have {what} fit", hint=hint)


def _with(held: Holding, rows: Sequence[Declared]) -> Holding:
    new = sum(not row.generation for row in rows)
    return Holding(objects=held.objects + new, bytes=held.bytes + sum(map(_size, rows)))


def _size(row: Declared) -> int:
    return len(json.encode(row))
