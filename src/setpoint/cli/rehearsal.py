"""Asking what declaring something would do; mistakes come back as places in the files."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from setpoint.cli.changes import Change
from setpoint.cli.exits import Exit, Stop
from setpoint.cli.files import Files, Mistaken, findings_from
from setpoint.cli.outline import Outline, outline_of
from setpoint.cli.proposal import Proposal, differences
from setpoint.cli.session import Session
from setpoint.cli.source import Finding
from setpoint.client.errors import Refused
from setpoint.system import monotonic

AnyJson = Any
PATIENCE: Final = 60.0
INVALID: Final = 422
FIRST_PAUSE: Final = 0.05
LONGEST_PAUSE: Final = 1.0


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A proposal with the server's answer to it."""

    proposal: Proposal
    plan: Mapping[str, AnyJson]
    declared: tuple[Change, ...]

    @property
    def outline(self) -> Outline:
        return outline_of(f"Plan for {self.proposal.organization}", self.plan, self.declared)

    @property
    def body(self) -> dict[str, AnyJson]:
        """The plan as the API words it, with what would be declared anew."""
        return {**self.plan, "declared": [as_json(change) for change in self.declared]}


def rehearsed(session: Session, files: Files, proposals: Sequence[Proposal]) -> list[Rehearsed]:
    """Every proposal's plan; or every mistake of all of them at once."""
    if files.findings:
        check(session, files, proposals)
    asked: list[tuple[Proposal, Mapping[str, AnyJson]]] = []
    findings: list[Finding] = []
    for proposal in proposals:
        try:
            asked.append((proposal, session.client.ask_plan(proposal.organization, proposal.batch)))
        except Refused as error:
            findings += mistakes_in(files, proposal, error)
    if findings:
        raise Mistaken(findings)
    return [
        Rehearsed(proposal, _answered(session, proposal, plan), tuple(differences(session, proposal)))
        for proposal, plan in asked
    ]


def check(session: Session, files: Files, proposals: Sequence[Proposal]) -> None:
    """Raises with every mistake there is, in the files and in what they ask for; stores nothing."""
    findings = list(files.findings)
    known = {(finding.source, finding.place) for finding in findings}
    for proposal in proposals:
        try:
            session.client.check(proposal.organization, proposal.batch)
        except Refused as error:
            found = mistakes_in(files, proposal, error)
            # Where something is wrong already, what follows from it is no news.
            findings += [each for each in found if (each.source, each.place) not in known]
    if findings:
        raise Mistaken(findings)


def mistakes_in(files: Files, proposal: Proposal, error: Refused) -> list[Finding]:
    """What the server found wrong, in the files; anything else is raised as it is."""
    if error.problem.status != INVALID or not error.problem.mistakes:
        raise error
    return findings_from(files, error.problem.mistakes, proposal.origins)


def _answered(session: Session, proposal: Proposal, plan: Mapping[str, AnyJson]) -> Mapping[str, AnyJson]:
    deadline, pause = monotonic() + PATIENCE, FIRST_PAUSE
    while plan.get("state") == "asked":
        if monotonic() > deadline:
            words = f"no plan after {PATIENCE:.0f} s: the scheduler does not answer"
            raise Stop(words, Exit.TIMED_OUT, ("setpoint loops", "try again: nothing was changed"))
        session.screen.live("working out the plan …")
        time.sleep(pause)
        pause = min(LONGEST_PAUSE, pause * 1.5)
        plan = session.client.plan(proposal.organization, str(plan["id"]))
    session.screen.live("")
    return plan


def as_json(change: Change) -> dict[str, AnyJson]:
    """A change of intent, for programs."""
    fields = [{"path": field.path, "before": field.before, "after": field.after} for field in change.fields]
    return {"verb": change.verb, "kind": change.kind, "name": change.name, "fields": fields}
