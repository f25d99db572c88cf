"""Whether a command line is one of ours, asked of the program's own parser: nothing is started."""

import argparse
import contextlib
import io
from collections.abc import Sequence
from unittest.mock import patch

from setpoint.__main__ import LOCAL
from setpoint.local import run


class Parsed(Exception):
    """The parser has taken it all."""


def parses(arguments: Sequence[str]) -> bool:
    """By the parser of the verb itself; stopped as soon as it is through."""
    verb, *rest = arguments
    if verb not in LOCAL:
        return False
    real = argparse.ArgumentParser.parse_args

    def parse(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        real(self, args, namespace)
        raise Parsed

    with (
        patch.object(argparse.ArgumentParser, "parse_args", parse),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        try:
            run(verb, rest, {})
        except Parsed:
            return True
        except SystemExit:
            return False
    return False
