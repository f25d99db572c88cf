"""YAML out: what is written here reads back the same under YAML 1.1 and 1.2 alike."""

from collections.abc import Sequence
from typing import Any

import yaml

from setpoint.cli.text import harmless
from setpoint.cli.yaml_rules import RULES

AnyJson = Any


class _Writer(yaml.CSafeDumper):
    """Quotes every text that either version would take for something else."""

    def ignore_aliases(self, data: AnyJson) -> bool:
        return True


for _tag, _pattern, _first in RULES:
    _Writer.add_implicit_resolver(_tag, _pattern, _first)


def dumped(documents: Sequence[AnyJson]) -> str:
    """The documents, one after the other, keys in the order they came."""
    written = _dumped(documents, allow_unicode=True)
    # What could steer a terminal is spelt by its number, and reads back the same.
    return written if harmless(written) == written else _dumped(documents, allow_unicode=False)


def _dumped(documents: Sequence[AnyJson], *, allow_unicode: bool) -> str:
    return yaml.dump_all(
        documents,
        Dumper=_Writer,
        sort_keys=False,
        allow_unicode=allow_unicode,
        default_flow_style=False,
        explicit_start=len(documents) > 1,
        width=120,
    )
