"""What each kind and domain is held to, from the settings: limits, intervals, and the code we stand on."""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from msgspec import ValidationError, convert, to_builtins

from setpoint.engine.errors import Rejected
from setpoint.engine.gather import Standards
from setpoint.engine.kind import Kinds
from setpoint.engine.limits import Limits

ADAPTERS = ("kinds", "providers", "capabilities", "pipelines")
"""Where the code is that observes and acts: when it changes, the first delete waits for complete looks."""


def standards(intervals: Mapping[str, float], changed: Mapping[str, float]) -> Standards:
    """`changed`: limits other than the defaults, for all, for a kind, or for one object by its name."""
    check_limits(changed)
    return Standards(
        limits=lambda declared: limits_of(changed, declared.kind, declared.name),
        code=lambda kind: adapters(),
        every=lambda kind: intervals.get(kind, 60.0),
    )


def limits_of(changed: Mapping[str, float], kind: str = "", name: str = "") -> Limits:
    """The narrower setting wins: the object's, then the kind's, then everybody's."""
    if not changed:
        return Limits()
    found: dict[str, float] = {}
    for prefix in ("", f"{kind}.", f"{kind}/{name}."):
        known = (field for field in Limits.__struct_fields__ if prefix + field in changed)
        found |= {field: changed[prefix + field] for field in known}
    return convert(to_builtins(Limits()) | found, Limits, strict=False)


def check_limits(changed: Mapping[str, float]) -> None:
    """Rejected, naming every limit that does not exist or is out of its range."""
    wrong = []
    for key, value in changed.items():
        name = key.rpartition(".")[2]
        try:
            convert(to_builtins(Limits()) | {name: value}, Limits, strict=False)
        except ValidationError as error:
            wrong.append(f"limit {key}={value:g}: {error}")
    if wrong:
        raise Rejected("; ".join(wrong))


@cache
def adapters() -> str:
    """A fingerprint of every file that observes or acts."""
    root = Path(__file__).parent.parent
    files = sorted(path for name in ADAPTERS for path in (root / name).rglob("*.py"))
    found = hashlib.blake2b(digest_size=16)
    for path in files:
        found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def narrower(changed: Mapping[str, float]) -> dict[str, Limits]:
    """Limits of a kind, or of one object as `kind/name`, where the settings have others for it."""
    places = sorted({place for key in changed if (place := key.rpartition(".")[0])})
    return {place: limits_of(changed, *place.split("/", 1)) for place in places}


def intervals_of(kinds: Kinds, chosen: Mapping[str, float]) -> dict[str, float]:
    """Seconds between looks, for the kinds that have a loop."""
    usual = {kind.name: kind.every.seconds for kind in kinds.values() if kind.every is not None}
    return usual | {name: seconds for name, seconds in chosen.items() if name in usual}
