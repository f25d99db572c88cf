"""What is paused above a list: said beside it, because nothing in it will move."""

from collections.abc import Mapping
from typing import Any, Final

from setpoint.cli.session import Session
from setpoint.cli.text import clean, duration
from setpoint.client.errors import Refused, Unreachable
from setpoint.client.resource import seconds_of
from setpoint.system import now

AnyJson = Any
HOLDING: Final[Mapping[str, str]] = {
    "stop": "nothing is done",
    "observe": "nothing is changed",
    "no-deletes": "nothing is deleted",
}


def tell_paused(session: Session) -> None:
    """One sentence for each switch above what was listed, and how to lift it. Never a failure of the list."""
    try:
        switches = session.client.switches()
    except (Refused, Unreachable):
        return
    for switch in switches:
        if _is_above(session, str(switch["key"])):
            session.screen.explain(f"! {_sentence(switch)}", indent=2)
            session.screen.say(f"  next: setpoint resume {selector(str(switch['key']))}")


def selector(key: str, names: Mapping[str, str] | None = None) -> str:
    """How the command line names a switch; `names` are those of objects, by ref."""
    level, _, name = key.partition(":")
    return (names or {}).get(name, name) if level == "domain" else f"--{level} {name}".strip()


def _is_above(session: Session, key: str) -> bool:
    level, _, name = key.partition(":")
    here = session.given.organization or str(session.__dict__.get("organization", ""))
    return level in ("all", "kind") or (level == "scope" and name.partition("/")[0] == here)


def _sentence(switch: Mapping[str, AnyJson]) -> str:
    level, _, name = str(switch["key"]).partition(":")
    what = {"all": "Everything", "kind": f"Every {name}"}.get(level, name)
    since, mode = seconds_of(switch.get("since")), str(switch.get("mode"))
    age = f" for {duration(now() - since)}" if since is not None else ""
    told = f"{what} has been paused ({mode}){age} by {switch.get('by')}: {switch.get('reason')}"
    return clean(f"{told}; {HOLDING.get(mode, 'something is withheld')}.")
