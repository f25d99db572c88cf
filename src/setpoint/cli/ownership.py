"""Whose declarations these are: what the owner no longer mentions, and what it takes over from others."""

import argparse
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.files import Files
from setpoint.cli.screen import Screen
from setpoint.cli.text import clean, plural
from setpoint.client.resource import Object

AnyJson = Any
NAMED: Final = 5
FLAGS: Final = (("--owner", "owner"), ("-O", "organization"), ("-p", "project"), ("-w", "workspace"))


@dataclass(frozen=True, slots=True)
class Ownership:
    """What the server said when it checked one batch."""

    owner: str
    unmentioned: int = 0
    names: tuple[str, ...] = ()
    """The first of what is no longer mentioned."""
    taken: tuple[tuple[str, int], ...] = ()
    """Other owners, and how many of their objects are taken over."""
    withdrawn: tuple[Object, ...] = ()
    """What pruning would ask to be deleted."""

    @property
    def body(self) -> dict[str, AnyJson]:
        """For programs, as the API words it."""
        return {
            "unmentioned": {"count": self.unmentioned, "names": list(self.names)},
            "taken_over": [{"owner": owner, "count": count} for owner, count in self.taken],
        }


def owner_for(args: argparse.Namespace, files: Files) -> str:
    """Whose declarations the command line means: `--owner`, else the name of the file or folder."""
    owner = str(args.owner or files.stem)
    if args.prune and not owner:
        raise Stop("--prune needs to know whose declarations stdin holds", Exit.USAGE, ("add --owner NAME",))
    return owner


def ownership_in(checked: Mapping[str, AnyJson], owner: str) -> Ownership:
    """From the answer to a batch that was only checked."""
    left = checked.get("unmentioned") or {}
    objects = (Object(body) for body in checked.get("items") or ())
    return Ownership(
        owner,
        int(left.get("count") or 0),
        tuple(map(str, left.get("names") or ())),
        tuple((str(each["owner"]), int(each["count"])) for each in checked.get("taken_over") or ()),
        tuple(found for found in objects if found.metadata.get("deleting") == "withdrawn"),
    )


def tell_ownership(screen: Screen, found: Ownership, args: argparse.Namespace) -> None:
    """What would otherwise go unsaid, beside the answer: no field differs because of it."""
    for line in (*_taken(found), *(() if args.prune else _unmentioned(found, args))):
        screen.say(clean(line))


def _taken(found: Ownership) -> Iterator[str]:
    for owner, count in found.taken:
        yield f"Takes over {plural(count, 'object')} from owner {owner}; the new owner is {found.owner}."


def _unmentioned(found: Ownership, args: argparse.Namespace) -> Iterator[str]:
    if not found.unmentioned:
        return
    objects = plural(found.unmentioned, "object")
    verb = "is" if found.unmentioned == 1 else "are"
    named = ", ".join(found.names[:NAMED])
    more = found.unmentioned - len(found.names[:NAMED])
    yield f"{objects} of owner {found.owner} {verb} no longer mentioned, and will be left as they are: " + (
        f"{named} and {more:,} more" if more else named
    )
    yield f"  to ask for their deletion: {with_prune(args)}"


def with_prune(args: argparse.Namespace) -> str:
    """The command that shows what pruning would do, with the same files and flags."""
    words: list[str] = ["setpoint", "plan"]
    words += [word for name in args.file for word in ("-f", name)]
    words += [word for given in args.var for word in ("--var", given)]
    for flag, name in FLAGS:
        words += [flag, getattr(args, name)] if getattr(args, name) else []
    return shlex.join([*words, "--prune"])
