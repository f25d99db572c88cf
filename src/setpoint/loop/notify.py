"""Being told: a command, a webhook or an Apprise URL, when a loop needs somebody and when it is well again.

A loop that becomes HELD, DEGRADED or FAILED is told of once, and once more when it is READY again; what is
between, as PENDING, is neither. What was told, and what could not be delivered yet, is kept in a file of the
state folder: so a run from cron does not tell the same every five minutes, and what one run could not deliver
the next one does. Delivery is beside the loop, in its own time, and never in its way.
"""

import asyncio
import json
import os
import shlex
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from setpoint.engine.entity import State, Status
from setpoint.engine.errors import FAILURES, Rejected, Transient
from setpoint.loop.calls import Ask, Caller
from setpoint.loop.keyed import Keyed

FILE: Final = "notify.json"
TROUBLE: Final = frozenset({State.HELD, State.DEGRADED, State.FAILED})
SECONDS: Final = 10.0
"""How long one delivery may take."""
TRIES: Final = 8
FIRST_RETRY: Final = 5.0
LAST_RETRY: Final = 300.0
WEBHOOK: Final = ("http", "https")
EXTRA: Final = "pip install 'setpoint[notify]'"

Said = Callable[[str, Mapping[str, object]], None]
"""Told of what could not be delivered."""


class Notice(Struct, frozen=True, kw_only=True):
    """One change of one loop that somebody should know of."""

    loop: str
    state: str
    before: str
    reason: str
    at: float

    @property
    def text(self) -> str:
        if self.state == State.READY:
            return f"{self.loop} is READY again (it was {self.before}): {self.reason}"
        return f"{self.loop} is {self.state}: {self.reason}"


class Letter(Struct, frozen=True, kw_only=True):
    """A notice on its way to one target."""

    notice: Notice
    target: str
    tries: int = 0
    due: float = 0.0


