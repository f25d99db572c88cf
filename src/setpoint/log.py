"""The log. What writes its lines is loaded with the first of them: starting does not wait for it."""

from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger

AnyField = Any
_wanted: list[TextIO] = []
"""Where lines shall go from the next one on."""


def log_to(stream: TextIO) -> None:
    """One line for what happened; where it came from without the values there, which may be secrets."""
    _wanted[:] = [stream]


class Log:
    """Lines of one part, each an event with fields."""

    def __init__(self, name: str) -> None:
        self._name = name

    def info(self, event: str, **fields: AnyField) -> None:
        self._writer().info(event, **fields)

    def warning(self, event: str, **fields: AnyField) -> None:
        self._writer().warning(event, **fields)

    def error(self, event: str, **fields: AnyField) -> None:
        self._writer().error(event, **fields)

    def exception(self, event: str, **fields: AnyField) -> None:
        """With where the error that is being handled came from."""
        self._writer().exception(event, **fields)

    def _writer(self) -> "FilteringBoundLogger":
        import structlog  # noqa: PLC0415 - see above

        if _wanted:
            _configure(_wanted.pop())
        writer: FilteringBoundLogger = structlog.get_logger(self._name)
        return writer


def _configure(stream: TextIO) -> None:
    import structlog  # noqa: PLC0415 - see above

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
