"""Labels: what a key and a value may look like, written as types so that reading a body checks them."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta

_PREFIX = r"(?=[^/]{1,253}/)[a-z0-9A-Z]([a-z0-9A-Z._-]*[a-z0-9A-Z])?/"
_NAME = r"[a-z0-9A-Z]([a-z0-9A-Z._-]{0,61}[a-z0-9A-Z])?"

LabelKey = Annotated[str, Meta(pattern=rf"^({_PREFIX})?{_NAME}$")]
LabelValue = Annotated[str, Meta(pattern=rf"^({_NAME})?$")]
Labels = Mapping[LabelKey, LabelValue]
