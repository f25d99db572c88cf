"""The data folder: who may write there, who may read there, how much room there is, and on what."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from check.sites import as_nobody, site
from setpoint.check import folder
from setpoint.check.finding import Level
from setpoint.storage.sqlite.lock import FolderLock

MOUNTS = """\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 27 0:27 / /srv/with\\040space rw - nfs4 host:/x rw
31 27 0:28 / /srv rw - xfs /dev/vdb rw
32 31 0:29 / /srv/deep rw - tmpfs none rw
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that everybody gets to, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="setpoint-check-") as made:
        Path(made).chmod(0o755)
        yield Path(made)


def test_a_folder_that_is_ours_alone_is_fine(place: Path) -> None:
    place.chmod(0o700)
    found = folder.data_folder(site(place))
    assert (found.level, found.said) == (Level.OK, f"{place} is writable, and closed to others (mode 0700)")
    assert list(place.iterdir()) == []


def test_a_folder_that_is_not_there_yet_is_made_later(place: Path) -> None:
    assert (
        folder.data_folder(site(place / "a" / "b")).said == f"{place / 'a' / 'b'} is made at the first start"
    )
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("below", ["", "a/b"])
def test_a_folder_that_cannot_be_written_fails(place: Path, below: str) -> None:
    place.chmod(0o555)
    with as_nobody():
        found = folder.data_folder(site(place / below))
    assert (found.level, found.said) == (Level.FAIL, f"nothing can be written in {place}: Permission denied")
    assert found.cure == f'install -d -m 0700 -o "$USER" {place / below}, or --data DIR'


def test_a_folder_behind_a_closed_one_fails(place: Path) -> None:
    (place / "closed" / "data").mkdir(parents=True)
    (place / "closed").chmod(0)
    with as_nobody():
        found = folder.data_folder(site(place / "closed" / "data"))
    (place / "closed").chmod(0o700)
    assert found.level is Level.FAIL
    assert found.said == f"nothing can be written in {place / 'closed'}: Permission denied"


def test_a_file_is_no_folder(place: Path) -> None:
    (place / "file").touch()
    assert folder.data_folder(site(place / "file")).level is Level.FAIL


@pytest.mark.parametrize(("mode", "level"), [(0o777, Level.FAIL), (0o770, Level.FAIL), (0o755, Level.WARN)])
def test_a_folder_open_to_others_is_told_with_the_cure(place: Path, mode: int, level: Level) -> None:
    place.chmod(mode)
    found = folder.data_folder(site(place))
    assert (found.level, found.said) == (level, f"{place} is open to others (mode {mode:04o})")
    assert found.cure == f"chmod 0700 {place}"


def test_less_than_a_gigabyte_fails(place: Path) -> None:
    found = folder.told_of_disk(place, 400_000_000)
    assert (found.level, found.said) == (Level.FAIL, f"0.4 GB free in {place}; 1 GB is needed")
    assert found.cure.endswith("or --data DIR")
    assert folder.told_of_disk(place, 10**9).level is Level.OK


def test_room_is_looked_for_where_the_folder_will_be(place: Path) -> None:
    assert folder.disk(site(place / "not" / "yet")).said.endswith(f"GB free in {place}")


@pytest.mark.parametrize(
    ("path", "sort"),
    [
        ("/", "ext4"),
        ("/srv", "xfs"),
        ("/srv/deep/er", "tmpfs"),
        ("/srv/with space/x", "nfs4"),
        ("/srvx", "ext4"),
    ],
)
def test_a_path_is_on_the_mount_that_is_nearest(path: str, sort: str) -> None:
    assert folder.mounted(Path(path), MOUNTS) == sort


