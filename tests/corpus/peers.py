"""The rules of well-known guards, as small as they are: what each of them lets pass."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Zone:
    """How many there are, and how many would be deleted, updated, created."""

    there: int
    deletes: int = 0
    updates: int = 0
    creates: int = 0


def argo_cd_allow_empty(zone: Zone) -> bool:
    """Auto-prune refuses only when nothing at all would be left (argo-cd `allowEmpty: false`)."""
    return zone.deletes < zone.there


def octodns_thresholds(zone: Zone, *, force: bool = False) -> bool:
    """`plan.raise_if_unsafe`: 30 % of updates and 30 % of deletes, each for itself, from 10 records on."""
    if force or zone.there < 10:
        return True
    return zone.updates <= 0.3 * zone.there and zone.deletes <= 0.3 * zone.there


def cluster_api_max_unhealthy(there: int, unhealthy: int, at_most: float = 1.0) -> bool:
    """Whether remediation goes on; `maxUnhealthy` is 100 % unless somebody sets it."""
    return unhealthy <= at_most * there


def terraform_prevent_destroy(*, block_is_there: bool, prevent_destroy: bool) -> bool:
    """Whether a destroy passes: the lifecycle rule is part of the block, and goes with it."""
    return not (block_is_there and prevent_destroy)


def argo_cd_self_heal(*, failed_revision: str, revision: str) -> bool:
    """Whether a sync is tried again: a revision that failed once is not."""
    return failed_revision != revision


def metacontroller(children: list[str], answer: list[str]) -> list[str]:
    """What is done with children, in order: deletes before creates, and an empty answer deletes all."""
    return [f"delete {child}" for child in children if child not in answer] + [
        f"create {child}" for child in answer if child not in children
    ]
