"""The log: how its lines look, and what a drive tells there."""

from collections.abc import Mapping
from typing import TextIO

import structlog

from setpoint.drive.drive import Told


def log_to(stream: TextIO) -> None:
    """One line for what happened; where it came from without the values there, which may be secrets."""
    lines = structlog.dev.ConsoleRenderer(
        colors=stream.isatty(), exception_formatter=structlog.dev.plain_traceback
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            lines,
        ],
        logger_factory=structlog.PrintLoggerFactory(stream),
    )


def logged(name: str) -> Told:
    """What a drive tells, in the log: an error that nobody expected with where it came from."""
    log = structlog.get_logger(name)

    def told(event: str, fields: Mapping[str, object]) -> None:
        error = fields.get("error")
        rest = {field: value for field, value in fields.items() if field != "error"}
        if error is None:
            log.info(event, **rest)
        else:
            log.error(event, exc_info=error, **rest)

    return told
