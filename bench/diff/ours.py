"""Our own path: what was observed, checked and typed, compared, planned, judged by every guard, and named."""

from collections.abc import Mapping

import msgspec
from msgspec import structs

from bench.diff import records, resources
from bench.diff.drift import Drift
from bench.trial import Counts, Trial
from setpoint.engine.case import Case
from setpoint.engine.entity import AnyJson, Ref
from setpoint.engine.guards import Verdict, judge
from setpoint.engine.ledger import Ledger
from setpoint.engine.limits import Limits
from setpoint.engine.plan import Plan, diff, digest, sizes

Judged = tuple[Plan, Verdict, str]


def from_wire(size: int) -> Trial:
    """From the bytes a provider sends to a judged plan."""
    drift = Drift(size)
    desired = {records.item_of(i): records.declared_record(i) for i in drift.declared}
    document = records.document(drift)
    decoder = msgspec.json.Decoder(records.Listing)

    def run() -> Judged:
        found = decoder.decode(document).rrsets
        return judged(desired, {f"{each.name}/{each.type}": _sorted(each) for each in found})

    return Trial(run, counts)


def from_dicts(size: int) -> Trial:
    """From decoded JSON to a judged plan: what a library that compares dicts begins with."""
    drift = Drift(size)
    desired, actual = resources.declared(drift), resources.observed(drift)
    return Trial(lambda: judged(desired, actual), counts)


def judged(desired: Mapping[str, AnyJson], actual: Mapping[str, AnyJson]) -> Judged:
    actions = diff(desired, actual)
    plan = Plan(actions=actions, desired=len(desired), actual=len(actual), known=frozenset(actual))
    return plan, judge(quiet_case(plan)), digest(actions)


def quiet_case(plan: Plan) -> Case:
    """Everything else that the guards look at, with nothing the matter."""
    return Case(
        plan=plan,
        ledger=Ledger(ref=Ref("dns_zone/1"), accepted=plan.desired),
        limits=Limits(deletes_ceiling=1),  # So that the deletes are over the budget at every size.
        settles_in=10.0,
        now=1_000_000.0,
    )


def counts(outcome: Judged) -> Counts:
    plan, verdict, name = outcome
    # The deletes are over the budget: a guard that did not speak did not look.
    spoke = any(hold.guard == "delete_budget" for hold in verdict.holds)
    found = sizes(plan.actions).items()
    return {str(verb): number for verb, number in found} if spoke and name else {}


def _sorted(found: records.RecordSet) -> records.RecordSet:
    """The order of addresses means nothing."""
    if len(found.records) == 1:
        return found
    return structs.replace(found, records=tuple(sorted(found.records)))
