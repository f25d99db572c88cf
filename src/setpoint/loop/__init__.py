"""Guard a loop of your own: a class with desired, observe, put and delete, and the engine does the rest."""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from setpoint.engine.errors import Conflict, Denied, Missing, Rejected, Transient
from setpoint.engine.plan import ABSENT, UNKNOWN
from setpoint.loop.keyed import Keyed

if TYPE_CHECKING:
    from setpoint.loop.conformance import assert_loop
    from setpoint.loop.embedding import run
    from setpoint.loop.observers import http_json, prometheus, sql
    from setpoint.loop.serve import serve
    from setpoint.loop.trial import trial

_LATER = {
    "assert_loop": "conformance",
    "http_json": "observers",
    "prometheus": "observers",
    "run": "embedding",
    "serve": "serve",
    "sql": "observers",
    "trial": "trial",
}
"""Name -> the module that has it, loaded at first use: a loop file pays for nothing it does not use."""

__all__ = [
    "ABSENT",
    "UNKNOWN",
    "Conflict",
    "Denied",
    "Keyed",
    "Missing",
    "Rejected",
    "Transient",
    "assert_loop",
    "http_json",
    "prometheus",
    "run",
    "serve",
    "sql",
    "trial",
]


class _Front(ModuleType):
    """This package: the modules `trial` and `serve` do not take the place of the functions of those names."""

    def __getattr__(self, name: str) -> Any:
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module  # noqa: PLC0415

        found = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
        setattr(self, name, found)
        return found

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _LATER and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Front
