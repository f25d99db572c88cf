"""Deny by default, a forbid wins over every allow, and a rule reaches as far as its binding."""

from random import Random

import pytest

from access.reference import permitted
from setpoint.access.decision import Question, considered, decide, everywhere, reached
from setpoint.access.permission import VERBS, Permission
from setpoint.access.rule import Binding, Grant, Rule, matches
from setpoint.engine.entity import Scope

NOW = 1_000.0
ACME, SHOP, PROD = Scope("acme"), Scope("acme", "shop"), Scope("acme", "shop", "prod")
HOST = Permission("delete", "project.workspace.host")


def grant(scope: Scope = ACME, until: float = 0.0, **rule: object) -> Grant:
    said = {"keys": ("project.*",), "verbs": ("delete",)} | rule
    return Grant(Rule(**said), Binding(role="some", scope=scope, until=until))  # type: ignore[arg-type]


def may(*grants: Grant, scope: Scope = PROD, name: str = "web-1", permission: Permission = HOST) -> bool:
    return decide(grants, Question(permission, scope, name), NOW).allowed


def test_nothing_is_allowed_that_no_rule_allows() -> None:
    said = decide((), Question(HOST, PROD), NOW)
    assert (said.allowed, said.by, said.reason) == (False, None, "no rule allows it")
    assert not may(grant(verbs=("read",)))
    assert not may(grant(keys=("organization.*",)))


def test_a_forbid_wins_wherever_it_stands() -> None:
    allow, forbid = grant(), grant(effect="forbid")
    assert may(allow)
    assert not may(allow, forbid)
    assert not may(forbid, allow)
    assert decide((allow, forbid), Question(HOST, PROD), NOW).by == forbid


@pytest.mark.parametrize(
    ("bound", "rule", "asked", "reaches"),
    [
        (Scope(), {}, PROD, True),
        (ACME, {}, PROD, True),
        (SHOP, {}, PROD, True),
        (PROD, {}, PROD, True),
        (PROD, {}, SHOP, False),
        (SHOP, {}, Scope("acme", "blog", "prod"), False),
        (SHOP, {}, Scope("other", "shop", "prod"), False),
        (ACME, {"project": "shop"}, PROD, True),
        (ACME, {"project": "shop"}, Scope("acme", "blog"), False),
        (ACME, {"project": "shop", "workspace": "prod"}, Scope("acme", "shop", "test"), False),
        (SHOP, {"project": "blog"}, Scope("acme", "blog"), False),
        (SHOP, {"project": "blog"}, PROD, False),
    ],
)
def test_a_rule_reaches_as_far_as_it_and_its_binding_do(
    bound: Scope, rule: dict[str, str], asked: Scope, reaches: bool
) -> None:
    assert may(grant(bound, **rule), scope=asked) == reaches


def test_single_objects_are_named_and_a_question_without_a_name_is_about_all() -> None:
    one = grant(names=("web-1",))
    assert may(one)
    assert not may(one, name="web-2")
    assert not may(one, name="")


def test_what_has_run_out_gives_nothing_and_forbids_nothing() -> None:
    assert may(grant(until=NOW + 1))
    assert not may(grant(until=NOW))
    assert not may(grant(scope=ACME, until=0.0, keys=("project.*",)), permission=Permission("read", "x"))
    ended = Grant(Rule(keys=("*",), verbs=("delete",), effect="forbid", until=NOW), Binding(role="r"))
    assert may(grant(), ended)


@pytest.mark.parametrize(
    ("pattern", "key", "reaches"),
    [
        ("*", "organization", True),
        ("project.*", "project.dns_zone", True),
        ("project.*", "project.workspace.host", True),
        ("project.*", "project", False),
        ("project.*", "projects.host", False),
        ("project.dns_zone", "project.dns_zone.record", False),
        ("*", "agent.report", False),
        ("agent.*", "agent.report", False),
        ("agent.report", "agent.report", True),
    ],
)
def test_patterns(pattern: str, key: str, reaches: bool) -> None:
    assert matches(pattern, key) == reaches


