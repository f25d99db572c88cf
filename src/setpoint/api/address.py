"""Where objects of each level are found, and where long work is followed."""

from collections.abc import Mapping
from typing import Final

from setpoint.engine.kind import Level

BASES: Final[Mapping[Level, str]] = {
    "installation": "/v1",
    "organization": "/v1/organizations/{organization}",
    "project": "/v1/organizations/{organization}/projects/{project}",
    "workspace": "/v1/organizations/{organization}/projects/{project}/workspaces/{workspace}",
}
LEVELS: Final[tuple[Level, ...]] = tuple(BASES)
"""From the outermost to the innermost."""
ORGANIZATION: Final = BASES["organization"]


def operation_path(organization: str, identity: str) -> str:
    return f"/v1/organizations/{organization}/operations/{identity}"
