"""What each seeded role allows, as a table; nobody gives out more than they have."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from setpoint.access.decision import Question
from setpoint.access.difference import beyond, widest
from setpoint.access.permission import VERBS, Permission, Verb, keys
from setpoint.access.role import ROLES, SEEDED, grants_of
from setpoint.access.rule import Binding, Grant, Rule
from setpoint.access.subject import Subject, subject_of, subject_of_own
from setpoint.engine.entity import Ref, Scope
from setpoint.engine.token import Token
from setpoint.kinds import ALL, by_name

NOW = 1_000.0
ACME, SHOP = Scope("acme"), Scope("acme", "shop")
ALL_KEYS = tuple(key for key, _ in keys(by_name(ALL)))
TABLE = {
    # (verb, key): the roles that allow it, besides owner.
    ("read", "organization"): {"admin", "operator", "member", "auditor", "billing"},
    ("delete", "organization"): set(),
    ("create", "organization.project"): {"admin", "operator"},
    ("read", "project.workspace.host"): {"admin", "operator", "member", "auditor"},
    ("create", "project.workspace.host"): {"admin", "operator", "member"},
    ("update", "project.dns_zone"): {"admin", "operator", "member"},
    ("delete", "project.workspace.host"): {"admin", "operator"},
    ("execute", "organization.plan.approve"): {"admin", "operator"},
    ("execute", "organization.switch"): {"admin", "operator"},
    ("read", "organization.audit"): {"admin", "auditor"},
    ("create", "organization.token"): {"admin"},
    ("read", "organization.token"): {"admin", "auditor"},
    ("read", "catalog"): {"admin", "operator", "member", "auditor", "billing"},
    ("update", "agent.report"): set(),
}


def somebody(role: str, scope: Scope = ACME) -> Subject:
    return Subject("ann", grants_of((Binding(role=role, scope=scope),)), "hash")


def lacking(giver: Subject, given: Sequence[Grant]) -> Question | None:
    """The first that these allow and the giver may not do."""
    return next(beyond((given,), (giver.layers,), ALL_KEYS, NOW), None)


@pytest.mark.parametrize("asked", TABLE, ids=" ".join)
def test_what_each_role_allows(asked: tuple[Verb, str]) -> None:
    permission, roles = Permission(*asked), TABLE[asked]
    owners = {"owner"} if permission.key != "agent.report" else set()
    allowing = {role.name for role in SEEDED if somebody(role.name).may(permission, ACME, NOW).allowed}
    assert allowing == roles | owners


@pytest.mark.parametrize("verb", VERBS)
def test_an_agent_reports_and_nothing_else(verb: Verb) -> None:
    agent, administrator = somebody("agent", Scope()), somebody("administrator", Scope())
    for key in ALL_KEYS:
        reports = (verb, key) == ("update", "agent.report")
        assert agent.may(Permission(verb, key), ACME, NOW).allowed == reports
        assert administrator.may(Permission(verb, key), ACME, NOW).allowed == (key != "agent.report")


def test_a_role_that_nobody_knows_gives_nothing() -> None:
    assert grants_of((Binding(role="emperor"),)) == ()


@pytest.mark.parametrize("giver", [role.name for role in SEEDED])
@pytest.mark.parametrize("given", [role.name for role in SEEDED])
def test_nobody_gives_what_they_do_not_have(giver: str, given: str) -> None:
    more = lacking(somebody(giver), grants_of((Binding(role=given, scope=ACME),)))
    allowed = {
        (verb, key)
        for key in ALL_KEYS
        for verb in VERBS
        if somebody(given).may(Permission(verb, key), ACME, NOW).allowed
        and not somebody(giver).may(Permission(verb, key), ACME, NOW).allowed
    }
    assert (more is not None) == bool(allowed)


def test_nobody_gives_beyond_their_own_scope() -> None:
    narrow = somebody("owner", SHOP)
    assert lacking(narrow, somebody("auditor").grants) is not None
    assert lacking(narrow, somebody("auditor", SHOP).grants) is None


def one(scope: Scope = ACME, until: float = 0.0, **said: object) -> Grant:
    rule = {"keys": ("project.dns_zone",), "verbs": ("update",)} | said
    return Grant(Rule(**rule), Binding(role="own", scope=scope, until=until))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mine", "given", "exceeds"),
    [
        ((one(),), (one(),), False),
        ((one(SHOP),), (one(),), True),
        ((one(), one(SHOP, effect="forbid")), (one(),), True),
        ((one(), one(effect="forbid", names=("a",))), (one(),), True),
        ((one(),), (one(names=("a",)),), False),
        ((), (one(names=("a",)),), True),
        ((one(names=("a",)),), (one(names=("a", "b")),), True),
        ((one(until=NOW + 9),), (one(),), True),
        ((one(until=NOW + 9),), (one(until=NOW + 9),), False),
        ((one(),), (one(), one(effect="forbid", until=NOW + 9)), False),
        ((one(until=NOW + 5),), (one(), one(effect="forbid", until=NOW + 9)), True),
        ((), (one(until=NOW - 1),), False),
        ((), (one(SHOP, project="blog"),), False),
    ],
)
def test_neither_place_nor_object_nor_time_goes_beyond_what_the_giver_has(
    mine: tuple[Grant, ...], given: tuple[Grant, ...], exceeds: bool
) -> None:
    assert (lacking(Subject("ann", mine, "hash"), given) is not None) == exceeds


def test_the_widest_of_what_differs_says_the_rest() -> None:
    wide, narrow = somebody("member"), somebody("member", SHOP)
    found = list(beyond((wide.grants,), (((),),), ALL_KEYS, NOW))
    both = list(beyond(((*wide.grants, *narrow.grants),), (((),),), ALL_KEYS, NOW))
    assert len(both) > len(found)
    assert set(widest(both)) == set(found)


def test_a_token_of_ones_own_never_does_more_than_either() -> None:
    owner = replace(somebody("member"), account="u1")
    token = Token(hash="t", subject="laptop", role="owner", sort="personal", scope=SHOP, account="u1")
    own = subject_of_own(token, owner)
    update, delete = Permission("update", "project.dns_zone"), Permission("delete", "project.dns_zone")
    assert (own.name, own.account, own.credential) == ("ann", "u1", "t")
    assert own.may(update, SHOP, NOW).allowed
    assert not own.may(update, ACME, NOW).allowed
    assert own.may(delete, SHOP, NOW).reason == "whoever made the token: no rule allows it"
    assert own.may_somewhere(update, ACME, NOW)
    assert not own.may_somewhere(delete, ACME, NOW)
    assert not own.may_somewhere(update, Scope("acme", "blog"), NOW)
    assert lacking(own, somebody("member", SHOP).grants) is None
    assert lacking(own, somebody("operator", SHOP).grants) is not None
    lid = replace(owner, grants=(*owner.grants, one(SHOP, effect="forbid")))
    assert lid.may_somewhere(update, ACME, NOW)
    assert not subject_of_own(token, lid).may_somewhere(update, ACME, NOW)
    wide = replace(subject_of_own(token, lid), grants=lid.grants, within=somebody("member", SHOP).grants)
    assert not wide.may_somewhere(update, ACME, NOW)
    elsewhere = subject_of_own(token, replace(owner, grants=somebody("owner", Scope("acme", "blog")).grants))
    assert not elsewhere.may_somewhere(update, ACME, NOW)


def test_a_role_of_an_organizations_own_counts_in_that_organization_only() -> None:
    custom = {("acme", "dns"): (Rule(keys=("project.dns_zone",), verbs=("update",)),)}
    asked = Permission("update", "project.dns_zone")
    for organization, allowed in (("acme", True), ("other", False)):
        place = Scope(organization)
        found = Subject("ann", grants_of((Binding(role="dns", scope=place),), custom), "hash")
        assert found.may(asked, place, NOW).allowed == allowed
    assert grants_of((Binding(role="dns", scope=ACME),)) == ()


def test_a_subject_is_who_the_token_says() -> None:
    found = subject_of(Token(hash="ab", subject="agent web-1", role="agent", ref=Ref("agent/1")))
    assert (found.name, found.credential, found.ref) == ("agent web-1", "ab", "agent/1")
    assert set(ROLES) == {"administrator", "agent", "self", *(role.name for role in SEEDED)}
