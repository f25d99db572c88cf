"""Requests with an `Idempotency-Key`: one effect, and the same answer for a day, however often they are sent.

The key is reserved before anything is done. The commit that has the effect says so in the same row, under the
version that was reserved: whoever was taken over meanwhile has no effect any more. The answer follows it.
"""

import hashlib
from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from setpoint.access.subject import Subject
from setpoint.api.beginning import ref_of_organization
from setpoint.api.body import read_raw
from setpoint.api.pen import UNDER_WAY, Slip
from setpoint.api.problem import Refused
from setpoint.api.services import Services
from setpoint.engine.errors import FAILURES, Conflict
from setpoint.engine.request import KEPT_SECONDS, Attempt
from setpoint.engine.store import Change, Drop, Expect, Put

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotency-Replayed"
LONGEST: Final = 255
ANSWER_SECONDS: Final = 60.0
"""Longer than any request takes: then its process is gone, or too late."""
LARGEST_ANSWER: Final = 262_144
READS: Final = ("GET", "HEAD", "OPTIONS")
KEPT_HEADERS: Final = ("content-type", "etag", "location")
Run = Callable[[Request, Subject], Awaitable[Response]]
Again = Callable[[Request, Subject, tuple[str, ...]], Awaitable[Response]]
"""The answer anew, from what is stored: for an effect whose answer was lost, or is too large to keep."""


class Once(Struct, frozen=True):
    """One route's requests, each made once."""

    services: Services
    run: Run
    again: Again | None = None
    secret: bool = False
    """Whether the answer holds what is shown once: it is never kept."""

    async def answer(self, request: Request, subject: Subject) -> Response:
        key = request.headers.get(HEADER) if request.method not in READS else None
        if key is None:
            return await self.run(request, subject)
        wanted = await self._wanted(request, subject, key)
        while (attempt := await self._reserved(wanted)) is None:
            known = await self.services.store.get(Attempt, wanted.key)
            if known is not None and not self._is_free(known):
                return await self._answered(request, subject, known, wanted)
        return await self._run(request, subject, Slip(attempt))

    async def _wanted(self, request: Request, subject: Subject, key: str) -> Attempt:
        if not 1 <= len(key) <= LONGEST or not (key.isascii() and key.isprintable()):
            detail = f"{HEADER} is 1 to {LONGEST} printable ASCII characters"
            raise Refused(400, "bad_idempotency_key", detail, hint="send a new UUID for each new request")
        raw = await read_raw(request, self.services.max_body_bytes)
        matched = request.headers.get("If-Match", "")
        asked = (request.method, request.url.path, request.url.query, matched)
        organization = request.path_params.get("organization", "")
        home = await ref_of_organization(self.services.store, organization)
        return Attempt(
            # By who it is and which organization this is: names are had by others later.
            key=_hash(home, subject.account or subject.credential, key),
            # With the key, which is kept nowhere: what was sent cannot be guessed from its hash.
            asked=_hash(key, *asked, raw.hex()),
            owner=self.services.owner,
            until=self.services.runtime.now() + ANSWER_SECONDS,
        )

    async def _reserved(self, wanted: Attempt) -> Attempt | None:
        """Ours, if nobody has it or whoever had it is gone; None after losing to somebody."""
        known = await self.services.store.get(Attempt, wanted.key)
        if known is not None and not self._is_free(known):
            return None
        version = known.version if known else 0
        attempt = replace(wanted, version=version + 1)
        expect = Expect(Attempt, wanted.key, "version", version) if known else Expect(Attempt, wanted.key)
        try:
            await self.services.store.commit(Change((expect,), (Put(attempt),)))
        except Conflict:
            return None
        return attempt

    def _is_free(self, known: Attempt) -> bool:
        """Its time is over; or nothing was done for it, and whoever had it cannot be alive."""
        gone = self.services.alone and known.owner != self.services.owner
        return known.until <= self.services.runtime.now() or (gone and not known.landed_at)

    async def _run(self, request: Request, subject: Subject, slip: Slip) -> Response:
        try:
            response = await self._under_way(request, subject, slip)
        except (Refused, *FAILURES):
            await self._released(slip.attempt)
            raise
        await self._keep(slip.attempt, response)
        return response

    async def _under_way(self, request: Request, subject: Subject, slip: Slip) -> Response:
        mark = UNDER_WAY.set(slip)
        try:
            return await self.run(request, subject)
        finally:
            UNDER_WAY.reset(mark)

    async def _released(self, attempt: Attempt) -> None:
        """A refusal has no effect: the key is free for another try, unless something was done after all."""
        if attempt.landed_at:
            return
        expect = Expect(Attempt, attempt.key, "version", attempt.version)
        try:
            await self.services.store.commit(Change((expect,), (Drop(Attempt, attempt.key),)))
        except FAILURES:
            return  # The store is away, or the effect is there: the row says what is so.

    async def _keep(self, attempt: Attempt, response: Response) -> None:
        now = self.services.runtime.now()
        whole = not self.secret and len(response.body) <= LARGEST_ANSWER
        headers = {name: value for name, value in response.headers.items() if name in KEPT_HEADERS}
        kept = replace(
            attempt,
            version=attempt.version + 1,
            until=now + KEPT_SECONDS,
            landed_at=attempt.landed_at or now,
            status=response.status_code,
            headers=headers,
            answer=bytes(response.body).decode() if whole else None,
        )
        expect = Expect(Attempt, attempt.key, "version", attempt.version)
        try:
            await self.services.store.commit(Change((expect,), (Put(kept),)))
        except FAILURES:
            return  # The effect stands and its row says so; only the answer is missing there.

    async def _answered(
        self, request: Request, subject: Subject, known: Attempt, wanted: Attempt
    ) -> Response:
        if known.asked != wanted.asked:
            detail = f"this {HEADER} was sent with another request"
            raise Refused(422, "key_reused", detail, hint="send a new key with each new request")
        if known.answer is not None:
            headers = {**known.headers, REPLAYED: "true"}
            return Response(known.answer.encode(), known.status, headers=headers)
        if known.landed_at and self.again is not None and not self.secret:
            response = await self.again(request, subject, known.refs)
            response.headers[REPLAYED] = "true"
            return response
        raise self._no_answer(known)

    def _no_answer(self, known: Attempt) -> Refused:
        """It comes in a moment, or never."""
        silence = self.services.runtime.now() - known.landed_at
        if known.status or (known.landed_at and silence > ANSWER_SECONDS):
            hint = "look at what is there; to do it once more, send a new key"
            detail = "the request with this key took effect, and its answer is not kept"
            return Refused(409, "answer_lost", detail, hint=hint, retryable=False)
        hint = f"try again with the same key in a moment, at most {ANSWER_SECONDS:g} s"
        return Refused(409, "still_running", "the first request with this key is under way", hint=hint)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
