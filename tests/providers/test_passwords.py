"""Hashes of passwords: with the effort that is asked for, and no more at once than there are cores."""

import asyncio
import time
from typing import Any

import pytest
from argon2 import PasswordHasher

from setpoint.providers.passwords import Argon2Passwords

pytestmark = pytest.mark.usefixtures("real_effort")

PASSWORD = "violet harbour sings at nine"  # noqa: S105 - opens nothing


async def test_a_password_matches_its_own_hash_and_no_other() -> None:
    passwords = Argon2Passwords()
    known = await passwords.hashed(PASSWORD)
    assert known.startswith("$argon2id$v=19$m=47104,t=1,p=1$")
    assert await passwords.matches(PASSWORD, known)
    assert not await passwords.matches(PASSWORD + " ", known)
    assert not await passwords.matches(PASSWORD, "no hash at all")
    assert known != await passwords.hashed(PASSWORD)


async def test_without_a_hash_nothing_matches_and_as_much_work_is_done() -> None:
    counting = Counting()
    passwords: Any = Argon2Passwords(hasher=counting)
    assert not await passwords.matches(PASSWORD, "")
    assert not await passwords.matches("nobody has this password", "")
    assert counting.verified == 2


async def test_less_effort_than_today_is_outdated() -> None:
    passwords = Argon2Passwords()
    assert passwords.outdated(PasswordHasher(time_cost=1, memory_cost=8192, parallelism=1).hash(PASSWORD))
    assert not passwords.outdated(await passwords.hashed(PASSWORD))


async def test_of_fifty_at_once_no_more_are_worked_on_than_are_allowed() -> None:
    counting = Counting()
    passwords: Any = Argon2Passwords(at_once=2, hasher=counting)
    await asyncio.gather(*(passwords.matches(PASSWORD, "known") for _ in range(50)))
    assert (counting.verified, counting.most) == (50, 2)


class Counting(PasswordHasher):
    """Takes its time, and counts how many are taking theirs."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.running = self.most = self.verified = 0

    def verify(self, hash: Any, password: Any) -> Any:  # noqa: A002 - as the parent calls it
        self.running += 1
        self.verified += 1
        self.most = max(self.most, self.running)
        time.sleep(0.01)
        self.running -= 1
        return True
