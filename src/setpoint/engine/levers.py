"""The hierarchical switch: which levers apply to an entity, and the proof that none moved meanwhile."""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct, convert
from msgspec.structs import replace

from setpoint.engine.case import Lever
from setpoint.engine.entity import Declared, Ref, Scope, kind_of
from setpoint.engine.kind import Kinds
from setpoint.engine.rows import INSTALLATION, Audit, Event, Mode, Switch
from setpoint.engine.store import DECLARED_OF, SWITCHES_OF, Change, Expect, Put, Store, listed

BY_FILE: Final = "by switch file"
"""In who set a switch: the file in a data folder did, and only that takes it off again."""


class Levers(Struct, frozen=True):
    """What applies now. `unchanged` goes into the commit that begins an act: a flip in between refuses it."""

    levers: tuple[Lever, ...]
    unchanged: tuple[Expect, ...]
    flips: int = 0  # How often any of them was moved: after a flip we stand on a new footing.


def keys(declared: Declared, accounts: Iterable[Ref] = ()) -> tuple[str, ...]:
    """Every switch above this entity: everything, its kind, its scopes, the accounts it uses, itself."""
    scopes = (scope for scope in reversed(declared.scope.outwards()) if scope != Scope())
    return (
        "all",
        f"kind:{declared.kind}",
        *(f"scope:{scope}" for scope in scopes),
        *(f"domain:{ref}" for ref in (*accounts, declared.ref)),
    )


async def read_levers(
    store: Store, kinds: Kinds, declared: Declared, proposed: Iterable[Declared] = ()
) -> Levers:
    """The switches and account modes above one entity, read now; modes as `proposed` where a dry run asks."""
    instead = {row.ref: row for row in proposed}
    levers: list[Lever] = []
    flips = 0
    expects: list[Expect] = []
    modes = {ref: mode for ref in declared.refs if (mode := kinds[kind_of(ref)].mode) is not None}
    above = keys(declared, modes)
    switches = {switch.key: switch for switch in await store.read(SWITCHES_OF, keys=listed(above))}
    accounts = await store.read(DECLARED_OF, refs=listed(modes)) if modes else ()
    names = {account.ref: f"{account.kind} {account.name}" for account in accounts}
    names[declared.ref] = f"{declared.kind} {declared.name}"
    for key in above:
        switch = switches.get(key)
        expects.append(Expect(Switch, key, "version", switch.version) if switch else Expect(Switch, key))
        flips += switch.version if switch else 0
        if switch is not None:
            release = f"setpoint resume {_selector(key, names)}"
            release = "setpoint resume --data DIR" if BY_FILE in switch.by else release
            levers.append(Lever(switch.mode, f"{switch.by} ({switch.reason})", release))
    for account in accounts:
        expects.append(Expect(Declared, account.ref, "generation", account.generation))
        spec = convert(instead.get(account.ref, account).spec, kinds[account.kind].spec)
        title = f"{account.kind} {account.name}"
        levers.append(Lever(modes[account.ref](spec), title, f"set spec.mode of {title} to run"))
    return Levers(tuple(levers), tuple(expects), flips)


def home_of(key: str, about: Declared | None) -> Scope:
    """Where a switch belongs, and all that is told of it: the scope that it holds, or the object's own. Only
    what stands above every organization belongs to the installation.
    """
    level, _, name = key.partition(":")
    if level == "scope":
        return Scope(*name.split("/"))
    if level == "domain" and about is not None:
        return about.inner or about.scope
    return Scope(INSTALLATION)


def is_above_all(ref: Ref) -> bool:
    """Whether a switch, by the ref of its event, holds every organization."""
    level = ref.removeprefix("switch/").partition(":")[0]
    return ref.startswith("switch/") and level in ("all", "kind")


def flipped(switch: Switch, known: Switch | None, about: Declared | None = None) -> Change:
    """This switch instead of the one that is known, if nobody else moves it meanwhile; told and proven where
    it belongs. `about` is the object that a `domain:` switch holds.

    The row stays when it is back at `run`: its version tells that there was a pause.
    """
    key, by, at, home = switch.key, switch.by, switch.since, home_of(switch.key, about)
    ref, said = Ref(f"switch/{key}"), f"{switch.mode} by {by}: {switch.reason}"
    detail = {"mode": switch.mode, "reason": switch.reason, **({"name": about.name} if about else {})}
    event = Event(
        organization=home.organization,
        type="switch.changed",
        ref=about.ref if about else ref,  # Whoever may not see the object hears nothing of it.
        scope=home,
        at=at,
        message=said,
    )
    proof = Audit(
        organization=home.organization, actor=by, action="switch.set", ref=ref, at=at, detail=detail
    )
    return Change(
        expects=(Expect(Switch, key, "version", known.version) if known else Expect(Switch, key),),
        writes=(Put(switch),),
        events=(event,),
        audit=(proof,),
    )


def tightened(known: Switch | None, wanted: Switch) -> Switch:
    """The wanted setting, but never less than what somebody chose before; both reasons are kept."""
    if known is None or known.mode is Mode.RUN:
        return replace(wanted, version=known.version + 1 if known else 1)
    told = known.reason.startswith(wanted.reason)
    reason = f"{wanted.reason} (before: {known.mode} by {known.by}: {known.reason})"
    return replace(
        wanted,
        mode=max(known.mode, wanted.mode, key=tuple(Mode).index),
        reason=known.reason if told else reason,
        version=known.version + 1,
    )


def _selector(key: str, names: Mapping[Ref, str]) -> str:
    """How the command line names this switch; `names` are the objects that can have one."""
    level, _, name = key.partition(":")
    return names.get(Ref(name), name) if level == "domain" else f"--{level} {name}".strip()
