"""How much is too much: every limit with its default and its sentence. Settable, never off."""

from typing import Annotated

from msgspec import Meta

from setpoint.engine.entity import Shape

HOUR = 3600.0
DAY = 24 * HOUR


def _share(about: str) -> Meta:
    return Meta(description=about, gt=0, lt=1)


def _count(about: str) -> Meta:
    return Meta(description=about, ge=1)


def _seconds(about: str) -> Meta:
    return Meta(description=about, gt=0)


class Limits(Shape, frozen=True):
    """The numbers behind the guards, per installation, kind and domain."""

    deletes_share: Annotated[float, _share("Share of a domain that may be deleted in one pass.")] = 0.10
    deletes_ceiling: Annotated[int, _count("Most deletes in one pass; twice that in an hour.")] = 10
    deletes_floor: Annotated[
        int, _count("So many deletes in one pass are always allowed, but never more than half of a domain.")
    ] = 3
    small_domain: Annotated[int, _count("Domains up to this size may lose half, rounded up, in an hour.")] = (
        10
    )
    shrink_share: Annotated[float, _share("Share by which what is declared may shrink within a day.")] = 0.20
    shrink_floor: Annotated[int, _count("Shrinking by this many is never a doubt.")] = 3
    group_floor: Annotated[int, _count("A declared group this large is not lost without a person.")] = 3
    weight_share: Annotated[float, _share("Share of the owned weight that one plan may destroy.")] = 0.10
    fleet_tenant: Annotated[int, _count("Deletes an hour in one organization.")] = 50
    fleet_account: Annotated[int, _count("Deletes an hour through one provider account.")] = 100
    fleet_installation: Annotated[int, _count("Deletes an hour in the whole installation.")] = 200
    wave_share: Annotated[float, _share("Share of a domain updated in one wave.")] = 0.25
    wave_floor: Annotated[int, _count("A wave of updates may always grow to this many.")] = 10
    unusual_factor: Annotated[
        float, Meta(description="A plan this many times the usual size pages a person.", gt=1)
    ] = 3.0
    unusual_floor: Annotated[int, _count("Plans up to this size are never unusual.")] = 10
    unusual_history: Annotated[int, _count("Plans to have seen before any is called unusual.")] = 5
    probation_looks: Annotated[int, _count("Complete looks before the first delete on a new footing.")] = 2
    probation_gap: Annotated[float, _seconds("Seconds between two looks that both count.")] = 5.0
    silence_seconds: Annotated[
        float, _seconds("Not having looked for this long is a silence; what follows begins on probation.")
    ] = HOUR
    silence_intervals: Annotated[int, _count("A silence is also at least this many intervals.")] = 3
    brake_window: Annotated[int, _count("Keys of an account, tried lately, that the brake looks at.")] = 20
    brake_share: Annotated[float, _share("Share of that window that must fail for the brake.")] = 0.5
    brake_probe_seconds: Annotated[float, _seconds("While it brakes, one act is tried this often.")] = 30.0
    brake_good: Annotated[int, _count("So many good acts in a row let the brake go.")] = 3
    contested_times: Annotated[
        int, _count("Our value undone this often is a contest with another writer.")
    ] = 3
    contested_seconds: Annotated[float, _seconds("Only what was undone within so many seconds counts.")] = (
        HOUR
    )
    contested_intervals: Annotated[
        int, _count("Undone within so many intervals counts too, where that is longer.")
    ] = 10
    slow_failures: Annotated[int, _count("Equal failures of one item before it is put in the slow lane.")] = 8
    slow_seconds: Annotated[float, _seconds("How often something in the slow lane is tried.")] = HOUR
    vanished_share: Annotated[
        float, _share("Share of what is watched together that may be gone at once.")
    ] = 0.20
    vanished_floor: Annotated[int, _count("So many gone at once are never a doubt.")] = 3
    park_seconds: Annotated[float, _seconds("How long something parked can come back.")] = 7 * DAY
    approval_seconds: Annotated[float, _seconds("How long an approval holds good.")] = HOUR
