"""How we recognise what we made: labels with the installation, the entity and the act that made it."""

from collections.abc import Mapping
from typing import Final

from setpoint.engine.entity import Ref
from setpoint.engine.rows import Act

PREFIX: Final = "setpoint"
INSTALLATION: Final = f"{PREFIX}/installation"
ENTITY: Final = f"{PREFIX}/entity"
ACT: Final = f"{PREFIX}/act"
PARKED: Final = f"{PREFIX}/parked-until"


def mark(installation: str, ref: Ref, act: Act | str) -> dict[str, str]:
    """The labels that say: ours, of this entity, made by this act."""
    made_by = act if isinstance(act, str) else act.id
    return {INSTALLATION: installation, ENTITY: ref.replace("/", "."), ACT: made_by}


def is_ours(labels: Mapping[str, str], installation: str, ref: Ref) -> bool:
    """Whether these labels say that we made it for this very entity."""
    return labels.get(INSTALLATION) == installation and labels.get(ENTITY) == ref.replace("/", ".")