@pytest.mark.parametrize(
    ("sort", "alone", "level"),
    [
        ("tmpfs", True, Level.WARN),
        ("nfs4", True, Level.FAIL),
        ("nfs4", False, Level.OK),
        ("ext4", True, Level.OK),
        ("", True, Level.OK),
    ],
)
def test_a_disk_in_memory_or_across_the_network_is_told(sort: str, alone: bool, level: Level) -> None:
    found = folder.told_of_file_system(sort, alone=alone)
    assert found.level is level
    assert bool(found.cure) is (level is not Level.OK)


def test_memory_is_recognised_for_real() -> None:
    memory = Path("/dev/shm")  # noqa: S108 - where Linux has a disk in memory
    if not memory.is_dir() or folder.mounted(memory, folder.MOUNTS.read_text()) != "tmpfs":
        pytest.skip("no /dev/shm on this machine")
    assert folder.file_system(site(memory)).level is Level.WARN


def test_a_secret_that_others_can_read_fails(place: Path) -> None:
    (place / "secrets").mkdir(mode=0o755)
    secret = place / "secrets" / "hetzner"
    secret.write_text("do not show")
    secret.chmod(0o644)
    found = folder.secrets(site(place))
    assert (found.level, found.said) == (Level.FAIL, f"others may read hetzner in {place / 'secrets'}")
    assert found.cure.startswith(f"chmod -R go= {place / 'secrets'};")
    assert "do not show" not in f"{found}"


@pytest.mark.parametrize("closed", [".", "secrets", "secrets/hetzner"])
def test_a_secret_is_safe_where_nobody_gets_to_it(place: Path, closed: str) -> None:
    (place / "secrets").mkdir(mode=0o755)
    (place / "secrets" / "hetzner").touch(mode=0o644)
    (place / closed).chmod(0o700)
    assert folder.secrets(site(place)).said == f"1 in {place / 'secrets'}, closed to others"


def test_a_secret_of_one_organization_is_looked_at_too(place: Path) -> None:
    (place / "secrets" / "acme").mkdir(mode=0o755, parents=True)
    (place / "secrets" / "acme" / "hetzner").touch(mode=0o644)
    for each in (place, place / "secrets"):
        each.chmod(0o755)
    said = f"others may read acme/hetzner in {place / 'secrets'}"
    assert folder.secrets(site(place)).said == said
    (place / "secrets" / "acme").chmod(0o700)
    assert folder.secrets(site(place)).said == f"1 in {place / 'secrets'}, closed to others"


def test_no_secrets_yet_is_fine(place: Path) -> None:
    assert folder.secrets(site(place)).level is Level.OK


def test_a_master_key_that_others_can_read_fails(place: Path) -> None:
    assert folder.master_key(site(place)).level is Level.OK
    (place / "master.key").touch(mode=0o644)
    found = folder.master_key(site(place))
    assert (found.level, "rotate-keys --master" in found.cure) == (Level.FAIL, True)
    (place / "master.key").chmod(0o600)
    assert folder.master_key(site(place)).level is Level.OK
    assert "environment" in folder.master_key(site(place, master_key="x")).said
    elsewhere = place / "elsewhere.key"
    assert str(elsewhere) in folder.master_key(site(place, master_key_file=str(elsewhere))).said


def test_a_token_that_others_can_read_fails(place: Path) -> None:
    assert folder.token(site(place)).level is Level.OK
    (place / "admin.token").touch(mode=0o644)
    found = folder.token(site(place))
    assert (found.level, found.cure) == (Level.FAIL, f"chmod 0600 {place / 'admin.token'}")
    (place / "admin.token").chmod(0o600)
    assert folder.token(site(place)).level is Level.OK


def test_a_folder_that_another_process_has_fails(place: Path) -> None:
    assert folder.unlocked(site(place)).level is Level.OK
    with FolderLock(place):
        found = folder.unlocked(site(place))
    assert (found.level, found.said) == (
        Level.FAIL,
        f"another setpoint process (pid {os.getpid()}) has this folder: {place}",
    )
    assert folder.unlocked(site(place)).level is Level.OK
