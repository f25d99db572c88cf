"""How credentials are kept and derived: never themselves, only what proves them."""

import hashlib
import hmac
import zlib
from typing import Final

PREFIX: Final = "setpoint_pat_"


def hash_token(secret: str) -> str:
    """What is stored of a credential. They are 256 random bits: no salt or slow hash would add anything."""
    return hashlib.sha256(secret.encode()).hexdigest()


def minted(identity: str, secret: str) -> str:
    """`setpoint_pat_ID_SECRET_SUM`: scanners know it by its beginning, and a typo by its end."""
    named = f"{PREFIX}{identity}_{secret}"
    return f"{named}_{zlib.crc32(named.encode()):08x}"


def enrolment(secret: str, host: str, act: str) -> str:
    """`host.act.seal`: derived, so that it need not be stored and cannot be made up."""
    named = f"{host.partition('/')[2]}.{act}"
    seal = hmac.new(secret.encode(), named.encode(), hashlib.sha256).hexdigest()
    return f"{named}.{seal}"
