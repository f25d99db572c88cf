"""Something watched: when it is an alert, who is told, and when it is over."""

from typing import Any

import pytest

from setpoint.capabilities.probe import Probed
from setpoint.engine.entity import AnyEntity, State
from setpoint.engine.errors import Rejected
from setpoint.engine.plan import ABSENT, Plan, Verb
from setpoint.kinds.monitoring_object import MONITORING_OBJECT, MonitoringObject, Seen, findings

from .stage import Stage, entity_of

NOW = 1_000_000.0
UP = Probed(up=True, milliseconds=12.0, http_status=200)
DOWN = Probed(up=False, error="refused")
ALERT = {"id": "a-1", "since": NOW - 60, "what": "down since then"}


def watched(facts: dict[str, Any] | None = None, state: State = State.READY, **spec: Any) -> AnyEntity:
    filled = {"probe": "http", "target": "https://shop", **spec}
    return entity_of("monitoring_object", filled, {"facts": facts or {}, "state": state}, name="shop")


def channel(name: str, *severities: str) -> AnyEntity:
    spec = {"url": "https://hooks", "secret": "secret://hooks"}
    return entity_of(
        "notification_channel",
        spec | ({"severities": severities} if severities else {}),
        name=name,
        identity=name,
    )


def planned(entity: AnyEntity, probed: Probed, *channels: AnyEntity, blocked_by: str = "") -> Plan:
    return Stage().loop("monitoring_object").plan(entity, Seen(probed, blocked_by, channels), NOW)


def test_what_answers_is_well() -> None:
    plan = planned(watched(), UP)
    assert (plan.state, plan.reason, plan.facts) == (State.READY, "answers as expected", {"bad_in_row": 0})


@pytest.mark.parametrize(
    ("before", "raise_after", "raised"),
    [(0, 1, True), (0, 2, False), (1, 2, True), (1, 3, False), (2, 3, True)],
)
def test_an_alert_is_raised_after_so_many_bad_probes_in_a_row(
    before: int, raise_after: int, raised: bool
) -> None:
    plan = planned(watched({"bad_in_row": before}, raise_after=raise_after), DOWN)
    assert (plan.state is State.DEGRADED, bool(plan.happenings), "alert" in plan.facts) == (raised,) * 3
    assert plan.reason.startswith("https://shop is down: refused")
    assert plan.again_in == (None if raised else 1.0)


def test_one_good_probe_begins_the_count_anew() -> None:
    assert planned(watched({"bad_in_row": 1}, raise_after=5), UP).facts == {"bad_in_row": 0}


@pytest.mark.parametrize(
    ("before", "state"),
    [(State.READY, State.PENDING), (State.PENDING, State.PENDING), (State.DEGRADED, State.DEGRADED)],
)
def test_while_it_is_doubtful_it_is_not_ready(before: State, state: State) -> None:
    assert planned(watched(state=before, raise_after=2), DOWN).state is state


def test_an_alert_names_itself_and_is_told_to_every_channel() -> None:
    entity = watched(raise_after=1, severity="warning")
    plan = planned(entity, DOWN, channel("ops"), channel("boss", "critical"))
    [start] = plan.starts
    alert = plan.facts["alert"]
    assert (start.pipeline, start.target) == ("notification.deliver", "notification_channel/ops")
    assert start.key == f"{alert['id']}/monitoring.alert_raised"
    assert start.input["body"] == {
        "type": "monitoring.alert_raised",
        "alert": alert["id"],
        "severity": "warning",
        "object": "shop",
        "scope": "acme/shop",
        "message": "https://shop is down: refused",
        "since": NOW,
    }


@pytest.mark.parametrize(
    ("severity", "told"), [("critical", ["all", "loud"]), ("warning", ["all"]), ("info", ["all"])]
)
def test_a_channel_is_told_what_it_wants_to_hear(severity: str, told: list[str]) -> None:
    entity = watched(raise_after=1, severity=severity)
    plan = planned(entity, DOWN, channel("all"), channel("loud", "critical"))
    assert [start.target.partition("/")[2] for start in plan.starts] == told


def test_an_alert_that_goes_on_is_not_told_again() -> None:
    plan = planned(watched({"alert": ALERT, "bad_in_row": 2}), DOWN, channel("ops"))
    assert (plan.state, plan.starts, plan.happenings) == (State.DEGRADED, (), ())
    assert plan.facts == {"alert": ALERT, "bad_in_row": 2}


def test_an_alert_is_resolved_by_the_first_good_probe_and_told_under_the_same_id() -> None:
    plan = planned(watched({"alert": ALERT, "bad_in_row": 2}), UP, channel("ops"))
    [start], [happening] = plan.starts, plan.happenings
    assert (plan.state, plan.reason, "alert" in plan.facts) == (
        State.READY,
        "answers as expected again",
        False,
    )
    assert (happening.type, start.key) == ("monitoring.alert_resolved", "a-1/monitoring.alert_resolved")


