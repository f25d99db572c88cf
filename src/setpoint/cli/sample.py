"""An example of a kind as a file that could be applied."""

from typing import Any

from setpoint.cli.redact import redacted
from setpoint.cli.yaml_writer import dumped
from setpoint.client.address import LEVELS, Scope
from setpoint.client.resource import Kind

AnyJson = Any


def declaration(kind: Kind, scope: Scope) -> str:
    """YAML, with the scope as far as it is known and names to replace where it is not."""
    known = {"organization": scope.organization, "project": scope.project, "workspace": scope.workspace}
    needed = LEVELS[1 : LEVELS.index(kind.level) + 1]
    metadata = {"name": "example", **{level: known[level] or f"my-{level}" for level in needed}}
    body: dict[str, AnyJson] = {"kind": kind.name, "metadata": metadata, "spec": redacted(dict(kind.example))}
    return dumped([body])
