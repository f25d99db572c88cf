"""Something watched from the outside: probed, judged, and told about when it turns bad or good."""

import operator
from collections.abc import Callable, Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, convert

from setpoint.capabilities.probe import Probed
from setpoint.capabilities.world import World
from setpoint.engine.entity import AnyEntity, AnyJson, Entity, Shape, State
from setpoint.engine.errors import Rejected
from setpoint.engine.kind import Every, Kind, On
from setpoint.engine.plan import ABSENT, Absence, Happening, Plan, Start
from setpoint.engine.rows import Act
from setpoint.kinds.notification_channel import NotificationChannel, Severity

WELL: Final = "answers as expected"
RAISED: Final = "monitoring.alert_raised"
RESOLVED: Final = "monitoring.alert_resolved"
OPERATORS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


class Condition(Shape, frozen=True):
    """What must hold: `latency_ms < 500`, `http_status == 200`."""

    parameter: Annotated[
        Literal["latency_ms", "http_status"], Meta(description="What is measured by the probe.")
    ]
    operator: Annotated[Literal["<", "<=", ">", ">=", "==", "!="], Meta(description="How it is compared.")]
    threshold: Annotated[float, Meta(description="What it is compared with.")]


class MonitoringObject(Shape, frozen=True):
    """A target, what is expected of it, and who is told."""

    probe: Annotated[Literal["http", "tcp"], Meta(description="How it is looked at.")]
    target: Annotated[
        str, Meta(description="A URL for http, host:port for tcp.", min_length=1, max_length=2000)
    ]
    timeout_seconds: Annotated[float, Meta(description="No answer by then counts as down.", gt=0, le=30)] = (
        5.0
    )
    conditions: Annotated[
        tuple[Condition, ...], Meta(description="What must hold besides that it answers.", max_length=20)
    ] = ()
    severity: Annotated[Severity, Meta(description="How bad it is when it does not hold.")] = "critical"
    raise_after: Annotated[
        int, Meta(description="Bad probes in a row before it is an alert.", ge=1, le=100)
    ] = 2
    channels: Annotated[
        tuple[str, ...], Meta(description="Notification channels to be told, by name.", max_length=20)
    ] = ()
    depends_on: Annotated[
        tuple[str, ...],
        Meta(
            description="While one of these monitoring objects is bad, this one raises nothing.",
            max_length=20,
        ),
    ] = ()


class Seen(Struct, frozen=True):
    """One probe, and what the objects this one depends on say."""

    probed: Probed
    blocked_by: str
    channels: tuple[Entity[NotificationChannel], ...]


