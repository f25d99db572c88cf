"""Recorded situations: each case as our guards would have had it before them, and who must hold it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.situations import NOW, case, creates, deletes, ledger, lever, looks, room, updates
from setpoint.engine.case import Case
from setpoint.engine.limits import HOUR
from setpoint.engine.plan import UNKNOWN, Action, Verb
from setpoint.engine.rows import Mode


@dataclass(frozen=True)
class Incident:
    """One that really happened, as a value."""

    story: str
    guards: tuple[str, ...]  # Those that hold it, each one enough.
    case: Case


def gone(number: int, of: int, **more: Any) -> Case:
    """So many of what was there are listed no more and would be made anew."""
    items = tuple(action.item for action in creates(of))
    return case(creates(number), desired=of, actual=of - number, ledger=ledger(known=items, wave=of), **more)


def withdrawn(number: int, of: int, **more: Any) -> Case:
    """So many of what was declared are declared no more, and would be deleted."""
    return case(deletes(number), desired=of - number, actual=of, accepted=of, **more)


INCIDENTS: Mapping[str, Incident] = {
    "google-cdn-disk-erase": Incident(
        "A second run found nothing left to erase, and the empty set meant everything to the callee.",
        ("empty_intent", "delete_budget", "leaves_nothing"),
        withdrawn(5_000, 5_000),
    ),
    "skyscanner-2021": Incident(
        "Two characters in a root template removed every service definition, everywhere at once.",
        ("shrunken_intent", "lost_group", "delete_budget"),
        case(
            deletes(477),
            desired=1,
            actual=478,
            ledger=ledger(
                accepted=478, groups={"eu-west-1": 160, "eu-central-1": 159, "ap-southeast-1": 159}
            ),
        ),
    ),
    "aws-dynamodb-dns-2025-clean-up": Incident(
        "Clean-up removed the plan that a delayed enactor had just made live: an empty record was left.",
        ("empty_intent", "leaves_nothing"),
        case(deletes(1), desired=0, actual=1, accepted=1),
    ),
    "argo-cd-18480": Incident(
        "A failure to list cluster secrets became an empty generator, and all applications were deleted.",
        ("empty_intent", "delete_budget", "leaves_nothing"),
        withdrawn(120, 120),
    ),
    "argo-cd-9227": Incident(
        "A small change of an ApplicationSet deleted the applications of most production clusters.",
        ("delete_budget", "shrunken_intent"),
        withdrawn(37, 50),
    ),
    "argo-cd-18780": Incident(
        "Applications were deleted in one burst, a few in each of many sets.",
        ("fleet_budget",),
        case(deletes(2), desired=18, actual=20, accepted=20, rooms=room(0, "organization acme", 50)),
    ),
    "argo-cd-7412": Incident(
        "Nine tenths were pruned while the all-or-nothing guard looked on.",
        ("shrunken_intent", "delete_budget"),
        withdrawn(90, 100),
    ),
    "kubernetes-58334": Incident(
        "A lookup at the cloud failed for a fresh, healthy node, and the node was deleted at once.",
        ("second_look",),
        case(
            (Action(verb=Verb.DELETE, item="node", before={"ready": True}),),
            desired=29,
            actual=30,
            accepted=29,
            looks=looks(node=UNKNOWN),
        ),
    ),
    "kubernetes-28901": Incident(
        "All four healthy nodes seemed gone at once on an overloaded control plane.",
        ("mass_silence",),
        gone(4, 4),
    ),
    "external-dns-default-policy": Incident(
        "Deleting was the default: the first run removed what it did not know.",
        ("probation",),
        case(deletes(2), desired=28, actual=30, ledger=ledger(looks=0, looked_at=0.0)),
    ),
    "external-dns-upsert-only": Incident(
        "A scope that was meant to be without deletes had them all the same.",
        ("no_deletes",),
        case(deletes(1), desired=29, actual=30, levers=lever(Mode.NO_DELETES)),
    ),
    "resumed-after-months": Incident(
        "A pause was forgotten; resumed, it met a world that had moved on.",
        ("probation",),
        case(deletes(2), desired=28, actual=30, ledger=ledger(looked_at=NOW - 2_000 * HOUR)),
    ),
    "upgrade-that-misreads": Incident(
        "A new version of an adapter read ids differently: all seemed unknown, and all else gone.",
        ("mass_silence", "probation", "delete_budget"),
        case(
            (*creates(30), *deletes(30)),
            desired=30,
            actual=30,
            footing="new code",
            ledger=ledger(known=tuple(a.item for a in creates(30)), footing="old code", accepted=30),
        ),
    ),
    "rename-storm": Incident(
        "A change of naming made a plan of hundreds of changes where a handful were usual.",
        ("unusual_plan",),
        case((*updates(300), *deletes(5)), desired=1_000, actual=1_000, sizes=(3, 4, 2, 5, 3, 4)),
    ),
    "zone-and-all-its-records": Incident(
        "Two zones went as if they were two records.",
        ("weight",),
        case(deletes(2, weight=500), desired=998, actual=1_000, weight=6_000),
    ),
}