def test_while_something_it_depends_on_is_bad_it_raises_nothing() -> None:
    plan = planned(watched({"bad_in_row": 9}), DOWN, channel("ops"), blocked_by="gateway")
    assert (plan.state, plan.starts, "alert" in plan.facts) == (State.DEGRADED, (), False)
    assert plan.reason == "https://shop is down: refused; not raised, gateway is bad too"


@pytest.mark.parametrize(
    ("operator", "threshold", "holds"),
    [
        ("<", 13, True),
        ("<", 12, False),
        ("<=", 12, True),
        (">", 12, False),
        (">=", 12, True),
        ("==", 12, True),
        ("!=", 12, False),
    ],
)
def test_each_comparison_means_what_it_says(operator: Any, threshold: float, holds: bool) -> None:
    condition = {"parameter": "latency_ms", "operator": operator, "threshold": threshold}
    wrong = findings(watched(conditions=[condition]).spec, UP)
    assert wrong == ("" if holds else f"latency_ms is 12, expected {operator} {threshold}")


def test_every_condition_that_does_not_hold_is_named() -> None:
    conditions = [
        {"parameter": "http_status", "operator": "==", "threshold": 204},
        {"parameter": "latency_ms", "operator": "<", "threshold": 5},
    ]
    wrong = findings(watched(conditions=conditions).spec, UP)
    assert wrong == "http_status is 200, expected == 204; latency_ms is 12, expected < 5"


def test_what_is_deleted_is_not_watched_any_more() -> None:
    assert Stage().loop("monitoring_object").plan(watched(), None, NOW).gone


async def observed(stage: Stage, **spec: Any) -> Any:
    entity = await stage.declare("monitoring_object", "shop", **spec)
    return await stage.loop("monitoring_object").observe(entity)


@pytest.mark.parametrize(
    ("spec", "asked"),
    [
        ({"probe": "http", "target": "https://shop"}, ("https://shop", 5.0)),
        ({"probe": "tcp", "target": "db:5432", "timeout_seconds": 1.0}, ("db", 5432, 1.0)),
        ({"probe": "tcp", "target": "[2001:db8::1]:22"}, ("2001:db8::1", 22, 5.0)),
    ],
    ids=["http", "tcp", "tcp over IPv6"],
)
async def test_it_is_probed_as_declared(stage: Stage, spec: dict[str, Any], asked: tuple[Any, ...]) -> None:
    seen = await observed(stage, **spec)
    assert (stage.probe.asked, seen.probed) == ([asked], stage.probe.answer)


@pytest.mark.parametrize(
    ("facts", "blocked"),
    [({"bad_in_row": 0}, ""), ({"bad_in_row": 1}, "gateway"), ({"alert": {}}, "gateway")],
)
async def test_what_it_depends_on_is_asked(stage: Stage, facts: dict[str, Any], blocked: str) -> None:
    gateway = await stage.declare("monitoring_object", "gateway", probe="tcp", target="gw:1")
    await stage.say(gateway, facts=facts)
    seen = await observed(stage, probe="tcp", target="db:1", depends_on=["gateway"])
    assert seen.blocked_by == blocked


async def test_its_channels_are_found_by_name(stage: Stage) -> None:
    await stage.declare("notification_channel", "hooks", url="https://hooks", secret="secret://hooks")  # noqa: S106
    seen = await observed(stage, probe="tcp", target="db:1", channels=["hooks"])
    assert [found.name for found in seen.channels] == ["hooks"]


async def test_what_is_leaving_is_not_probed(stage: Stage) -> None:
    leaving = entity_of("monitoring_object", deleting="asked")
    assert await stage.loop("monitoring_object").observe(leaving) is None
    assert stage.probe.asked == []


async def test_a_monitoring_object_changes_nothing(stage: Stage) -> None:
    with pytest.raises(Rejected, match="a monitoring object has nothing to update"):
        await stage.act(watched(), Verb.UPDATE, "it")
    assert await stage.loop("monitoring_object").look(watched(), "it") is ABSENT


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ({"probe": "http", "target": "https://shop"}, []),
        ({"probe": "http", "target": "shop"}, ["target"]),
        ({"probe": "tcp", "target": "db:5432"}, []),
        ({"probe": "tcp", "target": "db"}, ["target"]),
        ({"probe": "tcp", "target": "db:0"}, ["target"]),
        ({"probe": "tcp", "target": "db:65536"}, ["target"]),
        ({"probe": "tcp", "target": ":22"}, ["target"]),
        (
            {
                "probe": "tcp",
                "target": "db:1",
                "conditions": [{"parameter": "http_status", "operator": "==", "threshold": 200}],
            },
            ["conditions"],
        ),
    ],
    ids=lambda value: str(value.get("target", "")) if isinstance(value, dict) else "",
)
def test_what_the_schema_cannot_say_is_checked(spec: dict[str, Any], wrong: list[str]) -> None:
    assert MONITORING_OBJECT.check is not None
    entity = entity_of("monitoring_object", spec)
    assert isinstance(entity.spec, MonitoringObject)
    assert [field for field, _ in MONITORING_OBJECT.check(entity.spec)] == wrong
