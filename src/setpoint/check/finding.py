"""What a check found: a level, a sentence with the numbers, and the cure as a command or a setting."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from setpoint.settings import Settings, address_of


class Level(StrEnum):
    """How bad it is; only FAIL makes the command fail."""

    OK = "ok"
    WARN = "warn"
    FAIL = "FAIL"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    name: str
    level: Level
    said: str
    cure: str = ""


@dataclass(frozen=True, slots=True)
class Site:
    """What is checked: the settings a service would be started with, and where the running one answers."""

    settings: Settings
    environment: Mapping[str, str]
    token: str = field(repr=False)
    now: Callable[[], float]
    monotonic: Callable[[], float]
    given: str = ""
    """Where the running one answers, if somebody said so."""

    @property
    def folder(self) -> Path:
        return Path(self.settings.data)

    @property
    def url(self) -> str:
        """Where the API answers somebody on this machine."""
        return self.given.rstrip("/") or address_of(self.settings.host, self.settings.port)


def ok(name: str, said: str) -> Finding:
    return Finding(name, Level.OK, said)


def warn(name: str, said: str, cure: str) -> Finding:
    return Finding(name, Level.WARN, said, cure)


def fail(name: str, said: str, cure: str) -> Finding:
    return Finding(name, Level.FAIL, said, cure)


def masked(url: str) -> str:
    """The address without what opens it."""
    parts = urlsplit(url)
    login, at, host = parts.netloc.rpartition("@")
    user, colon, _ = login.partition(":")
    query = "&".join(
        "password=***" if pair.startswith("password=") else pair for pair in parts.query.split("&")
    )
    return urlunsplit(parts._replace(netloc=f"{user}{':***' if colon else ''}{at}{host}", query=query))


def without(text: str, url: str) -> str:
    """Somebody else's words about an address, without its password; libraries quote what they were given."""
    kept = text.replace(url, masked(url))
    password = urlsplit(url).netloc.rpartition("@")[0].partition(":")[2]
    for secret in filter(None, (password, unquote(password))):
        kept = kept.replace(secret, "***")
    return kept
