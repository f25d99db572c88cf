"""Places that somebody works at, by name: server, scope and credential, in a file that only they can read."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from setpoint.cli.exits import Exit, Stop

FIELDS: Final = ("url", "organization", "project", "workspace", "token")


@dataclass(frozen=True, slots=True)
class Context:
    """One of them. Its credential is for this server and for no other."""

    name: str
    url: str
    organization: str = ""
    project: str = ""
    workspace: str = ""
    token: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Contexts:
    """All of them, and which one is in use."""

    path: Path | None
    known: Mapping[str, Context] = field(default_factory=dict)
    current: str = ""

    def chosen(self, name: str = "") -> Context | None:
        """The one of this name, or the one in use."""
        wanted = name or self.current
        if name and name not in self.known:
            raise Stop(f"there is no context {name!r}", Exit.USAGE, ("setpoint contexts",))
        return self.known.get(wanted)

    def with_one(self, context: Context, *, use: bool = False) -> "Contexts":
        known = {**self.known, context.name: context}
        return replace(self, known=known, current=context.name if use else self.current)

    def without(self, name: str) -> "Contexts":
        known = {each: context for each, context in self.known.items() if each != name}
        return replace(self, known=known, current="" if self.current == name else self.current)

    def named_for(self, url: str) -> str:
        """What a context for this server is called: as it is already, or after its host."""
        same = [each.name for each in self.known.values() if each.url == url]
        if same:
            return self.current if self.current in same else same[0]
        parts = urlsplit(url)
        host = parts.hostname or "setpoint"
        taken = host in self.known
        return f"{host}-{parts.port}" if taken and parts.port else f"{host}-2" if taken else host

    def save(self) -> None:
        """Whole or not at all, and readable by nobody else."""
        if self.path is None:
            raise Stop("nowhere to keep contexts: set HOME or SETPOINT_CONFIG", Exit.USAGE)
        entries = {
            name: {key: value for key, value in asdict(context).items() if key in FIELDS and value}
            for name, context in sorted(self.known.items())
        }
        body = json.dumps({"current": self.current, "contexts": entries}, indent=2) + "\n"
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                file.write(body)
            draft.replace(self.path)
        except OSError as error:
            raise Stop(f"{self.path} cannot be written: {error.strerror}", Exit.FAILED) from error


def contexts_in(environment: Mapping[str, str]) -> Contexts:
    """Those of whoever runs this; none where there is no home to keep them in."""
    path = _path(environment)
    if path is None or not path.exists():
        return Contexts(path)
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        known = {
            str(name): Context(str(name), **{key: str(fields.get(key, "")) for key in FIELDS})
            for name, fields in body["contexts"].items()
        }
        return Contexts(path, known, str(body.get("current", "")))
    except (OSError, ValueError, KeyError, AttributeError) as error:
        step = f"mend it or move it away, then sign in again: {path}"
        raise Stop(f"{path} holds no contexts: {error}", Exit.USAGE, (step,)) from error


def _path(environment: Mapping[str, str]) -> Path | None:
    if said := environment.get("SETPOINT_CONFIG"):
        return Path(said)
    if folder := environment.get("XDG_CONFIG_HOME"):
        return Path(folder) / "setpoint" / "contexts.json"
    home = environment.get("HOME")
    return Path(home) / ".config" / "setpoint" / "contexts.json" if home else None
