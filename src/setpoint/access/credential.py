"""How credentials are kept and derived: never themselves, only what proves them."""

import hashlib
import hmac


def hash_token(secret: str) -> str:
    """What is stored of a credential. They are 256 random bits: no salt or slow hash would add anything."""
    return hashlib.sha256(secret.encode()).hexdigest()


def enrolment(secret: str, host: str, act: str) -> str:
    """`host.act.seal`: derived, so that it need not be stored and cannot be made up."""
    named = f"{host.partition('/')[2]}.{act}"
    seal = hmac.new(secret.encode(), named.encode(), hashlib.sha256).hexdigest()
    return f"{named}.{seal}"
