"""What a loop stands on: a fingerprint of the code that observes and acts. What it declares is no part of it.

Another fingerprint starts probation, so editing `desired`, or any value, must not change it; editing
`observe`, `put` or what they call must. Code of other files is not followed.
"""

import ast
import inspect
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from textwrap import dedent
from types import CellType, CodeType, FunctionType
from typing import Final

from setpoint.loop.keyed import PARAMETERS, Keyed

INTENT: Final = "desired"
CALLED: Final = frozenset(PARAMETERS) - {INTENT} | {"__init__", "__new__", "__getattr__", "__getattribute__"}
DYNAMIC: Final = frozenset({"getattr", "__getattribute__", "methodcaller", "attrgetter", "eval", "exec"})

Part = tuple[object, ...]
"""What stands under one name: a function, an object that is called like one, or all methods of a class."""
Parts = Mapping[str, Part]


def footing(loop: Keyed) -> str:
    """Changes when the adapter's code does: not with comments, layout, docstrings or declared values."""
    found = blake2b(digest_size=16)
    for name, part in sorted(_adapter(loop).items()):
        found.update(f"{name}\0{said(part)}\0".encode())
    return found.hexdigest()


def _adapter(loop: Keyed) -> dict[str, Part]:
    """What the engine calls, but for `desired`, and all that this reaches by name in its own file."""
    methods = _methods(loop)
    known = {**_beside(type(loop)), **methods}
    reached = _reached([name for name in methods if name in CALLED], known)
    if any(DYNAMIC & _words(known[name]) for name in reached):
        # What is called by a name made up at run time may be any of them.
        reached |= _reached([name for name in methods if name != INTENT], known)
    return {name: known[name] for name in reached}


def _methods(loop: Keyed) -> dict[str, Part]:
    """By name, as calling them would find them."""
    found: dict[str, object] = {}
    for cls in reversed(type(loop).__mro__):
        found |= vars(cls) if cls not in (Keyed, object) else {}
    found |= getattr(loop, "__dict__", {})
    return {name: part for name, each in found.items() if (part := _part(each, called=name in PARAMETERS))}


def _beside(cls: type) -> dict[str, Part]:
    """Functions of the same file, and its other classes as all of their methods."""
    module = inspect.getmodule(cls)
    near = {
        name: each
        for name, each in (vars(module) if module else {}).items()
        if getattr(each, "__module__", None) == cls.__module__
    }
    functions = {name: part for name, each in near.items() if (part := _part(each))}
    classes = {
        name: tuple(piece for member in vars(each).values() for piece in _part(member))
        for name, each in near.items()
        if isinstance(each, type) and not issubclass(each, Keyed)
    }
    return functions | classes


def _part(each: object, *, called: bool = False) -> Part:
    """The function behind a method, a property or a decorator; an object where it is `called` like one."""
    if isinstance(each, staticmethod | classmethod):
        each = each.__func__
    if isinstance(each, property):
        each = each.fget
    if not isinstance(each, FunctionType):
        return (each,) if called and callable(each) else ()
    return tuple(_with_held(each))


def _with_held(function: FunctionType) -> list[FunctionType]:
    """A function and those in its closure, at any depth: what a decorator holds is what it calls."""
    found = [function]
    for each in found:
        inside = (cell.cell_contents for cell in each.__closure__ or () if _is_filled(cell))
        found += [held for held in inside if isinstance(held, FunctionType) and held not in found]
    return found


def _is_filled(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - the question is whether this raises
    except ValueError:
        return False
    return True


def _reached(starts: Iterable[str], known: Parts) -> set[str]:
    """These and all that they call or mention, as far as it is known here; never by way of `desired`."""
    reached: set[str] = set()
    waiting = [name for name in starts if name in known]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += [word for word in _words(known[name]) if word in known and word != INTENT]
    return reached


def _words(part: Part) -> set[str]:
    """Every name and attribute in its code."""
    functions = (each for each in part if isinstance(each, FunctionType))
    return {word for each in functions for code in _codes(each.__code__) for word in code.co_names}


def said(part: object) -> str:
    """Code as text that layout and comments do not change, and of objects what they were made with."""
    if isinstance(part, tuple | list):
        return f"({', '.join(said(each) for each in part)})"
    if isinstance(part, FunctionType):
        return _source(part)
    if is_dataclass(part) and not isinstance(part, type):
        return f"{type(part).__qualname__}{[said(getattr(part, field.name)) for field in fields(part)]}"
    if isinstance(part, Mapping):
        part = sorted(map(str, part))  # Not what is in it: a token in a header may change every day.
    plain = part is None or isinstance(part, str | int | float | bytes | list)
    return repr(part) if plain else type(part).__qualname__


def _source(function: FunctionType) -> str:
    """Its syntax tree; its bytecode where the source is not to be had, or is part of a line."""
    tree = None
    if function.__name__ != "<lambda>":
        with suppress(OSError, TypeError, SyntaxError):
            tree = ast.parse(dedent(inspect.getsource(function)))
    if tree is None:
        return "; ".join(_bytecode(code) for code in _codes(function.__code__))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and ast.get_docstring(
            node
        ):
            node.body = node.body[1:]
    return ast.dump(tree)


def _bytecode(code: CodeType) -> str:
    constants = [repr(each) for each in code.co_consts[1:] if not isinstance(each, CodeType)]
    return f"{code.co_code.hex()} {code.co_names} {constants}"


def _codes(code: CodeType) -> Iterator[CodeType]:
    """This code and all that is nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
