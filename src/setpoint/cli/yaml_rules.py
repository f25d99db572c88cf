"""YAML 1.2's core schema for plain scalars: `no` is a word, `1:30` is text, `010` is ten."""

import re
from typing import Final

NULL: Final = "tag:yaml.org,2002:null"
BOOL: Final = "tag:yaml.org,2002:bool"
INT: Final = "tag:yaml.org,2002:int"
FLOAT: Final = "tag:yaml.org,2002:float"
STR: Final = "tag:yaml.org,2002:str"

# Tag, what it looks like, and the first characters that are worth a try.
RULES: Final = (
    (NULL, re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""]),
    (BOOL, re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), list("tTfF")),
    (INT, re.compile(r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)\Z"), list("-+0123456789")),
    (
        FLOAT,
        re.compile(
            r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"
        ),
        list("-+.0123456789"),
    ),
)

_PAIR: Final = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_RAW: Final = re.compile("[\x7f-\x84\x86-\x9f\ufffe\uffff]")


def spelt(text: str) -> str:
    """JSON as YAML spells it: pairs of escapes beyond the first 65,536 characters, and raw controls."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    joined = _PAIR.sub(lambda found: f"\\U{_joined(found):08x}", text)
    return _RAW.sub(lambda found: f"\\u{ord(found[0]):04x}", joined)


def _joined(pair: re.Match[str]) -> int:
    high, low = int(pair[1], 16), int(pair[2], 16)
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)


def integer(text: str) -> int:
    """Decimal, `0x` and `0o`; a leading zero means nothing."""
    lowered = text.lower()
    if lowered.startswith("0x"):
        return int(lowered, 16)
    return int(lowered, 8) if lowered.startswith("0o") else int(text)
