"""Addresses of people: one spelling for each, so that nobody is two."""

import re
import unicodedata
from typing import Final

LONGEST: Final = 254
_FORM: Final = re.compile(r"[^@\s\x00-\x1f\x7f]{1,64}@[^@\s\x00-\x1f\x7f]+\.[^@\s\x00-\x1f\x7f.]+\Z")


def normal(email: str) -> str:
    """As it is kept and compared: compatible forms made one, case taken away."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", email).casefold()).strip()


def well_formed(email: str) -> bool:
    """Whether mail could go there; whether it arrives, only a letter tells."""
    return len(email) <= LONGEST and _FORM.match(email) is not None
