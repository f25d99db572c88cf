"""Administrators may do everything but speak for an agent; an agent may only report on itself."""

from typing import Any, get_args

import pytest

from setpoint.access.permission import Permission, Subject, Verb, allowed, subject_of
from setpoint.engine.entity import Ref
from setpoint.engine.rows import Token

VERBS = get_args(Verb)


def subject(role: Any) -> Subject:
    return subject_of(Token(hash="ab", subject="ann", role=role, ref=Ref("agent/1")))


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("key", ["host", "dns_zone", "plan", "switch"])
def test_an_administrator_may_do_everything_and_an_agent_nothing(verb: Verb, key: str) -> None:
    assert allowed(subject("administrator"), Permission(verb, key))
    assert not allowed(subject("agent"), Permission(verb, key))


@pytest.mark.parametrize("verb", VERBS)
def test_only_an_agent_reports_and_only_as_an_update(verb: Verb) -> None:
    assert not allowed(subject("administrator"), Permission(verb, "agent.report"))
    assert allowed(subject("agent"), Permission(verb, "agent.report")) == (verb == "update")


def test_a_role_nobody_knows_may_do_no_more_than_an_agent() -> None:
    stranger = Subject("eve", "owner")  # type: ignore[arg-type]
    assert not any(allowed(stranger, Permission(verb, "host")) for verb in VERBS)


def test_a_subject_is_who_the_token_says() -> None:
    assert subject("agent") == Subject("ann", "agent", Ref("agent/1"))
