"""Something of a module or class, exchanged for a while."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def swapped(owner: Any, name: str, other: Callable[..., Any]) -> Iterator[None]:
    """Until the end of the `with`; what was only inherited is inherited again."""
    own, before = name in vars(owner), getattr(owner, name)
    setattr(owner, name, other)
    try:
        yield
    finally:
        if own:
            setattr(owner, name, before)
        else:
            delattr(owner, name)
