"""Every incident of SAFETY.md section 2 goes through the real decision function, and is held."""

import pytest

from engine.situations import updates
from setpoint.engine import guards
from setpoint.engine.guards import GUARDS, judge

from .incidents import INCIDENTS


@pytest.mark.parametrize("name", INCIDENTS)
def test_nothing_of_it_is_destroyed_or_remade(name: str) -> None:
    verdict = judge(INCIDENTS[name].case)
    harmless = {action.item for action in updates(300)}
    assert {action.item for action in verdict.allowed} <= harmless


@pytest.mark.parametrize("name", INCIDENTS)
def test_the_guards_that_are_named_hold_it(name: str) -> None:
    held = {hold.guard for hold in judge(INCIDENTS[name].case).holds}
    assert set(INCIDENTS[name].guards) <= held


@pytest.mark.parametrize(
    ("name", "guard"), [(name, guard) for name, incident in INCIDENTS.items() for guard in incident.guards]
)
def test_each_of_them_alone_is_enough(name: str, guard: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "GUARDS", tuple(row for row in GUARDS if row.name == guard))
    case = INCIDENTS[name].case
    destroyed = [action for action in judge(case).allowed if action.destructive]
    assert destroyed == []
    assert judge(case).holds != ()


@pytest.mark.parametrize("name", INCIDENTS)
def test_without_any_guard_it_would_have_happened(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "GUARDS", ())
    monkeypatch.setattr(guards, "_wave", lambda building, unsure, case: building)
    assert judge(INCIDENTS[name].case).allowed == INCIDENTS[name].case.plan.actions


@pytest.mark.parametrize("name", INCIDENTS)
def test_its_hold_says_what_and_how_much(name: str) -> None:
    for hold in judge(INCIDENTS[name].case).holds:
        assert any(figure.isdigit() for figure in hold.message) or hold.items
