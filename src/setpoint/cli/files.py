"""Declarations from files, folders and stdin, with every mistake pointed at where it stands."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TextIO

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.item import Item
from setpoint.cli.source import Finding, Place, Source, in_order, shown
from setpoint.cli.text import plural
from setpoint.cli.yaml_reader import Document, read
from setpoint.client.errors import Mistake

AnyJson = Any
SUFFIXES: Final = (".yaml", ".yml", ".json")
STDIN: Final = "-"
SECRET: Final = "plain_secret"  # noqa: S105 - a code
ABOUT_KEYS: Final = frozenset({"unknown_field", "unknown_kind_field", "duplicate_name"})


@dataclass(frozen=True, slots=True)
class Files:
    """Everything that was named on the command line."""

    documents: tuple[Document, ...]
    stem: str
    """Who owns what is declared: the first file, without its ending, or the first folder. Stdin: nobody."""
    findings: tuple[Finding, ...] = ()
    """Mistakes that show without a server; those of the server are told together with them."""
    items: tuple[Item, ...] = ()
    """Every declaration in its long form."""

    def declarations(self) -> list[dict[str, AnyJson]]:
        return [item.declaration for item in self.items]


class Mistaken(Stop):
    """The files are wrong; every mistake, in the order of the files."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        ordered = in_order(list(findings))
        super().__init__(f"{plural(len(ordered), 'mistake')}; nothing was changed", Exit.USAGE)
        self.lines = tuple(line for finding in ordered for line in (*shown(finding), ""))
        self.body = {"errors": [_as_json(finding) for finding in ordered]}


def read_files(names: Sequence[str], stdin: TextIO) -> Files:
    """All documents of all files. Raises where one cannot be read at all: what it declares is not known."""
    sources = [source for name in names for source in _sources(name, stdin)]
    documents: list[Document] = []
    findings: list[Finding] = []
    for source in sources:
        found, wrong = read(source)
        documents += found
        findings += [*wrong, *_not_objects(found)]
    if any(finding.fatal for finding in findings):
        raise Mistaken(findings)
    return Files(tuple(documents), _stem(names[0]), tuple(findings))


def findings_from(files: Files, mistakes: Iterable[Mistake], offsets: Sequence[int]) -> list[Finding]:
    """The server's mistakes, at the places the files have them. `offsets`: which document each item was."""
    found = []
    for mistake in mistakes:
        _, _, rest = mistake.pointer.partition("/items/")
        index, slash, inner = rest.partition("/")
        if not index.isdigit() or int(index) >= len(offsets):
            found.append(Finding(Source("the request", ""), Place(0, 0), mistake.message, mistake.hint))
            continue
        item = files.items[offsets[int(index)]]
        place = item.place(slash + inner, key=mistake.code in ABOUT_KEYS)
        finding = Finding(item.document.source, place, mistake.message, mistake.hint)
        found.append(replace(finding, secret=mistake.code == SECRET))
    return found


def _stem(name: str) -> str:
    if name == STDIN:
        return ""
    path = Path(name)
    # A folder's own name: another file in it must not make another owner.
    return path.resolve().name if path.is_dir() else path.stem


def _sources(name: str, stdin: TextIO) -> list[Source]:
    if name == STDIN:
        return [_from_stdin(stdin)]
    path = Path(name)
    if path.is_dir():
        inside = sorted(found for found in path.rglob("*") if _is_ours(found, path))
        if not inside:
            raise Stop(f"{name} holds no {', '.join(SUFFIXES)} files", Exit.USAGE)
        return [_source(found) for found in inside]
    return [_source(path)]


def _from_stdin(stdin: TextIO) -> Source:
    try:
        return Source("stdin", stdin.read().removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        raise Stop("stdin is not UTF-8") from error


def _is_ours(found: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in found.relative_to(folder).parts)
    return found.is_file() and found.suffix in SUFFIXES and not hidden


def _source(path: Path) -> Source:
    try:
        return Source(str(path), path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise Stop(f"{path} cannot be read: {error.strerror}", Exit.USAGE) from error
    except UnicodeDecodeError as error:
        raise Stop(f"{path} is not UTF-8: byte {error.start} is {error.object[error.start]:#x}") from error


def _not_objects(documents: Sequence[Document]) -> list[Finding]:
    hint = "a declaration has kind, metadata and spec"
    return [
        Finding(document.source, document.place(""), "a mapping was expected here", hint)
        for document in documents
        if not isinstance(document.value, dict)
    ]


def _as_json(finding: Finding) -> dict[str, AnyJson]:
    return {
        "file": finding.source.name,
        "line": finding.place.line + 1,
        "column": finding.place.column + 1,
        "message": finding.message,
        "hint": finding.hint,
    }
