"""How credentials are spelled and kept: never themselves, only what proves them."""

import hashlib
import re
import zlib
from collections.abc import Mapping
from typing import Final

from setpoint.engine.entity import Ref, ref_of
from setpoint.engine.token import Sort

OURS: Final = "setpoint_"
PREFIXES: Final[Mapping[Sort, str]] = {
    "session": "setpoint_ses_",
    "personal": "setpoint_pat_",
    "service": "setpoint_svc_",
    "workspace": "setpoint_wsk_",
    "agent": "setpoint_agt_",
}
LINK: Final = "setpoint_lnk_"
ENROLMENT: Final = "setpoint_enr_"
SIGNATURE: Final = re.compile(r"[0-9a-f]{128}")
OLDER: Final[Mapping[Sort, tuple[str, ...]]] = {"service": ("setpoint_pat_", ""), "agent": ("",)}
"""What those look like that were given out before each sort had a beginning of its own."""


def hash_token(secret: str) -> str:
    """What is stored of a credential. They are 256 random bits: no salt or slow hash would add anything."""
    return hashlib.sha256(secret.encode()).hexdigest()


def hash_page(page: str) -> str:
    """What is stored of the link in an address, which is all that follows the #."""
    return hash_token(page.partition("#")[2])


def minted(identity: str, secret: str, prefix: str = PREFIXES["service"]) -> str:
    """`setpoint_svc_ID_SECRET_SUM`: scanners know it by its beginning, and a typo by its end."""
    named = f"{prefix}{identity}_{secret}"
    return f"{named}_{_sum(named)}"


def fits(secret: str, sort: Sort) -> bool:
    """Whether a credential is spelled as one of its sort: nothing passes for what it was not made as."""
    return _beginning(secret) in (PREFIXES[sort], *OLDER.get(sort, ()))


def sound(secret: str, prefix: str) -> bool:
    """Whether it begins so and its sum is right: a typo is known before anything is looked up."""
    return _beginning(secret) == prefix


def enrolment(host: Ref, act: str, signature: str) -> str:
    """`setpoint_enr_HOST.ACT_SIGNATURE_SUM`: nothing of it is kept, and nobody can make it up."""
    return minted(f"{host.partition('/')[2]}.{act}", signature, ENROLMENT)


def enrolled(token: str) -> tuple[Ref, str, str]:
    """The host, the act that made its server, and the signature that says so; empty where it is none.

    There is one spelling of each token: another one of the same signature is none.
    """
    none = Ref(""), "", ""
    if not sound(token, ENROLMENT):
        return none
    named, _, _ = token.removeprefix(ENROLMENT).rpartition("_")
    about, _, signature = named.rpartition("_")
    identity, _, act = about.partition(".")
    return (ref_of("host", identity), act, signature) if SIGNATURE.fullmatch(signature) else none


def spent_key(host: Ref, act: str) -> str:
    """What tells that the server of this act has enrolled. It is no hash, so no secret leads to it."""
    return f"spent:{host}|{act}"


def _beginning(secret: str) -> str | None:
    """How it begins; nothing special for older ones, None where it claims to be ours and its sum is wrong."""
    if not secret.startswith(OURS):
        return ""
    named, _, total = secret.rpartition("_")
    known = (*PREFIXES.values(), LINK, ENROLMENT)
    return next((each for each in known if named.startswith(each) and total == _sum(named)), None)


def _sum(named: str) -> str:
    return f"{zlib.crc32(named.encode()):08x}"
