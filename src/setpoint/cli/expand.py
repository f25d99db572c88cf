"""From documents to declarations in their long form: short forms, envelopes, lists and templates."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.files import Files, Mistaken, read_files
from setpoint.cli.item import step
from setpoint.cli.session import Session
from setpoint.cli.short_form import Expansion, is_short
from setpoint.cli.source import Finding, Source
from setpoint.cli.suggest import did_you_mean
from setpoint.cli.template import VARIABLES, Values, Wrong, declared_in
from setpoint.cli.yaml_reader import Document, read
from setpoint.client.errors import Refused, Unreachable
from setpoint.client.resource import Kind

AnyJson = Any
LIST: Final = "List"
ITEMS: Final = "items"


def declarations_in(session: Session, args: argparse.Namespace) -> Files:
    """What the flags name, read and expanded; its mistakes are not told yet, for the server finds more."""
    files = read_files(args.file, session.screen.stdin)
    try:
        kinds = session.catalogue.kinds
    except (Unreachable, Refused):
        if files.findings:
            raise Mistaken(files.findings) from None
        raise
    return expanded(files, kinds, args.var)


def expanded(files: Files, kinds: Sequence[Kind], given: Sequence[str] = ()) -> Files:
    """The files with every declaration in its long form; `given` are NAME=VALUE from the command line."""
    said = dict(_assignment(word) for word in given)
    values, findings = _values(files.documents, said)
    known = {name for each in values.values() for name in each.known}
    if unknown := [name for name in said if name not in known]:
        near = did_you_mean(unknown[0], known)
        steps = (*near, f"variables: {{{unknown[0]}: DEFAULT}} in a file makes it one")
        raise Stop(f"no file has a variable {unknown[0]}", Exit.USAGE, steps)
    items = []
    for document in files.documents:
        expansion = Expansion(document, kinds)
        _expand(expansion, document.value, values[document.source.name])
        items += expansion.items
        findings += expansion.findings()
    return replace(files, items=tuple(items), findings=(*files.findings, *findings))


def _expand(expansion: Expansion, body: AnyJson, values: Values) -> None:
    if not isinstance(body, Mapping):
        return
    if isinstance(body.get(ITEMS), list) and body.get("kind") in (None, LIST):
        for index, inner in enumerate(body[ITEMS]):
            at = f"/{ITEMS}/{index}"
            if isinstance(inner, Mapping):
                expansion.long(inner, values, at)
            else:
                expansion.wrong.append(
                    Wrong(at, "a declaration was expected here", "kind, metadata and spec")
                )
    elif is_short(body, expansion.kinds):
        expansion.short(body, values)
    else:
        expansion.long(body, values)


def _values(
    documents: Sequence[Document], given: Mapping[str, AnyJson]
) -> tuple[dict[str, Values], list[Finding]]:
    """The variables of each file: those of all its documents, with what the command line says instead."""
    found: dict[str, dict[str, AnyJson]] = {document.source.name: {} for document in documents}
    findings: list[Finding] = []
    for document in documents:
        if not isinstance(document.value, Mapping) or VARIABLES not in document.value:
            continue
        wrong: list[Wrong] = []
        found[document.source.name] |= declared_in(document.value[VARIABLES], step(VARIABLES), wrong)
        findings += [Finding(document.source, document.place(one.at), one.message, one.hint) for one in wrong]
    chosen = {
        name: Values({**own, **{key: value for key, value in given.items() if key in own}})
        for name, own in found.items()
    }
    return chosen, findings


def _assignment(word: str) -> tuple[str, AnyJson]:
    """`size=cx22`: the value is read as a file would have it."""
    name, equals, raw = word.partition("=")
    if not equals or not name:
        raise Stop(f"--var {word} is not NAME=VALUE", Exit.USAGE, ("for example: --var size=cx32",))
    documents, wrong = read(Source("--var", raw))
    return name, documents[0].value if documents and not wrong else raw
