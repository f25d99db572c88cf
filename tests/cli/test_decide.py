"""Decisions of people: approve exactly what was shown, pause and resume, delete by typing the name."""

import pytest

from client.scripted import Told

from .conftest import Shell
from .fake import FakeApi, thing

PLAN = {
    "id": "p7",
    "kind": "dns_zone",
    "name": "shop",
    "state": "held",
    "digest": "d1",
    "actions": [
        {"verb": "create", "item": "new/A", "after": {"values": ["192.0.2.1"]}},
        *({"verb": "delete", "item": f"old-{n}/A", "before": {"values": ["192.0.2.9"]}} for n in range(40)),
    ],
    "holds": [{"guard": "delete_budget", "message": "40 deletes of 50"}],
}
PLANS = "/v1/organizations/acme/plans"


@pytest.fixture(autouse=True)
def held(api: FakeApi) -> None:
    api.objects.append(thing("host", "web-1"))
    api.answers["GET", f"{PLANS}/p7"] = Told(body=PLAN)
    decided = {**PLAN, "state": "approved", "decided_by": "administrator"}
    api.answers["POST", f"{PLANS}/p7:approve"] = Told(body=decided)
    api.answers["POST", f"{PLANS}/p7:reject"] = Told(body={**decided, "state": "rejected"})


def sent(api: FakeApi, method: str) -> list[tuple[str, object]]:
    return [(asked.path, asked.body) for asked in api.asked if asked.method == method]


def test_approving_shows_every_destructive_item_and_sends_its_digest(setpoint: Shell, api: FakeApi) -> None:
    found = setpoint("approve", "p7", "--reason", "closed", stdin="y\n", terminal=True, NO_COLOR="1")
    assert [line for line in found.err.splitlines() if "- dns_zone shop old-" in line] != []
    assert found.err.count("- dns_zone shop old-") == 40
    assert "new/A" not in found.err
    assert "Approve exactly these 40 destructive items in acme" in found.err
    assert sent(api, "POST") == [(f"{PLANS}/p7:approve", {"reason": "closed", "digest": "d1"})]
    assert (found.code, found.out.splitlines()[-1]) == (
        0,
        "plan p7 for dns_zone shop is approved by administrator",
    )


@pytest.mark.parametrize("asks", [{"asked": ["old-1/A", "old-2/A"]}, {}])
def test_items_that_a_plan_does_not_ask_about_are_all_named(
    setpoint: Shell, api: FakeApi, asks: dict[str, object]
) -> None:
    api.answers["GET", f"{PLANS}/p7"] = Told(body={**PLAN, **asks})
    only = ("--only", "old-1/A", "--only", "old-99/A", "--only", "shop/A")
    found = setpoint("approve", "p7", "--reason", "x", "--yes", *only)
    assert (found.code, sent(api, "POST")) == (2, [])
    assert "does not ask about old-99/A, shop/A; nothing was approved" in found.err
    assert "setpoint describe plan p7" in found.err
    good = setpoint("approve", "p7", "--reason", "x", "--yes", *only[:2])
    assert (good.code, sent(api, "POST")[0][1]) == (0, {"reason": "x", "digest": "d1", "items": ["old-1/A"]})


def test_a_no_approves_nothing(setpoint: Shell, api: FakeApi) -> None:
    assert setpoint("approve", "p7", "--reason", "x", stdin="\n", terminal=True).code == 4
    assert sent(api, "POST") == []


def test_a_plan_that_is_not_held_cannot_be_approved(setpoint: Shell, api: FakeApi) -> None:
    api.answers["GET", f"{PLANS}/p7"] = Told(body={**PLAN, "state": "stale"})
    found = setpoint("approve", "p7", "--reason", "x", "--yes")
    assert (found.code, "plan p7 is stale" in found.err, sent(api, "POST")) == (1, True, [])


def test_rejecting_needs_no_question(setpoint: Shell, api: FakeApi) -> None:
    assert setpoint("reject", "p7", "--reason", "empty by mistake").code == 0
    assert sent(api, "POST") == [(f"{PLANS}/p7:reject", {"reason": "empty by mistake"})]


@pytest.mark.parametrize(
    ("flags", "key"),
    [(("--all",), "all"), (("--kind", "hosts"), "kind:host"), (("--scope", "acme/shop"), "scope:acme/shop")],
)
def test_a_switch_is_set_and_cleared_by_its_key(
    setpoint: Shell, api: FakeApi, flags: tuple[str, ...], key: str
) -> None:
    assert setpoint("pause", *flags, "--reason", "odd", "--mode", "observe").code == 0
    assert setpoint("resume", *flags).code == 0
    assert sent(api, "PUT") == [(f"/v1/switches/{key}", {"mode": "observe", "reason": "odd"})]
    assert sent(api, "DELETE") == [(f"/v1/switches/{key}", None)]


