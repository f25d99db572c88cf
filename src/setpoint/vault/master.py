"""The master key: a file that only its owner reads, or the environment. The API may not import this."""

import base64
import binascii
import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from setpoint.engine.entity import Ref
from setpoint.engine.errors import Denied
from setpoint.engine.secret import ENROLMENTS, OrganizationKey, key_id
from setpoint.settings import Settings
from setpoint.system import new_bytes
from setpoint.vault.sealing import NONCE, about_key

NAME: Final = "master.key"
LENGTH: Final = 32
OTHERS: Final = 0o077


@dataclass(frozen=True, slots=True, repr=False)
class MasterKey:
    """One of them, known to others by its id."""

    secret: bytes = field(repr=False)

    @property
    def id(self) -> str:
        return hashlib.sha256(b"setpoint master key " + self.secret).hexdigest()[:16]

    @property
    def text(self) -> str:
        return base64.b64encode(self.secret).decode()

    def wrap(self, private: bytes, about: bytes) -> bytes:
        nonce = new_bytes(NONCE)
        return nonce + AESGCM(self.secret).encrypt(nonce, private, about)

    def unwrap(self, key: OrganizationKey) -> bytes:
        """The private half, proven to be that of the public one."""
        about = about_key(key.home, key.version, key.public)
        try:
            private = AESGCM(self.secret).decrypt(key.wrapped[:NONCE], key.wrapped[NONCE:], about)
        except (InvalidTag, ValueError):
            raise Denied(f"key {key.id} does not open: it was changed or moved") from None
        pair = Ed25519PrivateKey if key.home == ENROLMENTS else X25519PrivateKey
        if pair.from_private_bytes(private).public_key().public_bytes_raw() != key.public:
            raise Denied(f"key {key.id} is not a pair")
        return private


def new_master() -> MasterKey:
    return MasterKey(new_bytes(LENGTH))


def new_pair(master: MasterKey, home: Ref, version: int, now: float) -> OrganizationKey:
    """A pair for one organization, or for enrolments; its private half is never kept in clear."""
    alone = (Ed25519PrivateKey if home == ENROLMENTS else X25519PrivateKey).generate()
    public = alone.public_key().public_bytes_raw()
    wrapped = master.wrap(alone.private_bytes_raw(), about_key(home, version, public))
    return OrganizationKey(
        id=key_id(home, version),
        home=home,
        version=version,
        public=public,
        wrapped=wrapped,
        master=master.id,
        made_at=now,
    )


@dataclass(frozen=True, slots=True)
class MasterFile:
    """Where it is kept: the newest first, and while it is changed the one before it."""

    path: Path
    given: str = field(default="", repr=False)
    """From the environment instead; then there is no file."""

    def known(self) -> tuple[MasterKey, ...]:
        """All that are there; none where there is no file yet."""
        if self.given:
            return tuple(_read(word, "SETPOINT_MASTER_KEY") for word in self.given.split(","))
        try:
            mode = self.path.stat().st_mode
            words = self.path.read_text().split()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise Denied(f"{self.path} cannot be read: {error.strerror}") from error
        if mode & OTHERS:
            raise Denied(f"others may read {self.path}: chmod 0600 {self.path}")
        if not words:
            raise Denied(f"{self.path} is empty: put the master key of this installation back")
        return tuple(_read(word, str(self.path)) for word in words)

    def begin(self) -> MasterKey:
        """The first key, made where none is; of two that begin at once, both get the same."""
        made = new_master()
        draft = self._draft((made,))
        with suppress(FileExistsError):
            os.link(draft, self.path)
        draft.unlink()
        _on_disk(self.path.parent)
        return self.known()[0]

    def keep(self, keys: Iterable[MasterKey]) -> None:
        """Whole or not at all, on disk before anybody relies on it."""
        self._draft(keys).replace(self.path)
        _on_disk(self.path.parent)

    def _draft(self, keys: Iterable[MasterKey]) -> Path:
        if self.given:
            raise Denied("the master key is given by the environment; change it there")
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        with suppress(FileNotFoundError):
            draft.unlink()
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "w") as writing:
            writing.write("".join(f"{key.text}\n" for key in keys))
            writing.flush()
            os.fsync(writing.fileno())
        return draft


def master_file(settings: Settings) -> MasterFile:
    """Where the master key of these settings is."""
    path = Path(settings.master_key_file) if settings.master_key_file else Path(settings.data) / NAME
    return MasterFile(path, settings.master_key)


def _on_disk(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _read(word: str, where: str) -> MasterKey:
    try:
        secret = base64.b64decode(word.strip(), validate=True)
    except (binascii.Error, ValueError):
        secret = b""
    if len(secret) != LENGTH:
        raise Denied(f"{where} holds no master key: {LENGTH} bytes as base64 were expected")
    return MasterKey(secret)
