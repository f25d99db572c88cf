"""A second factor: codes of six digits that follow from a shared key and the time (RFC 6238)."""

import base64
import hashlib
import hmac
from typing import Final

STEP: Final = 30
DIGITS: Final = 6
WINDOW: Final = 1
KEY_BYTES: Final = 20
RECOVERY_CODES: Final = 10
RECOVERY_LENGTH: Final = 25
GROUP: Final = 5


def totp_key(secret: str) -> str:
    """A key as authenticators take it, from 256 random bits."""
    return base64.b32encode(_bytes(secret)[:KEY_BYTES]).decode()


def code_at(key: str, counter: int) -> str:
    digest = hmac.new(base64.b32decode(key), counter.to_bytes(8), hashlib.sha1).digest()
    at = digest[-1] & 15
    number = int.from_bytes(digest[at : at + 4]) & 0x7FFFFFFF
    return f"{number % 10**DIGITS:0{DIGITS}}"


def counter_of(key: str, code: str, now: float, after: int) -> int | None:
    """Which moment this is the code of, one step around now; never one that was taken before."""
    current = int(now) // STEP
    around = range(current - WINDOW, current + WINDOW + 1)
    found = [each for each in around if hmac.compare_digest(code_at(key, each).encode(), code.encode())]
    return next((each for each in found if each > after), None)


def provisioning(key: str, email: str) -> str:
    """What an authenticator reads, as text or as a picture of it."""
    label = "".join(
        each if each.isascii() and each.isalnum() else _escaped(each) for each in f"Setpoint:{email}"
    )
    return f"otpauth://totp/{label}?secret={key}&issuer=Setpoint&algorithm=SHA1&digits={DIGITS}&period={STEP}"


def recovery_code(secret: str) -> str:
    """125 random bits in groups, for paper."""
    plain = base64.b32encode(_bytes(secret)).decode()[:RECOVERY_LENGTH].lower()
    return "-".join(plain[at : at + GROUP] for at in range(0, len(plain), GROUP))


def normal_code(code: str) -> str:
    """As it is compared: without the spaces and dashes that people type."""
    return "".join(code.split()).replace("-", "").casefold()


def _escaped(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode())


def _bytes(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
