"""What each seeded role allows, as a table; nobody gives out more than they have."""

import pytest

from setpoint.access.permission import VERBS, Permission, Verb, keys
from setpoint.access.role import ROLES, SEEDED, grants_of
from setpoint.access.rule import Binding
from setpoint.access.subject import Subject, approvers, subject_of
from setpoint.engine.entity import Ref, Scope
from setpoint.engine.token import Token
from setpoint.kinds import ALL, by_name

NOW = 1_000.0
ACME = Scope("acme")
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
    more = somebody(giver).exceeded_by((Binding(role=given, scope=ACME),), ALL_KEYS, NOW)
    allowed = {
        (verb, key)
        for key in ALL_KEYS
        for verb in VERBS
        if somebody(given).may(Permission(verb, key), ACME, NOW).allowed
        and not somebody(giver).may(Permission(verb, key), ACME, NOW).allowed
    }
    assert (more is not None) == bool(allowed)


def test_nobody_gives_beyond_their_own_scope() -> None:
    narrow = somebody("owner", Scope("acme", "shop"))
    assert narrow.exceeded_by((Binding(role="auditor", scope=ACME),), ALL_KEYS, NOW) is not None
    assert narrow.exceeded_by((Binding(role="auditor", scope=Scope("acme", "shop")),), ALL_KEYS, NOW) is None


def test_approvers_are_those_whose_token_holds_and_reaches_the_plan() -> None:
    def token(name: str, role: str, scope: Scope = ACME, expires_at: float = 0.0) -> Token:
        return Token(hash=name, subject=name, role=role, scope=scope, expires_at=expires_at)

    tokens = [
        token("ann", "operator"),
        token("bob", "member"),
        token("cyd", "operator", Scope("acme", "blog")),
        token("dan", "owner", expires_at=NOW),
        token("eve", "owner", Scope("other")),
    ]
    assert approvers(tokens, Scope("acme", "shop"), NOW) == {"ann"}


def test_a_subject_is_who_the_token_says() -> None:
    found = subject_of(Token(hash="ab", subject="agent web-1", role="agent", ref=Ref("agent/1")))
    assert (found.name, found.credential, found.ref) == ("agent web-1", "ab", "agent/1")
    assert set(ROLES) == {"administrator", "agent", *(role.name for role in SEEDED)}
