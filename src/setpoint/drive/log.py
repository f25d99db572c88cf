"""What a drive tells, in the log."""

from collections.abc import Mapping

from setpoint.drive.drive import Told
from setpoint.log import Log


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
