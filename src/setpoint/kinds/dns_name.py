"""Names of zones and records: read as people write them, spelt in one way.

Small letters, Unicode in its ASCII form (IDNA 2008), no final dot; a record's name is relative to its zone.
"""

import functools
import re
from typing import Final

APEX: Final = "@"
SHOWN: Final = 64  # Characters of a value in a sentence.
LONGEST: Final = 253  # Characters of a whole name, without its final dot (RFC 1035).
_RECORD_LABEL: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_DOMAIN_LABEL: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_LAST_LABEL: Final = re.compile(r"[a-z]{2,63}|xn--[a-z0-9-]{1,58}[a-z0-9]")
_LABEL_RULE: Final = "each part between dots has 1 to 63 letters, digits or hyphens, no hyphen at either end"


def read_record_name(text: str) -> str:
    """Returns the name in its one spelling; raises ValueError with the sentence for who wrote it."""
    if text == APEX:
        return text
    if not text:
        raise ValueError("a record needs a name; write @ for the zone itself")
    if text.endswith("."):
        raise ValueError(f"{text} ends with a dot; write the name relative to the zone, e.g. www")
    first, *rest = [_ascii(label, text) for label in text.split(".")]
    if not all(_RECORD_LABEL.fullmatch(label) for label in (first.replace("*", "any", first == "*"), *rest)):
        rule = f"{_LABEL_RULE}; underscores are allowed, and * alone as the first part"
        raise ValueError(f"{shorten(text)} is not a record name: {rule}")
    return ".".join((first, *rest))


def read_domain(text: str) -> str:
    """Returns the domain in its one spelling; raises ValueError with the sentence for who wrote it."""
    labels = [_ascii(label, text) for label in text.removesuffix(".").split(".")]
    fits = all(_DOMAIN_LABEL.fullmatch(label) for label in labels) and _LAST_LABEL.fullmatch(labels[-1])
    domain = ".".join(labels)
    if not labels[1:] or not fits or len(domain) > LONGEST:
        raise ValueError(f"{shorten(text)} is not a domain: {_LABEL_RULE}, e.g. example.org")
    return domain


@functools.lru_cache(maxsize=2**16)
def normal_record_name(text: str) -> str:
    """Returns the one spelling of a name that is stored or seen; one that cannot be read stays as it is."""
    try:
        return read_record_name(text)
    except ValueError:
        return text


@functools.lru_cache(maxsize=2**12)
def normal_domain(text: str) -> str:
    """Returns the one spelling of a domain that is stored; one that cannot be read stays as it is."""
    try:
        return read_domain(text)
    except ValueError:
        return text


def whole_name(name: str, domain: str) -> str:
    """Returns the name of a record with its zone's, without a final dot."""
    return domain if name == APEX else f"{name}.{domain}"


def shorten(text: str) -> str:
    """Returns a value as a sentence shows it: no line breaks, no more than a line."""
    shown = text if text.isprintable() else ascii(text)
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 1]}…"


def _ascii(label: str, whole: str) -> str:
    if label.isascii():
        return label.lower()
    from setpoint.kinds.dns_value import encode_label  # noqa: PLC0415 - see there

    try:
        return encode_label(label)
    except ValueError as error:
        raise ValueError(f"{shorten(whole)} has no form that DNS knows: {error}") from error
