"""What carries our mark and is newer than our database: listed, so that it can be adopted; never deleted."""

from typing import Any

import pytest
from msgspec.structs import replace

from setpoint.capabilities.dns import RecordSet, Zone
from setpoint.capabilities.mark import mark
from setpoint.engine.entity import AnyEntity, Ref, State
from setpoint.engine.plan import Plan, Verb
from setpoint.engine.rows import ActState
from setpoint.kinds.dns_record import orphan
from setpoint.kinds.make import host_of, server_name
from setpoint.kinds.orphan import LISTED, Orphan, listed, orphans_in

from .fake_cloud import FakeCloud
from .stage import ANN, HERE, SHOP, Stage, act_of, entity_of, ours

LOST = "lost-act"


def called(name: str, ref: str, **spec: str) -> str:
    """What we would call a server of this host."""
    identity = ref.partition("/")[2]
    return server_name(entity_of("host", {"provider": "hetzner", **spec}, name=name, identity=identity))


def stand(stage: Stage, name: str, ref: str, act: str = LOST, **more: Any) -> None:
    """A server of ours for this host."""
    labels = mark(HERE, Ref(ref), act) | {"setpoint/workspace": "shop.prod"}
    stage.cloud.put_server(called(name, ref), labels, **more)


async def planned(stage: Stage, kind: str, entity: AnyEntity) -> Plan:
    loop = stage.loop(kind)
    return loop.plan(entity, await loop.observe(entity), stage.runtime.now())


async def account(stage: Stage) -> Plan:
    found = await stage.intent.named("provider", SHOP, "hetzner")
    assert found is not None
    return await planned(stage, "provider", found)


async def test_servers_of_ours_that_nobody_declares_are_listed_with_what_it_takes_to_declare_them(
    stage: Stage,
) -> None:
    for number in range(5):
        stand(stage, f"web-{number}", f"host/zzabc{number:03d}", size="cx32")
    plan = await account(stage)
    assert (plan.state, plan.actions) == (State.DEGRADED, ())
    assert plan.reason == (
        "5 servers carry our mark and are not declared here: web-0, web-1, web-2 and 2 more; "
        "adopt them: setpoint adopt provider hetzner"
    )
    assert plan.facts["unknown"][0] == {
        "kind": "host",
        "name": "web-0",
        "spec": {
            "provider": "hetzner",
            "agent": False,
            "size": "cx32",
            "image": "debian-12",
            "location": "fsn1",
        },
        "act": LOST,
        "item": "server",
        "ref": "host/zzabc000",
        "project": "shop",
        "workspace": "prod",
    }


async def test_what_is_declared_or_known_to_the_journal_or_not_ours_is_not_listed(stage: Stage) -> None:
    host = await stage.declare("host", "web-1", provider="hetzner")
    stage.cloud.put_server("declared", ours(host))
    made = act_of(host, Verb.CREATE, "server")
    await stage.put(made)
    stand(stage, "web-2", "host/zzabc002", act=made.id)
    stage.cloud.put_server("stranger", {})
    stage.cloud.put_server("another", mark("installation-2", Ref("host/zzabc003"), LOST))
    stage.cloud.put_server("unmarked", {"setpoint/installation": HERE})
    plan = await account(stage)
    assert (plan.state, "unknown" in plan.facts) == (State.READY, False)


async def test_of_two_servers_of_one_host_the_later_one_says_what_it_is(stage: Stage) -> None:
    stand(stage, "web-1", "host/zzabc001", size="cx22")
    stage.cloud.put_server(
        called("web-1", "host/zzabc001", image="ubuntu"),
        mark(HERE, Ref("host/zzabc001"), "later"),
        image="ubuntu",
        size="cx42",
    )
    [found] = orphans_in((await account(stage)).facts)
    assert (found.act, found.spec["size"], found.spec["image"]) == ("later", "cx42", "ubuntu")


async def test_one_that_has_not_the_name_we_give_is_listed_but_cannot_be_declared(stage: Stage) -> None:
    stage.cloud.put_server("renamed", mark(HERE, Ref("host/zzabc001"), LOST))
    [found] = orphans_in((await account(stage)).facts)
    assert (found.name, found.spec, found.project, found.workspace) == ("renamed", None, "", "")


