"""`fields=spec.url,metadata.name`: only these parts of each object."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from setpoint.engine.errors import Mistake

AnyJson = Any
Path = tuple[str, ...]
MOST: Final = 50
METADATA: Final = (
    *("name", "organization", "project", "workspace", "ref", "labels", "generation"),
    *("protected", "deleting", "owner", "created_at", "changed_at", "changed_by"),
)
STATUS: Final = (
    *("state", "reason", "since", "observed_generation", "conditions", "facts", "failures", "plan"),
    *("observed_at", "next_observation_at", "stale"),
)


def read_fields(text: str, spec: Iterable[str]) -> tuple[tuple[Path, ...], tuple[Mistake, ...]]:
    """The paths, or all that is wrong with them."""
    paths = tuple(tuple(part.split(".")) for part in text.split(",") if part)
    known = {"kind": (), "metadata": METADATA, "spec": tuple(spec), "status": STATUS}
    wrong = [_mistake(f"fields names at most {MOST} of them, not {len(paths)}")] if len(paths) > MOST else []
    return paths, (*wrong, *(mistake for path in paths[:MOST] for mistake in _unknown(path, known)))


def masked(shown: Mapping[str, AnyJson], paths: Iterable[Path]) -> dict[str, AnyJson]:
    """The object with nothing but these parts; what it does not have is left out."""
    kept: dict[str, AnyJson] = {}
    for path in paths:
        _keep(kept, shown, path)
    return kept


def _keep(kept: dict[str, AnyJson], shown: AnyJson, path: Path) -> None:
    first, *rest = path
    if not isinstance(shown, Mapping) or first not in shown:
        return
    if not rest:
        kept[first] = shown[first]
    elif isinstance(shown[first], Mapping):
        inner = kept.setdefault(first, {})
        if inner is not shown[first]:  # Else the whole is kept already.
            _keep(inner, shown[first], tuple(rest))


def _unknown(path: Path, known: Mapping[str, tuple[str, ...]]) -> Iterator[Mistake]:
    """A misspelt field would be missing without a word."""
    top, *rest = path
    among = known.get(top, tuple(known))
    name = top if top not in known else rest[0] if rest else ""
    if name and name not in among:
        near = difflib.get_close_matches(name, list(among), 1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(among) or 'none below it'}"
        yield _mistake(f"fields: there is no {'.'.join(path)[:100]}", hint)


def _mistake(message: str, hint: str = "") -> Mistake:
    return Mistake(pointer="", code="bad_parameter", message=message, hint=hint)
