"""How we recognise what we made: labels with the installation, the entity and the act that made it."""

from collections.abc import Iterable, Mapping
from typing import Final

from setpoint.engine.entity import Ref
from setpoint.engine.plan import Action
from setpoint.engine.rows import Act

PREFIX: Final = "setpoint"
INSTALLATION: Final = f"{PREFIX}/installation"
ENTITY: Final = f"{PREFIX}/entity"
ACT: Final = f"{PREFIX}/act"
WORKSPACE: Final = f"{PREFIX}/workspace"
PARKED: Final = f"{PREFIX}/parked-until"


def mark(installation: str, ref: Ref, act: Act | str) -> dict[str, str]:
    """The labels that say: ours, of this entity, made by this act."""
    made_by = act if isinstance(act, str) else act.id
    return {INSTALLATION: installation, ENTITY: ref.replace("/", "."), ACT: made_by}


def is_ours(labels: Mapping[str, str], installation: str, ref: Ref) -> bool:
    """Whether these labels say that we made it for this very entity."""
    return labels.get(INSTALLATION) == installation and labels.get(ENTITY) == ref.replace("/", ".")


def is_marked(labels: Mapping[str, str]) -> bool:
    """Whether anybody's mark is on it: ours for another entity, or another installation's."""
    return any(name.startswith(f"{PREFIX}/") for name in labels)


def entity_in(labels: Mapping[str, str], installation: str) -> Ref | None:
    """The entity of ours that these labels say it was made for."""
    if labels.get(INSTALLATION) != installation:
        return None
    return Ref(labels.get(ENTITY, "").replace(".", "/", 1))


def made_by(labels: Mapping[str, str]) -> str:
    """The act that made it, or changed it last; empty where nobody says."""
    return labels.get(ACT, "")


def marks_of(actions: Iterable[Action], labels: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Item -> act, of what these actions destroy and what its labels say."""
    going = {action.item for action in actions if action.destructive}
    return {item: act for item in sorted(going & labels.keys()) if (act := made_by(labels[item]))}
