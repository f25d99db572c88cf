"""A box opens with its own key, in its own place, as it was made; any other way it does not."""

import os
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from setpoint.engine.entity import Ref
from setpoint.engine.errors import Denied
from setpoint.vault.master import MasterFile, MasterKey, new_master, new_pair
from setpoint.vault.opening import opened
from setpoint.vault.sealing import about_secret, digest, seal

HOME = Ref("organization/1")
PRIVATE = X25519PrivateKey.generate()
PUBLIC = PRIVATE.public_key().public_bytes_raw()
ABOUT = about_secret(HOME, "hetzner", 1, 1)


@given(st.binary(max_size=200))
def test_what_is_sealed_opens_and_says_nothing_until_then(value: bytes) -> None:
    box = seal(PUBLIC, value, ABOUT)
    assert opened(PRIVATE.private_bytes_raw(), box, ABOUT) == value
    assert box != seal(PUBLIC, value, ABOUT)
    assert len(value) < 8 or value not in box


def test_a_byte_that_was_flipped_anywhere_is_noticed() -> None:
    box = seal(PUBLIC, b"a token", ABOUT)
    for at in range(len(box)):
        for bit in (1, 128):
            broken = box[:at] + bytes([box[at] ^ bit]) + box[at + 1 :]
            with pytest.raises(Denied):
                opened(PRIVATE.private_bytes_raw(), broken, ABOUT)
    for end in range(len(box)):
        with pytest.raises(Denied):
            opened(PRIVATE.private_bytes_raw(), box[:end], ABOUT)


@pytest.mark.parametrize(
    "about",
    [
        about_secret(Ref("organization/2"), "hetzner", 1, 1),
        about_secret(HOME, "hooks", 1, 1),
        about_secret(HOME, "hetzner", 2, 1),
        about_secret(HOME, "hetzner", 1, 2),
    ],
    ids=["tenant", "name", "version", "key"],
)
def test_in_another_place_it_does_not_open(about: bytes) -> None:
    with pytest.raises(Denied, match="changed, moved, or sealed for somebody else"):
        opened(PRIVATE.private_bytes_raw(), seal(PUBLIC, b"a token", ABOUT), about)


def test_another_key_does_not_open_it() -> None:
    other = X25519PrivateKey.generate().private_bytes_raw()
    with pytest.raises(Denied):
        opened(other, seal(PUBLIC, b"a token", ABOUT), ABOUT)


def test_the_private_half_is_bound_to_its_organization_and_its_public_half() -> None:
    master = new_master()
    one, two = new_pair(master, HOME, 1, 0.0), new_pair(master, Ref("organization/2"), 1, 0.0)
    private = master.unwrap(one)
    assert opened(private, seal(one.public, b"x", ABOUT), ABOUT) == b"x"
    swapped = [
        replace(one, wrapped=two.wrapped),
        replace(one, public=two.public),
        replace(one, home=two.home),
        replace(one, version=2),
        replace(one, wrapped=b"short"),
    ]
    for key in swapped:
        with pytest.raises(Denied):
            master.unwrap(key)
    for at in range(len(one.wrapped)):
        broken = one.wrapped[:at] + bytes([one.wrapped[at] ^ 1]) + one.wrapped[at + 1 :]
        with pytest.raises(Denied):
            master.unwrap(replace(one, wrapped=broken))
    with pytest.raises(Denied):
        new_master().unwrap(one)


def test_a_digest_tells_values_apart_and_nothing_across_tenants_or_installations() -> None:
    assert digest("k", HOME, "a") == digest("k", HOME, "a")
    others = [digest("k", HOME, "b"), digest("j", HOME, "a"), digest("k", Ref("organization/2"), "a")]
    assert digest("k", HOME, "a") not in others


def test_the_first_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    file = MasterFile(tmp_path / "data" / "master.key")
    assert file.known() == ()
    first = file.begin()
    assert file.begin() == first
    assert file.known() == (first,)
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert [each.name for each in file.path.parent.iterdir()] == ["master.key"]
    assert first.text not in repr(first) + repr(file)


def test_a_key_file_that_is_open_empty_or_wrong_is_refused_with_its_cure(tmp_path: Path) -> None:
    file = MasterFile(tmp_path / "master.key")
    file.begin()
    file.path.chmod(0o640)
    with pytest.raises(Denied, match=r"chmod 0600"):
        file.known()
    file.path.chmod(0o600)
    for text, says in (("", "is empty"), ("short", "32 bytes as base64"), ("AAAA", "32 bytes as base64")):
        file.path.write_text(text)
        with pytest.raises(Denied, match=says):
            file.known()
    file.path.unlink()
    file.path.mkdir()
    with pytest.raises(Denied, match="cannot be read"):
        file.known()


def test_the_environment_may_hold_it_instead() -> None:
    new, old = MasterKey(os.urandom(32)), MasterKey(os.urandom(32))
    file = MasterFile(Path("/nowhere"), f"{new.text},{old.text}")
    assert file.known() == (new, old)
    with pytest.raises(Denied, match="given by the environment"):
        file.keep((new,))
    assert new.text not in repr(file)
