"""What a drive and what libraries tell, in the log."""

import logging
from collections.abc import Mapping

from setpoint.drive.drive import Told
from setpoint.log import Log


class Libraries(logging.Handler):
    """What libraries log is written as lines of ours: left to themselves they would write any character."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        more = {"exc_info": error} if error is not None else {}
        tell = Log(record.name).error if record.levelno >= logging.ERROR else Log(record.name).warning
        tell(record.getMessage().strip(), logger=record.name, **more)


def hear_libraries() -> None:
    """From now on warnings and errors of libraries are in the log."""
    logging.getLogger().addHandler(Libraries(logging.WARNING))


def logged(name: str) -> Told:
    """What a drive tells, in the log: an error that nobody expected with where it came from."""
    log = Log(name)

    def told(event: str, fields: Mapping[str, object]) -> None:
        error = fields.get("error")
        rest = {field: value for field, value in fields.items() if field != "error"}
        if error is None:
            log.info(event, **rest)
        else:
            log.error(event, exc_info=error, **rest)

    return told
