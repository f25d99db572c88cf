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


def integer(text: str) -> int:
    """Decimal, `0x` and `0o`; a leading zero means nothing."""
    lowered = text.lower()
    if lowered.startswith("0x"):
        return int(lowered, 16)
    return int(lowered, 8) if lowered.startswith("0o") else int(text)
