"""One key's trouble is told from its account's: an outage parks nobody, and one bad key is no outage."""

import pytest
from msgspec.structs import replace

from setpoint.engine.company import Company, account_of, accounts_of
from setpoint.engine.conclude import SlowLane, slowed
from setpoint.engine.entity import Ref, State, Status
from setpoint.engine.errors import Rejected, Transient

from .plant import ACME, Plant


def test_elsewhere_is_what_another_key_of_the_account_did_last() -> None:
    company = Company()
    assert company.elsewhere("cloud", "a") == 0.0
    for at, key in enumerate("abcab", 1):
        company.did_well("cloud", key, float(at))
    assert [company.elsewhere("cloud", key) for key in "abz"] == [5.0, 4.0, 5.0]
    assert company.elsewhere("other", "a") == 0.0


def test_looking_is_not_acting() -> None:
    company = Company()
    company.did_well("cloud", "b", 1.0, acted=True)
    company.did_well("cloud", "c", 2.0)
    assert company.elsewhere("cloud", "a") == 2.0
    assert company.elsewhere("cloud", "a", acted=True) == 1.0


def test_a_failure_is_a_keys_own_if_another_did_well_since_its_last_one() -> None:
    company = Company()
    company.did_well("cloud", "b", 1.0)
    assert not company.failed("cloud", "a", 2.0)
    assert not company.failed("cloud", "a", 3.0)
    company.did_well("cloud", "b", 4.0)
    assert company.failed("cloud", "a", 5.0)
    assert not company.failed("cloud", "a", 6.0)


@pytest.mark.parametrize(
    ("failed", "well", "recovered"),
    [("ab", "c", 9.0), ("a", "a", 9.0), ("a", "b", 0.0), ("aaa", "b", 0.0), ("", "a", 0.0)],
    ids=["several", "the one that failed", "one of many", "one often", "none"],
)
def test_an_account_comes_back_from_an_outage_of_its_own(failed: str, well: str, recovered: float) -> None:
    company = Company()
    for key in failed:
        company.failed("cloud", key, 1.0)
    company.did_well("cloud", well, 9.0)
    assert company.recovered("cloud") == recovered


def test_what_an_account_refuses_is_no_outage() -> None:
    company = Company()
    for key in "ab":
        company.failed("cloud", key, 1.0, refused=True)
    company.did_well("cloud", "c", 9.0)
    assert company.recovered("cloud") == 0.0


def test_after_a_success_failures_are_counted_anew() -> None:
    company = Company()
    for key in "ab":
        company.failed("cloud", key, 1.0)
    company.did_well("cloud", "c", 2.0)
    company.failed("cloud", "a", 3.0)
    company.did_well("cloud", "c", 4.0)
    assert company.recovered("cloud") == 2.0


@pytest.mark.parametrize(
    ("alike", "alone", "slow"), [(7, True, False), (8, True, True), (9, True, True), (8, False, False)]
)
def test_a_look_that_fails_eight_times_alike_by_itself_is_put_aside(
    alike: int, alone: bool, slow: bool
) -> None:
    status = Status(ref=Ref("shelf/1"), alike=alike)
    assert slowed(status, SlowLane(8, 3600.0, alone)) == slow


async def test_the_account_of_an_entity_is_the_one_it_names_or_itself(plant: Plant) -> None:
    account = await plant.declare("account", "cloud", scope=ACME)
    shelf = await plant.declare("shelf", "novels", account="cloud")
    lone = await plant.declare("shelf", "lone")
    assert (accounts_of(plant.kinds, shelf), account_of(plant.kinds, shelf)) == ((account.ref,), account.ref)
    assert (accounts_of(plant.kinds, lone), account_of(plant.kinds, lone)) == ((), lone.ref)


async def two_shelves(plant: Plant) -> tuple[Ref, Ref]:
    await plant.declare("account", "cloud", scope=ACME)
    pair = [(await plant.declare("shelf", name, account="cloud")).ref for name in ("bad", "good")]
    return pair[0], pair[1]


async def failing_look(plant: Plant, ref: Ref, said: str = "no answer") -> float | None:
    plant.loop.blind = Transient(said)
    wait = await plant.run(ref)
    plant.loop.blind = None
    return wait


async def test_a_poison_key_is_tried_hourly_while_its_account_does_well(plant: Plant) -> None:
    bad, good = await two_shelves(plant)
    waits = []
    for _ in range(9):
        waits.append(await failing_look(plant, bad))
        plant.runtime.pass_by(60.0)
        await plant.run(good)
    assert max(wait for wait in waits[:7] if wait) <= 60.1
    assert waits[7:] == [3600.0, 3600.0]


async def test_while_the_account_is_down_nobody_is_parked_although_one_did_well_at_its_beginning(
    plant: Plant,
) -> None:
    bad, good = await two_shelves(plant)
    await failing_look(plant, bad)
    plant.runtime.pass_by(1.0)
    await plant.run(good)
    for _ in range(20):
        for ref in (good, bad):
            plant.runtime.pass_by(30.0)
            assert await failing_look(plant, ref) < 61.0  # type: ignore[operator]


async def test_what_asks_no_account_is_no_sign_that_the_account_is_there(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group of hosts is well while the vendor is away: it reads declarations only."""
    bad, group = await two_shelves(plant)
    monkeypatch.setitem(plant.kinds, "shelf", replace(plant.kinds["shelf"], asks_account=False))
    for _ in range(20):
        assert await failing_look(plant, bad) < 61.0  # type: ignore[operator]
        plant.runtime.pass_by(60.0)
        await plant.run(group)


async def test_failures_that_differ_are_not_alike(plant: Plant) -> None:
    bad, good = await two_shelves(plant)
    for number in range(20):
        wait = await failing_look(plant, bad, said="no" + "!" * number)
        plant.runtime.pass_by(60.0)
        await plant.run(good)
        assert wait is not None
        assert wait < 61.0
    assert ((await plant.status(bad)).state, (await plant.status(bad)).alike) == (State.PENDING, 1)


async def test_while_everything_it_writes_is_refused_nobody_is_parked_because_others_look_well(
    plant: Plant,
) -> None:
    bad, good = await two_shelves(plant)
    await plant.declare("shelf", "bad", account="cloud", books={"dune": 1})
    plant.loop.answers = {"dune": [Rejected("quota")] * 99}
    for _ in range(20):
        plant.runtime.pass_by(await plant.run(bad) or 60.0)
        await plant.run(good)
    assert "slow" not in (await plant.status(bad)).reason
    assert not (await plant.ledger(bad)).failing["dune"].alone
