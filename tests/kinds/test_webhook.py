"""A webhook reads on in the record: each event that is wanted is told once, and none of its own."""

from typing import Any

import pytest
from msgspec import convert
from msgspec.structs import replace

from setpoint.capabilities.chronicle import NOTHING_TOLD, cloud_event
from setpoint.engine.entity import AnyEntity, Declared, Entity, Ref, Scope, Status
from setpoint.engine.errors import Rejected
from setpoint.engine.plan import ABSENT
from setpoint.engine.rows import Event
from setpoint.kinds.webhook import AT_ONCE, WEBHOOK, Seen, Webhook, wants
from setpoint.pipelines.webhook_deliver import WEBHOOK_DELIVER

from .stage import Stage

SPEC = {"url": "https://hooks", "secret": "secret://events"}


def event(revision: int, what: str = "task.done", ref: str = "workspace/1") -> Event:
    return Event(
        organization="acme",
        type=what,
        ref=Ref(ref),
        scope=Scope("acme", "shop"),
        at=1_800_000_000.0,
        message="done",
        revision=revision,
    )


def webhook(facts: dict[str, Any] | None = None, **spec: Any) -> AnyEntity:
    declared = Declared(
        ref=Ref("webhook/w1"), kind="webhook", scope=Scope("acme"), name="ci", spec={**SPEC, **spec}
    )
    status = Status(ref=declared.ref, facts=facts if facts is not None else {})
    return Entity(declared, convert(declared.spec, Webhook), status)


def loop() -> Any:
    return Stage().loop("webhook")


async def test_it_begins_at_the_head_and_tells_nothing_of_the_past() -> None:
    plan = loop().plan(webhook(), Seen((), 41), 1.0)
    assert (plan.facts, plan.starts) == ({"revision": 41}, ())


async def test_each_wanted_event_becomes_a_delivery_and_the_place_moves_with_it() -> None:
    seen = Seen((event(5), event(6, "act.done"), event(7)), 7)
    plan = loop().plan(webhook({"revision": 4}, events=["task.*"]), seen, 1.0)
    assert [(start.pipeline, start.key) for start in plan.starts] == [
        ("webhook.deliver", "5"),
        ("webhook.deliver", "7"),
    ]
    assert len({start.target for start in plan.starts}) == 2
    assert plan.facts == {"revision": 7}
    assert plan.starts[0].input["event"]["id"] == "acme/5"


async def test_what_nobody_wants_moves_it_only_when_there_is_much_of_it() -> None:
    few = Seen((event(5, "act.done"),), 5)
    assert loop().plan(webhook({"revision": 4}, events=["task.*"]), few, 1.0).facts == {"revision": 4}
    many = Seen(tuple(event(5 + n, "act.done") for n in range(AT_ONCE)), 999)
    plan = loop().plan(webhook({"revision": 4}, events=["task.*"]), many, 1.0)
    assert (plan.facts, plan.again_in) == ({"revision": 4 + AT_ONCE}, 0.1)


async def test_one_that_is_off_goes_along_and_tells_nothing() -> None:
    off = webhook({"revision": 4}, enabled=False)
    assert await loop().observe(off) == Seen((), 0)
    plan = loop().plan(off, Seen((), 9), 1.0)
    assert (plan.facts, plan.starts, plan.reason) == ({"revision": 9}, (), "not enabled")


async def test_what_happens_to_webhooks_is_never_told() -> None:
    spec = convert(SPEC, Webhook)
    assert wants(spec, event(1))
    assert not wants(spec, event(1, ref="webhook/w2"))


async def test_it_looks_where_it_stopped_and_leaves_when_it_is_deleted() -> None:
    assert await loop().observe(webhook({"revision": 4})) == Seen((), 0)
    gone = webhook()
    leaving = replace(gone, declared=replace(gone.declared, deleting="asked"))
    assert await loop().observe(leaving) is None
    assert loop().plan(leaving, None, 1.0).gone
    assert await loop().look(gone, "x") is ABSENT
    with pytest.raises(Rejected, match="its deliveries are tasks"):
        await loop().act(gone, type("Act", (), {"verb": "create"}))
    assert await NOTHING_TOLD.after("acme", 0, 9) == ()


def test_an_event_is_told_in_the_words_of_cloudevents() -> None:
    assert cloud_event(event(7)) == {
        "specversion": "1.0",
        "id": "acme/7",
        "source": "/v1/organizations/acme",
        "type": "dev.setpoint.task.done.v1",
        "subject": "workspace/1",
        "time": "2027-01-15T08:00:00.000+00:00",
        "datacontenttype": "application/json",
        "data": {
            "revision": 7,
            "kind": "workspace",
            "message": "done",
            "organization": "acme",
            "project": "shop",
        },
    }


def test_a_change_of_one_says_which_version_it_is_about() -> None:
    assert WEBHOOK.exact
    assert WEBHOOK_DELIVER.steps[0].retries == 15
