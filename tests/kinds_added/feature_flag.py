"""A kind in one file: a feature flag that a real loop holds in a JSON file."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Meta

from setpoint.capabilities.world import World
from setpoint.engine.entity import Entity, Shape, State
from setpoint.engine.kind import Every, Kind, On
from setpoint.engine.plan import ABSENT, Absence, Plan, Verb, diff
from setpoint.engine.rows import Act


class FeatureFlag(Shape, frozen=True):
    """One key of a file that some application reads."""

    file: Annotated[str, Meta(description="The JSON file that the application reads.", min_length=1)]
    key: Annotated[str, Meta(description="Its key in the file.", min_length=1)]
    enabled: Annotated[bool, Meta(description="Whether it is on.")] = False


@dataclass(frozen=True, slots=True)
class FlagLoop:
    """Holds one key of the file at what is declared; the other keys are nobody's business."""

    world: World
    settles_in: float = 0.0

    async def observe(self, entity: Entity[FeatureFlag]) -> dict[str, Any]:
        return _flags(entity)

    def plan(self, entity: Entity[FeatureFlag], seen: dict[str, Any], now: float) -> Plan:
        key = entity.spec.key
        wanted = {} if entity.deleting else {key: entity.spec.enabled}
        actual = {key: seen[key]} if key in seen else {}
        going = frozenset([key]) if entity.deleting == "asked" else frozenset[str]()
        actions = diff(wanted, actual, explicit=going)
        return Plan(
            actions=actions,
            state=State.PENDING if actions else State.READY,
            reason="in the file as declared" if not actions else f"the file has {seen.get(key, 'nothing')}",
            desired=len(wanted),
            actual=len(actual),
            known=frozenset(actual),
            gone=bool(entity.deleting) and not actual,
        )

    async def act(self, entity: Entity[FeatureFlag], act: Act) -> None:
        flags = _flags(entity)
        flags.pop(act.item, None)
        if act.verb is not Verb.DELETE:
            flags[act.item] = act.after
        Path(entity.spec.file).write_text(json.dumps(flags))  # noqa: ASYNC240 - a few bytes

    async def look(self, entity: Entity[FeatureFlag], item: str) -> Any | Absence:
        return _flags(entity).get(item, ABSENT)


def _flags(entity: Entity[FeatureFlag]) -> dict[str, Any]:
    file = Path(entity.spec.file)
    return dict(json.loads(file.read_text())) if file.exists() else {}


FEATURE_FLAG: Final = Kind(
    name="feature_flag",
    plural="feature_flags",
    about="A switch that an application reads from a file.",
    level="project",
    spec=FeatureFlag,
    example={"file": "/etc/shop/flags.json", "key": "new-checkout", "enabled": True},
    loop=FlagLoop,
    every=Every(5),
    on=(On("entity.config_changed"),),
    columns={"KEY": "spec.key", "ON": "spec.enabled"},
)
