"""What the files ask for, by organization, and how that differs from what is declared now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from setpoint.cli.changes import Change, Field, fields_of
from setpoint.cli.defaults import filled
from setpoint.cli.exits import Exit, Stop
from setpoint.cli.fields import Schema
from setpoint.cli.files import Files, Mistaken
from setpoint.cli.session import Session
from setpoint.client.address import Scope
from setpoint.client.client import Batch
from setpoint.client.resource import Kind, Object

AnyJson = Any
TROUBLED: Final = ("FAILED", "HELD")


@dataclass(frozen=True, slots=True)
class Proposal:
    """Declarations for one organization; `origins` says which document each one was."""

    organization: str
    batch: Batch
    origins: tuple[int, ...]


@dataclass
class _Gathered:
    items: list[dict[str, AnyJson]] = field(default_factory=list)
    origins: list[int] = field(default_factory=list)


def proposals(session: Session, files: Files, owner: str, *, prune: bool) -> list[Proposal]:
    """One per organization that the files speak of; at least one, for an empty file withdraws things too."""
    gathered: dict[str, _Gathered] = {}
    declared = files.declarations()
    usual = _usual_organization(session, declared)
    for origin, item in enumerate(declared):
        placed = _placed(session, item, usual)
        held = gathered.setdefault(_organization_of(placed) or session.organization, _Gathered())
        held.items.append(placed)
        held.origins.append(origin)
    if not gathered:
        if files.findings:
            raise Mistaken(files.findings)
        if not prune:
            raise Stop("there is nothing in these files to declare", Exit.USAGE, ("setpoint explain host",))
        gathered[session.organization] = _Gathered()
    return [
        Proposal(organization, Batch(held.items, owner, prune), tuple(held.origins))
        for organization, held in gathered.items()
    ]


def differences(
    session: Session, proposal: Proposal, known: Mapping[object, Object], withdrawn: Sequence[Object]
) -> list[Change]:
    """How the declarations differ from those the server has; withdrawals are deletes."""
    schemas = {kind.name: kind.schema for kind in session.catalogue.kinds}
    found = [
        change
        for item in proposal.batch.items
        if (change := _difference(item, known, schemas.get(str(item.get("kind")), {}))) is not None
    ]
    return [*found, *(Change("delete", gone.kind, gone.name) for gone in withdrawn)]


def troubled(proposal: Proposal, known: Mapping[object, Object], changes: Sequence[Change]) -> list[Object]:
    """What the files mention and do not change, and what waits for a person or has failed all the same."""
    changing = {(change.kind, change.name) for change in changes}
    mentioned = [known[key] for item in proposal.batch.items if (key := _key(item)) in known]
    return [
        found
        for found in mentioned
        if found.state in TROUBLED and (found.kind, found.name) not in changing and not found.deleting
    ]


def _usual_organization(session: Session, declared: Sequence[Mapping[str, AnyJson]]) -> str:
    """For declarations that name none: the flag, or the only organization the files themselves declare."""
    if session.given.organization:
        return session.given.organization
    own = {str(_metadata(item).get("name")) for item in declared if item.get("kind") == "organization"}
    return own.pop() if len(own) == 1 else ""


def _placed(session: Session, item: dict[str, AnyJson], usual: str) -> dict[str, AnyJson]:
    """The scope that flags name, written into a declaration that leaves it out."""
    kind = _kind(session, str(item.get("kind", "")))
    metadata = item.get("metadata", {})
    if kind is None or kind.level == "installation" or not isinstance(metadata, Mapping):
        return item
    place = Scope(usual, session.given.project, session.given.workspace).up_to(kind.level)
    names = {"organization": place.organization, "project": place.project, "workspace": place.workspace}
    missing = {key: name for key, name in names.items() if name and key not in metadata}
    if "organization" not in metadata and not usual:
        missing["organization"] = session.organization
    return {**item, "metadata": {**metadata, **missing}}


def _kind(session: Session, word: str) -> Kind | None:
    """Exactly as written: an almost right kind is the server's to complain about."""
    return next((kind for kind in session.catalogue.kinds if kind.name == word), None)


def _organization_of(item: Mapping[str, AnyJson]) -> str:
    metadata = _metadata(item)
    key = "name" if item.get("kind") == "organization" else "organization"
    named = metadata.get(key)
    return named if isinstance(named, str) else ""


def _metadata(item: Mapping[str, AnyJson]) -> Mapping[str, AnyJson]:
    found = item.get("metadata")
    return found if isinstance(found, Mapping) else {}


def known_to(session: Session, proposal: Proposal) -> dict[object, Object]:
    """What is declared now, of the kinds and scopes the proposal touches."""
    places = set()
    for item in proposal.batch.items:
        kind = _kind(session, str(item.get("kind", "")))
        if kind is not None:
            metadata = _metadata(item)
            scope = Scope(*(str(metadata.get(key) or "") for key in ("organization", "project", "workspace")))
            places.add((kind.name, scope.up_to(kind.level)))
    return {
        _key(found.body): found
        for name, scope in sorted(places, key=str)
        for found in session.client.objects(session.catalogue.find(name), scope)
    }


def _difference(item: Mapping[str, AnyJson], known: Mapping[object, Object], schema: Schema) -> Change | None:
    kind, name = str(item.get("kind", "")), str(_metadata(item).get("name", ""))
    before, wanted = known.get(_key(item)), item.get("spec") or {}
    if before is None:
        return Change("create", kind, name, fields=fields_of("create", None, wanted))
    kept = (Field("deletion", str(before.metadata["deleting"]), "taken back"),) if before.deleting else ()
    fields = (
        *kept,
        *fields_of("update", filled(dict(before.spec), schema, schema), filled(wanted, schema, schema)),
        *fields_of(
            "update",
            _manners(before.metadata),
            _manners({"protected": before.metadata.get("protected"), **_metadata(item)}),
        ),
    )
    return Change("update", kind, name, fields=fields) if fields else None


def _manners(metadata: Mapping[str, AnyJson]) -> dict[str, AnyJson]:
    return {"labels": metadata.get("labels") or {}, "protected": bool(metadata.get("protected"))}


def _key(item: Mapping[str, AnyJson]) -> tuple[str, ...]:
    metadata = _metadata(item)
    named = (metadata.get(key) for key in ("organization", "project", "workspace", "name"))
    return (str(item.get("kind", "")), *(str(part or "") for part in named))