class Book(Struct, frozen=True, kw_only=True):
    """What was told of each loop, and what is not delivered yet."""

    told: dict[str, str] = {}
    letters: tuple[Letter, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """Where notices go. `shown` names it without what may be secret in it; `key` is how the file knows it."""

    key: str
    shown: str
    send: Callable[[Notice], Any]


Targets = Mapping[str, tuple[Target, ...]]
"""Loop -> where its notices go."""


def notice_of(told: str, loop: str, status: Status, now: float) -> Notice | None:
    """What is to be told of a loop that was last told to be `told`; None where that is still so."""
    came = status.state in TROUBLE and status.state != told
    went = status.state is State.READY and told in TROUBLE
    if not came and not went:
        return None
    return Notice(loop=loop, state=status.state, before=told, reason=status.reason, at=now)


def noted(book: Book, notice: Notice, targets: Iterable[Target]) -> Book:
    """The book with a letter for each target; what was not delivered yet of that loop is out of date.

    Whoever did not hear of a trouble need not hear that it is over.
    """
    over = notice.state == State.READY
    stale = [letter for letter in book.letters if letter.notice.loop == notice.loop]
    unheard = {letter.target for letter in stale if over and letter.notice.state != State.READY}
    new = (Letter(notice=notice, target=target.key) for target in targets if target.key not in unheard)
    kept = (letter for letter in book.letters if letter not in stale)
    return Book(told={**book.told, notice.loop: "" if over else notice.state}, letters=(*kept, *new))


def put_off(letter: Letter, now: float) -> Letter | None:
    """The letter for its next try, twice as far away each time; None: it was tried often enough."""
    tries = letter.tries + 1
    if tries >= TRIES:
        return None
    return replace(letter, tries=tries, due=now + min(LAST_RETRY, FIRST_RETRY * 2.0 ** (tries - 1)))


def targets_of(settings: str | Sequence[str] | None) -> tuple[Target, ...]:
    """Every target that these settings name, or one Rejected that lists what is wrong with them."""
    given = (settings,) if isinstance(settings, str) else tuple(settings or ())
    found: list[Target] = []
    wrong: list[str] = []
    for each in given:
        try:
            found.append(_target(each))
        except (ValueError, ImportError) as error:
            wrong.append(str(error))
    if wrong:
        raise Rejected("; ".join(wrong))
    return tuple(found)


def targets_for(loops: Iterable[Keyed], given: Sequence[str] = (), default: str = "") -> Targets:
    """Where to tell of each loop: as `given` for this run, else as its class says, else the default."""
    usual = [line for line in default.splitlines() if line.strip()]
    return {loop.name(): targets_of(given or loop.notify or usual) for loop in loops}


class Notifier:
    """Watches how loops stand, and tells its targets of changes."""

    def __init__(self, targets: Targets, folder: Path, now: Callable[[], float], say: Said) -> None:
        self._by_loop = targets
        self._targets = {target.key: target for each in targets.values() for target in each}
        self._path, self._now, self._say = folder / FILE, now, say
        self._caller = Caller(now)
        self._book = self._read()
        self._news = asyncio.Event()

    def look(self, loop: str, status: Status) -> None:
        """Notes what is to be told of this loop; delivers nothing."""
        notice = notice_of(self._book.told.get(loop, ""), loop, status, self._now())
        if notice is not None:
            self._keep(noted(self._book, notice, self._by_loop.get(loop, ())))
            self._news.set()

    async def run(self) -> None:
        """Delivers until it is cancelled; what is left stays in the file."""
        while True:
            self._news.clear()
            await self.deliver()
            due = min((letter.due for letter in self._book.letters), default=None)
            wait = None if due is None else max(0.05, due - self._now())
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._news.wait()

    async def deliver(self) -> None:
        """Tries everything once that is due now, each target in its own time."""
        due = [letter for letter in self._book.letters if letter.due <= self._now()]
        await asyncio.gather(*(self._send(letter) for letter in due))

    def close(self) -> None:
        self._caller.close()

    async def _send(self, letter: Letter) -> None:
        target = self._targets[letter.target]
        title = f"notifying {target.shown}"
        again: Letter | None = None
        try:
            await self._caller.call(letter.target, Ask(title, target.send, (letter.notice,), SECONDS))
        except FAILURES as error:
            again = put_off(letter, self._now())
            then = f"tried again in {again.due - self._now():.0f} s" if again else "given up"
            self._say("notify", {"to": target.shown, "why": error, "of": letter.notice.text, "then": then})
        rest = tuple(each for each in self._book.letters if each != letter)
        stale = letter not in self._book.letters  # Something newer is to be told of that loop.
        self._keep(replace(self._book, letters=rest if stale or again is None else (*rest, again)))

    def _read(self) -> Book:
        """What an earlier run left; whatever cannot be read is nothing: then something is told twice."""
        try:
            book = msgspec.json.decode(self._path.read_bytes(), type=Book)
        except (OSError, msgspec.DecodeError):
            return Book()
        return replace(book, letters=tuple(each for each in book.letters if each.target in self._targets))

    def _keep(self, book: Book) -> None:
        if book == self._book:
            return
        self._book = book
        draft = self._path.with_suffix(".new")
        with suppress(OSError):  # A full disk is no reason to stop a loop.
            draft.write_bytes(msgspec.json.encode(book))
            draft.replace(self._path)


def _target(setting: str) -> Target:
    """One target, or ValueError or ImportError with words."""
    key = blake2b(setting.encode(), digest_size=8).hexdigest()
    scheme = setting.partition("://")[0].lower() if "://" in setting.split(" ", maxsplit=1)[0] else ""
    if scheme in WEBHOOK:
        host = urlsplit(setting).hostname
        if not host:
            raise ValueError(f"notify: {scheme}://… has no host")
        return Target(key, f"{scheme}://{host}/…", partial(_post, setting))
    if scheme:
        return Target(key, f"{scheme}://…", partial(_apprise, _service(setting, scheme)))
    words = shlex.split(setting)
    if not words:
        raise ValueError("notify is empty; write a command, a webhook's URL or an Apprise URL")
    return Target(key, Path(words[0]).name, partial(_command, words))


def _service(setting: str, scheme: str) -> Any:
    try:
        apprise: Any = import_module("apprise")  # Only for whoever uses it.
    except ImportError as error:
        raise ImportError(f"notify: {scheme}://… is an Apprise URL, which needs an extra: {EXTRA}") from error
    service = apprise.Apprise()
    if not service.add(setting):
        raise ValueError(f"notify: {scheme}://… is not a URL that Apprise knows")
    return service


def _apprise(service: Any, notice: Notice) -> None:
    if not service.notify(body=notice.text, title=f"setpoint: {notice.loop} is {notice.state}"):
        raise Transient("it was not delivered")


def _post(url: str, notice: Notice) -> None:
    body = json.dumps({"text": notice.text, **msgspec.to_builtins(notice)}).encode()
    headers = {"Content-Type": "application/json", "User-Agent": "setpoint"}
    request = urllib.request.Request(url, body, headers)  # noqa: S310 - http and https only
    try:
        with urllib.request.urlopen(request, timeout=SECONDS):  # noqa: S310
            return
    except urllib.error.HTTPError as error:
        error.close()
        raise Transient(f"it answered {error.code}") from None
    except urllib.error.URLError as error:
        raise Transient(f"it cannot be reached: {error.reason}") from None


async def _command(words: Sequence[str], notice: Notice) -> None:
    """Run with the text on its standard input, and each part of it in the environment; never by a shell."""
    parts = {f"SETPOINT_{name.upper()}": str(each) for name, each in msgspec.to_builtins(notice).items()}
    pipe, quiet = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    try:
        process = await asyncio.create_subprocess_exec(
            *words, stdin=pipe, stdout=quiet, stderr=quiet, env={**os.environ, **parts}
        )
    except OSError as error:
        raise Transient(f"it cannot be run: {error.strerror}") from None
    try:
        await process.communicate(f"{notice.text}\n".encode())
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode:
        raise Transient(f"it ended with {process.returncode}")
