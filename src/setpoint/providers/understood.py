"""An answer of a shape nobody expected is one of the five errors too, not a bug of ours."""

import functools
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from setpoint.engine.errors import Transient

Given = ParamSpec("Given")
Result = TypeVar("Result")


def understood(
    call: Callable[Given, Coroutine[Any, Any, Result]],
) -> Callable[Given, Coroutine[Any, Any, Result]]:
    """The call, with every way of misreading its answer turned into Transient; it may have landed."""

    @functools.wraps(call)
    async def reading(*given: Given.args, **named: Given.kwargs) -> Result:
        try:
            return await call(*given, **named)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            what = f"the answer to {call.__name__} has an unexpected shape: {error!r}"
            raise Transient(what, landed=True) from error

    return reading
