"""A server that could lose what it acknowledged is refused, with all that is wrong and its cure."""

import pytest

import postgres
from setpoint.engine.errors import Rejected
from setpoint.storage.postgres import open_postgres
from setpoint.storage.postgres.safety import unsafe, unusable

SOUND = {
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "server_version_num": "180004",
    "server_encoding": "UTF8",
    "transaction_read_only": "off",
}


async def test_settings_that_lose_data_are_refused_all_at_once() -> None:
    url = await postgres.emptied()
    with pytest.raises(Rejected) as refused:
        await open_postgres(url)
    assert str(refused.value) == (
        "this PostgreSQL cannot be used: fsync is off (set fsync = on); "
        "full_page_writes is off (set full_page_writes = on); "
        "synchronous_commit is off (set synchronous_commit = on)"
    )


async def test_a_database_that_only_reads_is_refused_whatever_is_allowed() -> None:
    url = await postgres.emptied()
    with pytest.raises(Rejected, match="it is read-only"):
        await open_postgres(f"{url}&default_transaction_read_only=on", allow_unsafe=True)


def test_nothing_is_wrong_with_a_sound_server() -> None:
    assert unusable(SOUND) == unsafe(SOUND) == ()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("server_version_num", "120009", "it has version 12 (upgrade it to 13 or later)"),
        (
            "server_encoding",
            "SQL_ASCII",
            "its encoding is SQL_ASCII (create the database with ENCODING 'UTF8')",
        ),
        (
            "transaction_read_only",
            "on",
            "it is read-only (connect to the primary; unset default_transaction_read_only)",
        ),
    ],
)
def test_what_could_never_work_is_said(name: str, value: str, said: str) -> None:
    assert unusable({**SOUND, name: value}) == (said,)
    assert unsafe({**SOUND, name: value}) == ()


@pytest.mark.parametrize("name", ["fsync", "full_page_writes", "synchronous_commit"])
def test_what_could_be_lost_is_said(name: str) -> None:
    assert unsafe({**SOUND, name: "off"}) == (f"{name} is off (set {name} = on)",)
    assert unusable({**SOUND, name: "off"}) == ()


@pytest.mark.parametrize("value", ["local", "remote_write", "remote_apply"])
def test_any_synchronous_commit_but_off_is_durable(value: str) -> None:
    assert unsafe({**SOUND, "synchronous_commit": value}) == ()
