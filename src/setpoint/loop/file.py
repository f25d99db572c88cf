"""A loop file, loaded by its path, and the loops in it. One that is broken is named; the others go on."""

import inspect
import linecache
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Final

from setpoint.engine.errors import FAILURES, Rejected
from setpoint.loop.keyed import Keyed, checked

STATE: Final = ".setpoint"
LOOKS_LIKE: Final = "a class that inherits from setpoint.loop.Keyed, with desired, observe, put and delete"

Candidate = Keyed | type[Keyed]

_loading: ContextVar[Path | None] = ContextVar("loading", default=None)


@dataclass(frozen=True, slots=True)
class Broken:
    """A loop that cannot run, and why."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class LoopFile:
    """What was found in one file."""

    path: Path
    loops: tuple[Keyed, ...]
    broken: tuple[Broken, ...] = ()

    @property
    def folder(self) -> Path:
        return state_of(self.path)


def state_of(path: Path) -> Path:
    """Where a file's state is kept: `.setpoint/<file>/` beside it."""
    return path.absolute().parent / STATE / path.stem


def loading() -> Path | None:
    """The file that is being loaded right now: nothing may be served from inside it."""
    return _loading.get()


def load(path: Path) -> LoopFile:
    """The loops of this file. Rejected where it is not there, does not run, or has none."""
    if not path.is_file():
        raise Rejected(f"{path} is not a file" if path.exists() else f"{path} does not exist")
    found = sifted(_candidates(_module(path)))
    if not found[0] and not found[1]:
        raise Rejected(f"{path} has no loop; expected is {LOOKS_LIKE}")
    return LoopFile(path, *found)


def sifted(candidates: Iterable[Candidate]) -> tuple[tuple[Keyed, ...], tuple[Broken, ...]]:
    """Loops that can run, and those that cannot; Rejected where two have one name."""
    loops: dict[str, Keyed] = {}
    broken: list[Broken] = []
    for candidate in candidates:
        made = _made(candidate)
        if isinstance(made, Broken):
            broken.append(made)
            continue
        name = made.name()
        if name.lower() in loops:
            raise Rejected(f"two loops are called {name}; give one of them another name()")
        loops[name.lower()] = made
    return tuple(loops.values()), tuple(broken)


def _made(candidate: Candidate) -> Keyed | Broken:
    """The loop, checked; a class is made without arguments."""
    cls = candidate if isinstance(candidate, type) else type(candidate)
    try:
        if isinstance(candidate, type) and (lacking := _lacking(candidate)):
            cure = f"make one at the top of the file: {cls.__name__.lower()} = {cls.__name__}(…)"
            return Broken(cls.__name__, f"loop {cls.__name__} needs {lacking}; {cure}")
        loop = candidate() if isinstance(candidate, type) else candidate
        checked(loop)
    except FAILURES as error:
        return Broken(cls.__name__, str(error))
    except Exception as error:  # noqa: BLE001 - their constructor may raise anything
        return Broken(cls.__name__, f"loop {cls.__name__} cannot be made: {_said(error)}")
    return loop


def _lacking(cls: type[Keyed]) -> str:
    """The arguments that its constructor cannot do without."""
    parameters = inspect.signature(cls).parameters.values()
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return ", ".join(p.name for p in parameters if p.default is p.empty and p.kind not in optional)


def _module(path: Path) -> ModuleType:
    """The file, run as a module of its own name; its folder comes first, as Python itself would have it."""
    place = path.absolute()
    module = ModuleType(_called(place))
    module.__file__ = str(place)
    with _importable(place.parent), _known(module):
        try:
            text = place.read_bytes()
            # What runs is what is remembered: somebody may edit the file meanwhile.
            lines = text.decode(errors="replace").splitlines(keepends=True)
            linecache.cache[str(place)] = (len(text), None, lines, str(place))
            exec(compile(text, str(place), "exec"), module.__dict__)  # noqa: S102 - running it is what was asked for
        except (Exception, SystemExit) as error:
            raise Rejected(f"{path} does not load: {_where(place, error)}") from error
    return module


def _called(place: Path) -> str:
    """Its module's name: the file's own, unless that is no name or something else has it."""
    known = sys.modules.get(place.stem)
    taken = known is not None and getattr(known, "__file__", None) != str(place)
    return f"loop_file_{place.stem}" if taken or not place.stem.isidentifier() else place.stem


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """What lies beside the file can be imported by it, now and later."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    yield


@contextmanager
def _known(module: ModuleType) -> Iterator[None]:
    """Under its name while it runs, as dataclasses and pickles need it; not at all when it failed."""
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    token = _loading.set(Path(module.__file__ or ""))
    try:
        yield
    except BaseException:
        sys.modules.pop(module.__name__)
        if before is not None:
            sys.modules[module.__name__] = before
        raise
    finally:
        _loading.reset(token)


def _where(place: Path, error: BaseException) -> str:
    """`flags.py:12: NameError: name 'x' is not defined`, and that line."""
    if isinstance(error, SyntaxError) and error.filename == str(place):
        return f"{place.name}:{error.lineno}: SyntaxError: {error.msg}"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(place)]
    if not frames:
        return _said(error)
    return f"{place.name}:{frames[-1].lineno}: {_said(error)}, at: {frames[-1].line}"


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _candidates(module: ModuleType) -> Iterator[Candidate]:
    """Every loop at the top of the file, and every class of one there that nothing else is made from."""
    public = [value for name, value in vars(module).items() if not name.startswith("_")]
    ready = {id(value): value for value in public if isinstance(value, Keyed)}.values()
    yield from ready
    classes = [value for value in dict.fromkeys(_classes(public)) if value.__module__ == module.__name__]
    used = {above for loop in ready for above in type(loop).__mro__}
    used |= {above for each in classes for above in each.__mro__[1:]}
    yield from (each for each in classes if each not in used and not inspect.isabstract(each))


def _classes(values: Iterable[object]) -> Iterator[type[Keyed]]:
    yield from (each for each in values if isinstance(each, type) and issubclass(each, Keyed))
