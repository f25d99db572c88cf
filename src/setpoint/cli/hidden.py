"""A secret from whoever types: not shown, not kept; or from what comes in."""

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.screen import Screen


def asked_for(screen: Screen, question: str) -> str:
    """Asked twice on a terminal, since nobody sees it; otherwise all that comes in, without its line end."""
    value = _typed(screen, question) if screen.stdin.isatty() else _read(screen)
    if not value.strip():
        raise Stop("nothing came in", Exit.USAGE, ("setpoint secret set NAME < file",))
    return value


def _read(screen: Screen) -> str:
    try:
        return screen.stdin.read().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise Stop("stdin is not UTF-8; encode it first, as base64", Exit.USAGE) from error


def _typed(screen: Screen, question: str) -> str:
    from getpass import getpass  # noqa: PLC0415 - only for those who type

    first, again = (getpass(words, screen.stderr) for words in (question, f"again, {question}"))
    if first != again:
        raise Stop("the two are not the same; nothing was changed")
    return first