def test_one_object_is_paused_at_its_own_address(setpoint: Shell, api: FakeApi) -> None:
    setpoint("pause", "host/web-1", "--reason", "by hand")
    setpoint("resume", "host", "web-1")
    host = "/v1/organizations/acme/projects/shop/workspaces/prod/hosts/web-1"
    assert sent(api, "POST") == [
        (f"{host}:pause", {"mode": "stop", "reason": "by hand"}),
        (f"{host}:resume", {}),
    ]


def test_pausing_shows_what_is_paused_by_name(setpoint: Shell, api: FakeApi) -> None:
    switches = [
        {"key": "domain:host/web-1-id", "mode": "stop", "by": "me", "reason": "by hand", "since": None},
        {"key": "all", "mode": "observe", "by": "me", "reason": "odd", "since": None},
    ]
    api.lists["switches"] = switches
    assert [line.split()[0] for line in setpoint("pause").out.splitlines()] == ["PAUSED", "host/web-1", "all"]
    ambiguous = setpoint("resume")
    assert (ambiguous.code, "say what to resume" in ambiguous.err) == (2, True)
    assert "  next: setpoint resume host/web-1\n  next: setpoint resume --all\n" in ambiguous.err
    assert setpoint("pause", "--list").out == setpoint("pause").out


def test_resuming_the_only_thing_that_is_paused_needs_no_words(setpoint: Shell, api: FakeApi) -> None:
    api.lists["switches"] = [{"key": "all", "mode": "stop"}]

    def lifted(asked: object) -> Told:
        api.lists["switches"] = []
        return Told(body={"key": "all", "mode": "run"})

    api.answers["DELETE", "/v1/switches/all"] = lifted
    found = setpoint("resume")
    assert (found.code, found.out, found.err) == (0, "Resumed: all.\n", "")
    assert sent(api, "DELETE") == [("/v1/switches/all", None)]


@pytest.mark.parametrize(
    ("words", "says"),
    [((), "Nothing is paused."), (("--all",), "all was not paused."), (("host", "web-1"), "was not paused.")],
)
def test_resuming_what_is_not_paused_is_no_failure(
    setpoint: Shell, api: FakeApi, words: tuple[str, ...], says: str
) -> None:
    missing = Told(404, {"detail": "no switch is set at all", "code": "not_found"})
    api.answers["DELETE", "/v1/switches/all"] = missing
    host = "/v1/organizations/acme/projects/shop/workspaces/prod/hosts/web-1"
    api.answers["POST", f"{host}:resume"] = missing
    found = setpoint("resume", *words)
    assert found.code == 0, found
    assert says in found.out


def test_lists_say_what_is_paused_above_them(setpoint: Shell, api: FakeApi) -> None:
    api.lists["switches"] = [
        {"key": "all", "mode": "stop", "by": "ann", "reason": "something is off", "since": None},
        {"key": "scope:acme/shop", "mode": "observe", "by": "ann", "reason": "audit", "since": None},
        {"key": "scope:other", "mode": "observe", "by": "eve", "reason": "theirs", "since": None},
        {"key": "domain:host/web-1-id", "mode": "stop", "by": "ann", "reason": "one", "since": None},
    ]
    for words in (("get", "all"), ("get", "hosts"), ("loops",), ("tasks",), ("plan",)):
        found = setpoint(*words, "-O", "acme")
        assert "! Everything has been paused (stop) by ann: something is off; nothing is done." in found.err
        assert "  next: setpoint resume --all\n" in found.err
        assert "setpoint resume --scope acme/shop\n" in found.err
        assert "theirs" not in found.err
        assert "! Everything" not in found.out
    assert "Everything" not in setpoint("get", "all", "-o", "json").err


def test_deleting_takes_the_typed_name(setpoint: Shell, api: FakeApi) -> None:
    assert setpoint("delete", "host", "web-1", stdin="y\n", terminal=True).code == 3
    assert sent(api, "DELETE") == []
    found = setpoint("delete", "host", "web-1", stdin="web-1\n", terminal=True)
    assert found.code == 0
    assert "Type web-1 to go on" in found.err
    assert len(sent(api, "DELETE")) == 1


def test_deleting_with_wait_stays_until_it_is_gone(setpoint: Shell, api: FakeApi) -> None:
    found = setpoint("delete", "host/web-1", "--yes", "--wait", "--cascade", "--timeout", "5")
    assert (found.code, "host web-1 is gone" in found.out) == (0, True)
    assert api.asked[-1].query == {"cascade": "true"} or any(a.query.get("cascade") for a in api.asked)