def test_a_host_is_recognised_by_the_name_of_its_server() -> None:
    ref, cloud = Ref("host/zzabc123"), FakeCloud()
    good = cloud.put_server(called("web-1", ref), {})
    assert host_of(ref, good) == "web-1"
    assert host_of(Ref("host/zzabc124"), good) == ""
    assert host_of(ref, cloud.put_server("web-1", {})) == ""


async def zone_with(stage: Stage, *records: RecordSet) -> AnyEntity:
    zone = await stage.declare("dns_zone", "example-org", provider="hetzner", domain="example.org")
    stage.cloud.zones["example.org"] = Zone(id="1", name="example.org", labels=ours(zone))
    for record in records:
        found = RecordSet(
            name=record.name,
            type=record.type,
            values=record.values,
            ttl=300,
            labels=mark(HERE, zone.ref, LOST),
        )
        stage.cloud.sets["example.org", record.name, record.type] = found
    return zone


async def test_records_of_ours_from_lost_acts_are_listed_and_their_deletes_carry_the_marks(
    stage: Stage,
) -> None:
    zone = await zone_with(
        stage,
        RecordSet(name="www", type="A", values=("192.0.2.1",)),
        RecordSet(name="@", type="TXT", values=("hi",)),
    )
    plan = await planned(stage, "dns_zone", zone)
    found = orphans_in(plan.facts)
    assert [(each.name, each.item, each.act, each.ref) for each in found] == [
        ("example-org-www-a", "www/A", LOST, None),
        ("example-org-apex-txt", "@/TXT", LOST, None),
    ]
    assert found[0].spec == {
        "zone": "example-org",
        "name": "www",
        "type": "A",
        "values": ["192.0.2.1"],
        "ttl": 300,
    }
    assert plan.marks == {"www/A": LOST, "@/TXT": LOST}
    assert {action.verb for action in plan.actions} == {Verb.DELETE}


async def test_records_of_acts_that_are_known_are_only_deleted(stage: Stage) -> None:
    zone = await zone_with(stage, RecordSet(name="www", type="A", values=("192.0.2.1",)))
    act = act_of(zone, Verb.CREATE, "www/A")
    await stage.put(replace(act, id=LOST, state=ActState.DONE))
    plan = await planned(stage, "dns_zone", zone)
    assert ("unknown" in plan.facts, plan.marks) == (False, {"www/A": LOST})


async def test_where_nothing_is_destroyed_there_are_no_marks(stage: Stage) -> None:
    zone = await zone_with(stage, RecordSet(name="www", type="A", values=("192.0.2.1",)))
    spec = {"zone": "example-org", "name": "www", "type": "A", "values": ["192.0.2.1"], "ttl": 300}
    await stage.declare("dns_record", "www", **spec)
    plan = await planned(stage, "dns_zone", zone)
    assert (plan.marks, plan.actions, "unknown" in plan.facts) == ({}, (), False)


async def test_a_host_that_goes_carries_the_mark_of_its_server(stage: Stage) -> None:
    host = await stage.declare("host", "web-1", provider="hetzner")
    stage.cloud.put_server(called("web-1", host.ref), mark(HERE, host.ref, LOST))
    await stage.declarer.delete(host.ref, ANN)
    plan = await planned(stage, "host", await stage.entity(host.ref))
    assert ([action.verb for action in plan.actions], plan.marks) == ([Verb.PARK], {"server": LOST})


@pytest.mark.parametrize(
    ("name", "kind", "wanted"),
    [
        ("www", "A", "shop-www-a"),
        ("*", "CNAME", "shop-any-cname"),
        ("_dmarc", "TXT", "shop-_dmarc-txt"),
        ("a.b", "AAAA", "shop-a.b-aaaa"),
    ],
)
def test_a_record_is_called_after_its_place(name: str, kind: str, wanted: str) -> None:
    assert orphan("shop", RecordSet(name=name, type=kind, values=("x",))).name == wanted


def test_a_place_that_is_too_long_for_a_name_gets_a_short_one() -> None:
    found = orphan("shop", RecordSet(name="x" * 60, type="A", values=("x",)))
    assert found.name.startswith("record-")
    assert len(found.name) <= 63


def test_a_status_lists_only_so_many() -> None:
    one = Orphan(kind="host", name="a", spec=None, act="x", item="server")
    assert len(listed([one] * (LISTED + 7))["unknown"]) == LISTED
    assert listed([]) == {}
