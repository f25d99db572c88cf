"""One way out over HTTP: the governor's turn, deadlines, and answers turned into one of the five errors."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from setpoint.capabilities.account import Calls
from setpoint.capabilities.urgency import URGENT
from setpoint.engine.entity import hash_of
from setpoint.engine.errors import Conflict, Denied, Missing, Rejected, Transient
from setpoint.providers.budget import RESERVE, answered
from setpoint.providers.endpoint import one_spelling
from setpoint.providers.lines import Errand
from setpoint.providers.scrub import scrub_of
from setpoint.providers.turnstile import Turnstile
from setpoint.providers.wire import Asked, Lost, Reply, SocketWire, Unreachable, Wire

UNAUTHORIZED: Final = 401
READS: Final = ("GET", "HEAD")
NOT_NOW: Final = (408, 409, 412, 423, 425, 429)
"""Refused for a while: busy, locked, out of stock, asked too often. Nothing was done."""
AnyJson = Any
STEPS: Final = (25, 50)
"""Percent of a limit that are told apart, besides the reserve."""


class Call(Struct, frozen=True):
    """One request, before it is sent."""

    method: str
    path: str
    body: AnyJson = None
    params: Mapping[str, str] | None = None

    @property
    def writes(self) -> bool:
        return self.method not in READS


class Transport:
    """JSON calls to one base address with one credential."""

    def __init__(
        self, name: str, base: str, token: str, turnstile: Turnstile | None = None, wire: Wire | None = None
    ) -> None:
        self.counted: Callable[[str, str, str], None] = lambda name, verb, outcome: None
        self.cure = ""
        """What to do about a credential that is refused."""
        self._name = name
        self._base = base.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"}
        self._turnstile = turnstile or Turnstile()
        self.fingerprint = hash_of([name, base, token])
        self.identity = hash_of([one_spelling(base), token])
        self._wire = wire or SocketWire()
        self._scrub = scrub_of(token)

    @property
    def calls(self) -> Calls | None:
        """What the vendor last said about its limit, if anything."""
        governor = self._turnstile.governor
        if not governor.limit:
            return None
        reserve, left = round(RESERVE * 100), governor.share_left * 100
        least = max(step for step in (0, reserve, *STEPS) if step <= left)
        return Calls(limit=governor.limit, left_percent=least, reserve_percent=reserve)

    async def call(
        self, method: str, path: str, body: AnyJson = None, params: Mapping[str, str] | None = None
    ) -> AnyJson:
        """The decoded answer, or one of the five errors."""
        return await self._called(Call(method, path, body, params), begun=False)

    async def follow(self, path: str) -> AnyJson:
        """How something stands that was begun: goes before what is not begun yet."""
        return await self._called(Call("GET", path), begun=True)

    async def _called(self, call: Call, *, begun: bool) -> AnyJson:
        patience = self._turnstile.patience(acting=call.writes or begun)
        errand = Errand(call.writes, URGENT.get(), begun, patience)
        sort = "write" if call.writes else "read"
        try:
            async with self._turnstile.turn(self._name, errand) as turn:
                reply = await self._wire.ask(self._asked(call))
                reply = replace(reply, body=self._scrub.body(reply.body))
                turn.answered(reply.status, reply.headers)
            self.counted(self._name, sort, f"{reply.status // 100}xx")
            if reply.good:
                return msgspec.json.decode(reply.body) if reply.body else None
        except Unreachable as error:
            raise Transient(self._scrub.text(f"{self._name} cannot be reached: {error}")) from error
        except (TimeoutError, Lost, msgspec.DecodeError, UnicodeDecodeError) as error:
            self.counted(self._name, sort, "no answer")
            what = type(error).__name__ if not str(error) else str(error)
            said = f"{self._name} gave no answer to {call.method} {call.path}: {what}"
            raise Transient(self._scrub.text(said), landed=call.writes) from error
        raise self._refusal(call, reply)

    async def close(self) -> None:
        await self._wire.close()

    def _asked(self, call: Call) -> Asked:
        body = None if call.body is None else msgspec.json.encode(call.body)
        headers = self._headers if body is None else {**self._headers, "Content-Type": "application/json"}
        return Asked(call.method, self._base + call.path, headers, body, call.params)

    def _refusal(self, call: Call, reply: Reply) -> Exception:
        code, message = _said(reply.body)
        said = self._scrub.text(message or code or "no reason given")
        text = f"{self._name} answered {reply.status} to {call.method} {call.path}: {said}"
        if reply.status == UNAUTHORIZED and self.cure:
            text = f"{text}; {self.cure}"
        return refusal(reply.status, code, text, writes=call.writes, headers=reply.headers)


def refusal(status: int, code: str, text: str, *, writes: bool, headers: Mapping[str, str]) -> Exception:
    """Which of the five an HTTP status stands for."""
    if status in (401, 403):
        return Denied(text)
    if status == 404:  # noqa: PLR2004
        return Missing(text)
    if status == 409 and code == "uniqueness_error":  # noqa: PLR2004
        return Conflict(text)
    if status in NOT_NOW:
        return Transient(text, retry_after=answered(status, headers).retry_after)
    # A server error says nothing about whether the change was made.
    return Transient(text, landed=writes) if status >= 500 else Rejected(text)  # noqa: PLR2004


def _said(raw: bytes) -> tuple[str, str]:
    try:
        error = msgspec.json.decode(raw)["error"]
        return str(error["code"]), str(error["message"])
    except (msgspec.DecodeError, KeyError, TypeError):
        return "", raw[:200].decode(errors="replace")