def test_a_list_is_worth_asking_for_where_something_in_it_may_be_theirs() -> None:
    read = Permission("read", "project.workspace.host")
    inside = grant(PROD, verbs=("read",))
    for scope in (Scope(), ACME, SHOP, PROD):
        assert reached((inside,), read, (scope,), NOW) == (scope if PROD.holds(scope) else PROD,)
    for scope in (Scope("other"), Scope("acme", "blog"), Scope("acme", "shop", "test")):
        assert not reached((inside,), read, (scope,), NOW)
    assert not reached((grant(verbs=("read",), effect="forbid"),), read, (ACME,), NOW)
    lid = grant(SHOP, verbs=("read",), effect="forbid")
    assert not reached((inside, lid), read, (ACME,), NOW)
    assert reached((grant(verbs=("read",)), lid), read, (ACME, SHOP), NOW) == (ACME,)
    named = grant(SHOP, verbs=("read",), effect="forbid", names=("web-1",))
    assert reached((inside, named), read, (ACME,), NOW) == (PROD,)
    assert not reached((grant(SHOP, verbs=("read",), project="blog"),), read, (ACME,), NOW)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (grant(verbs=("read", "update")), "it is about read, update"),
        (grant(keys=("organization.*",)), "it is about organization.*"),
        (grant(SHOP, project="blog"), "it is for blog, and the role was given for acme/shop"),
        (grant(Scope("acme", "blog")), "it reaches acme/blog only"),
        (grant(names=("web-2",)), "it is about web-2 only"),
        (grant(until=NOW), "it has run out"),
        (grant(), ""),
    ],
    ids=["verb", "key", "nowhere", "elsewhere", "object", "over", "reaches"],
)
def test_every_rule_says_why_it_does_not_reach(given: Grant, words: str) -> None:
    asked = Question(HOST, PROD, "web-1")
    assert list(considered((given,), asked, NOW)) == [(given, words)]
    assert may(given) == (words == "")


PARTS = ("", "a", "b")
KEYS = ("organization", "organization.audit", "project.dns_zone", "project.workspace.host", "agent.report")
PATTERNS = ("*", *KEYS, "organization.*", "project.*", "project.workspace.*")
TIMES = (0.0, 0.0, NOW - 1, NOW, NOW + 1)


def some_scope(chance: Random) -> Scope:
    organization = chance.choice(PARTS)
    project = chance.choice(PARTS) if organization else ""
    return Scope(organization, project, chance.choice(PARTS) if project else "")


def some_grant(chance: Random) -> Grant:
    project = chance.choice(PARTS)
    rule = Rule(
        keys=tuple(chance.sample(PATTERNS, chance.randint(1, 2))),
        verbs=tuple(chance.sample(VERBS, chance.randint(1, 3))),
        effect="forbid" if chance.random() < 0.3 else "allow",
        project=project,
        workspace=chance.choice(PARTS) if project else "",
        names=tuple(chance.sample(("x", "y"), chance.choice((0, 0, 1)))),
        until=chance.choice(TIMES),
    )
    return Grant(rule, Binding(role="r", scope=some_scope(chance), until=chance.choice(TIMES)))


def test_a_second_evaluator_says_the_same_of_a_thousand_role_graphs() -> None:
    allowed = 0
    for seed in range(1_000):
        chance = Random(seed)  # noqa: S311 - the same graphs every time
        given_out = [some_grant(chance) for _ in range(chance.randint(1, 8))]
        for _ in range(50):
            permission = Permission(chance.choice(VERBS), chance.choice(KEYS))
            asked = Question(permission, some_scope(chance), chance.choice(("", "x", "z")))
            said = decide(given_out, asked, NOW)
            assert said.allowed == permitted(given_out, asked, NOW), (seed, asked)
            allowed += said.allowed
    assert allowed > 500  # Or the graphs would be too poor to show anything.


@pytest.mark.parametrize(
    ("grants", "all_of_it"),
    [
        ((grant(verbs=("read",)),), True),
        ((grant(SHOP, verbs=("read",)),), False),
        ((grant(verbs=("read",), names=("web",)),), False),
        ((grant(verbs=("read",)), grant(verbs=("read",), effect="forbid", names=("web",))), False),
        ((grant(verbs=("read",)), grant(PROD, verbs=("read",), effect="forbid")), False),
        ((grant(verbs=("read",)), grant(verbs=("delete",), effect="forbid", names=("web",))), True),
        ((grant(verbs=("read",)), grant(verbs=("read",), effect="forbid", until=NOW - 1.0)), True),
        ((), False),
    ],
    ids=["all", "a part", "one", "all but one", "all but a place", "another verb", "no longer", "nothing"],
)
def test_what_is_allowed_everywhere_need_not_be_asked_one_by_one(
    grants: tuple[Grant, ...], all_of_it: bool
) -> None:
    assert everywhere(grants, Question(Permission("read", HOST.key), ACME), NOW) == all_of_it
