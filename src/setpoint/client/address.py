"""Where things are: scopes, and the paths of collections and objects."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

ROOT: Final = "/v1"
LEVELS: Final = ("installation", "organization", "project", "workspace")


@dataclass(frozen=True, slots=True)
class Scope:
    """Organization, project, workspace: as much of it as is known."""

    organization: str = ""
    project: str = ""
    workspace: str = ""

    def __str__(self) -> str:
        return "/".join(part for part in (self.organization, self.project, self.workspace) if part)

    @property
    def level(self) -> str:
        if self.workspace:
            return "workspace"
        if self.project:
            return "project"
        return "organization" if self.organization else "installation"

    @property
    def path(self) -> str:
        parts = (
            ("organizations", self.organization),
            ("projects", self.project),
            ("workspaces", self.workspace),
        )
        return ROOT + "".join(f"/{plural}/{segment(name)}" for plural, name in parts if name)

    def up_to(self, level: str) -> "Scope":
        """As much of this scope as things of that level live in."""
        parts = (self.organization, self.project, self.workspace)
        return Scope(*parts[: LEVELS.index(level)])


def segment(name: str) -> str:
    """One part of a path; a slash in it stays part of the name."""
    return quote(name, safe="")


def collection(scope: Scope, plural: str) -> str:
    return f"{scope.path}/{plural}"


def object_path(scope: Scope, plural: str, name: str, verb: str = "") -> str:
    """One object, or one of its verbs as in `hosts/web-1:why`."""
    return f"{scope.path}/{plural}/{segment(name)}" + (f":{verb}" if verb else "")
