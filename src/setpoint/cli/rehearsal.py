"""Asking what declaring something would do; mistakes come back as places in the files."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from setpoint.cli.changes import Change
from setpoint.cli.exits import Exit, Stop
from setpoint.cli.files import Files, Mistaken, findings_from
from setpoint.cli.outline import Outline, outline_of
from setpoint.cli.ownership import Ownership, ownership_in
from setpoint.cli.proposal import Proposal, differences, known_to, troubled
from setpoint.cli.session import Session
from setpoint.cli.source import Finding
from setpoint.client.errors import Refused
from setpoint.client.resource import Object
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
    ownership: Ownership
    troubled: tuple[Object, ...]

    @property
    def outline(self) -> Outline:
        found = outline_of(f"Plan for {self.proposal.organization}", self.plan, self.declared)
        taken = sum(count for _, count in self.ownership.taken)
        return replace(found, troubled=self.troubled, taken=taken)

    @property
    def body(self) -> dict[str, AnyJson]:
        """The plan as the API words it, with what would be declared anew."""
        declared = [as_json(change) for change in self.declared]
        return {**self.plan, "declared": declared, **self.ownership.body}


def rehearsed(session: Session, files: Files, proposals: Sequence[Proposal]) -> list[Rehearsed]:
    """Every proposal's plan; or every mistake of all of them at once."""
    checked = check(session, files, proposals)
    # All of them are asked before the first answer is waited for.
    plans = [session.client.ask_plan(proposal.organization, proposal.batch) for proposal in proposals]
    return [_rehearsed(session, *each) for each in zip(proposals, plans, checked, strict=True)]


def _rehearsed(
    session: Session, proposal: Proposal, plan: Mapping[str, AnyJson], ownership: Ownership
) -> Rehearsed:
    answered, known = _answered(session, proposal, plan), known_to(session, proposal)
    declared = tuple(differences(session, proposal, known, ownership.withdrawn))
    return Rehearsed(proposal, answered, declared, ownership, tuple(troubled(proposal, known, declared)))


def check(session: Session, files: Files, proposals: Sequence[Proposal]) -> list[Ownership]:
    """Raises with every mistake there is, in the files and in what they ask for; stores nothing."""
    findings, checked = list(files.findings), []
    known = {(finding.source, finding.place) for finding in findings}
    for proposal in proposals:
        try:
            said = session.client.check(proposal.organization, proposal.batch)
            checked.append(ownership_in(said, proposal.batch.owner))
        except Refused as error:
            found = mistakes_in(files, proposal, error)
            # Where something is wrong already, what follows from it is no news.
            findings += [each for each in found if (each.source, each.place) not in known]
    if findings:
        raise Mistaken(findings)
    return checked


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