class MonitoringLoop(Struct, frozen=True):
    """Observe only; alerts are starts of a delivery, not acts."""

    world: World
    settles_in: float = 0.0

    async def observe(self, entity: Entity[MonitoringObject]) -> Seen | None:
        if entity.deleting:
            return None
        spec = entity.spec
        if spec.probe == "http":
            probed = await self.world.probe.http(spec.target, spec.timeout_seconds)
        else:
            host, port = spec.target.rsplit(":", 1)
            probed = await self.world.probe.tcp(host.strip("[]"), int(port), spec.timeout_seconds)
        named = [await self.world.intent.named("monitoring_object", entity.scope, n) for n in spec.depends_on]
        bad = [other.name for other in named if other is not None and _firing(other)]
        found = [
            await self.world.intent.named("notification_channel", entity.scope, n) for n in spec.channels
        ]
        return Seen(probed, bad[0] if bad else "", tuple(channel for channel in found if channel is not None))

    def plan(self, entity: Entity[MonitoringObject], seen: Seen | None, now: float) -> Plan:
        if seen is None:
            return Plan(gone=True)
        wrong = findings(entity.spec, seen.probed)
        bad_in_row = int(entity.facts.get("bad_in_row", 0)) + 1 if wrong else 0
        # Counting further would say nothing new, and every count is a write.
        facts: dict[str, AnyJson] = {"bad_in_row": min(bad_in_row, entity.spec.raise_after)}
        alert = entity.facts.get("alert")
        if alert and not wrong:
            return self._told(entity, seen, RESOLVED, facts, alert)
        if alert:
            return Plan(state=State.DEGRADED, reason=wrong, facts={**facts, "alert": alert})
        if wrong and bad_in_row >= entity.spec.raise_after and not seen.blocked_by:
            alert = {"id": f"{entity.ref[-8:]}-{int(now)}", "since": now, "what": wrong}
            return self._told(entity, seen, RAISED, {**facts, "alert": alert}, alert)
        return self._doubtful(entity, seen, wrong, facts) if wrong else Plan(reason=WELL, facts=facts)

    async def act(self, entity: AnyEntity, act: Act) -> None:
        raise Rejected(f"a monitoring object has nothing to {act.verb}")

    async def look(self, entity: AnyEntity, item: str) -> AnyJson | Absence:
        return ABSENT

    def _doubtful(
        self, entity: Entity[MonitoringObject], seen: Seen, wrong: str, facts: dict[str, AnyJson]
    ) -> Plan:
        """Bad, but not an alert: not often enough yet, or because something it depends on is bad."""
        if seen.blocked_by:
            reason = f"{wrong}; not raised, {seen.blocked_by} is bad too"
            return Plan(state=State.DEGRADED, reason=reason, facts=facts)
        often = f"{facts['bad_in_row']} of {entity.spec.raise_after} looks in a row before it is raised"
        before = entity.status.state
        state = State.PENDING if before is State.READY else before
        return Plan(state=state, reason=f"{wrong}; {often}", facts=facts, again_in=1.0)

    def _told(
        self,
        entity: Entity[MonitoringObject],
        seen: Seen,
        what: str,
        facts: dict[str, AnyJson],
        alert: dict[str, AnyJson],
    ) -> Plan:
        raised = what == RAISED
        reason = str(alert["what"]) if raised else "answers as expected again"
        body = {
            "type": what,
            "alert": alert["id"],
            "severity": entity.spec.severity,
            "object": entity.name,
            "scope": str(entity.scope),
            "message": reason,
            "since": alert["since"],
        }
        told = [c for c in seen.channels if entity.spec.severity in c.spec.severities]
        return Plan(
            state=State.DEGRADED if raised else State.READY,
            reason=reason,
            facts=facts,
            happenings=(Happening(type=what, message=reason),),
            starts=tuple(
                Start(
                    pipeline="notification.deliver",
                    target=channel.ref,
                    key=f"{alert['id']}/{what}",
                    input={"channel": channel.ref, "body": body},
                )
                for channel in told
            ),
        )


def findings(spec: MonitoringObject, probed: Probed) -> str:
    """What is wrong, in words; empty when nothing is."""
    if not probed.up:
        return f"{spec.target} is down: {probed.error}"
    measured = {"latency_ms": probed.milliseconds, "http_status": float(probed.http_status)}
    broken = [
        f"{c.parameter} is {measured[c.parameter]:.0f}, expected {c.operator} {c.threshold:g}"
        for c in spec.conditions
        if not OPERATORS[c.operator](measured[c.parameter], c.threshold)
    ]
    return "; ".join(broken)


def _firing(entity: AnyEntity) -> bool:
    return "alert" in entity.facts or int(entity.facts.get("bad_in_row", 0)) > 0


def _check(spec: Shape) -> tuple[tuple[str, str], ...]:
    checked = convert(spec, MonitoringObject, from_attributes=True)
    wrong: list[tuple[str, str]] = []
    if checked.probe == "http" and not checked.target.startswith(("http://", "https://")):
        wrong.append(("target", "an http probe needs a URL that starts with http:// or https://"))
    if checked.probe == "tcp" and not _is_host_and_port(checked.target):
        wrong.append(("target", "a tcp probe needs host:port"))
    if checked.probe == "tcp" and any(c.parameter == "http_status" for c in checked.conditions):
        wrong.append(("conditions", "a tcp probe has no http_status"))
    return tuple(wrong)


def _is_host_and_port(target: str) -> bool:
    host, _, port = target.rpartition(":")
    return bool(host) and port.isascii() and port.isdigit() and 0 < int(port) < 65536  # noqa: PLR2004


MONITORING_OBJECT: Final = Kind(
    name="monitoring_object",
    plural="monitoring_objects",
    about="Something watched from the outside, and who is told when it turns bad.",
    level="project",
    spec=MonitoringObject,
    example={
        "probe": "http",
        "target": "https://www.example.org/",
        "conditions": [{"parameter": "http_status", "operator": "==", "threshold": 200}],
        "channels": ["hooks"],
    },
    loop=MonitoringLoop,
    every=Every(60),
    on=(On("monitoring.config_changed"),),
    references={"channels": "notification_channel", "depends_on": "monitoring_object"},
    config_event="monitoring.config_changed",
    check=_check,
    columns={"PROBE": "spec.probe", "TARGET": "spec.target"},
)
