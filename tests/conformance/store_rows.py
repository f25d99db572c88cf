"""Rows to try a store with: everything that a test does not name has one quiet value."""

from typing import Any

import msgspec

from setpoint.engine.account import Account, Factors, Letter, Link, Purpose, Strikes
from setpoint.engine.case import Case, Look
from setpoint.engine.claim import Claim
from setpoint.engine.entity import AnyJson, Declared, Ref, Scope, Status
from setpoint.engine.guards import Verdict, judge
from setpoint.engine.ledger import Budget, Failing, Ledger, Parked, Protection, Released, Taken, item_key
from setpoint.engine.limits import Limits
from setpoint.engine.plan import Action, Plan, Verb
from setpoint.engine.record import Recorded
from setpoint.engine.request import Attempt, Cancellation, past_of
from setpoint.engine.rows import (
    Act,
    ActState,
    Approval,
    Audit,
    Event,
    Installation,
    Mode,
    PlanRow,
    PlanState,
    Replica,
    Shard,
    Sign,
    Switch,
    Task,
    TaskState,
    Wake,
)
from setpoint.engine.secret import (
    Master,
    OrganizationKey,
    Sealed,
    Secret,
    SecretUse,
    key_id,
    secret_id,
    use_id,
)
from setpoint.engine.store import Change, Put, Query, Store
from setpoint.engine.tenancy import Acceptance, Standing
from setpoint.engine.token import Token

ACME = Scope("acme")


def zone(identity: str, scope: Scope = ACME, **more: Any) -> Declared:
    values = {"name": f"zone-{identity}", "spec": {}, "kind": "zone"} | more
    return Declared(ref=Ref(f"{values['kind']}/{identity}"), scope=scope, **values)


def status(identity: str, **more: Any) -> Status:
    return Status(ref=Ref(f"zone/{identity}"), **more)


def wake(identity: str, ref: str = "zone/1") -> Wake:
    return Wake(id=identity, ref=Ref(ref), reason="declared")


def act(identity: str, state: ActState = ActState.STARTED, **more: Any) -> Act:
    values = {"domain": Ref("zone/1"), "item": identity, "organization": "acme", "verb": Verb.CREATE} | more
    return Act(id=identity, state=state, **values)


def plan(identity: str, state: PlanState = PlanState.HELD, **more: Any) -> PlanRow:
    values = {"ref": Ref("zone/1"), "kind": "zone", "scope": ACME, "name": "zone-1"} | more
    return PlanRow(id=identity, state=state, **values)


def task(identity: str, state: TaskState = TaskState.QUEUED, **more: Any) -> Task:
    values = {"target": Ref("zone/1"), "key": identity, "organization": "acme"} | more
    return Task(id=identity, pipeline="move", asked_by="ann", state=state, **values)


def approval(identity: str, ref: str = "zone/1") -> Approval:
    return Approval(
        id=identity,
        ref=Ref(ref),
        plan="p1",
        digest="d1",
        items={"www": "delete www"},
        waives=("emptied",),
        approver="ann",
        reason="asked for",
        created_at=1.0,
        expires_at=2.0,
    )


def switch(key: str, version: int = 1) -> Switch:
    return Switch(key=key, mode=Mode.STOP, by="ann", reason="storm", since=1.0, version=version)


def event(kind: str = "zone.declared", organization: str = "acme", ref: str = "zone/1") -> Event:
    return Event(organization=organization, type=kind, ref=Ref(ref), scope=Scope(organization), at=1.0)


def audit(
    action: str = "declare", organization: str = "acme", detail: dict[str, AnyJson] | None = None
) -> Audit:
    return Audit(
        organization=organization, actor="ann", action=action, ref="zone/1", at=1.0, detail=detail or {}
    )


def protection(item: str, domain: str = "zone/1") -> Protection:
    key = item_key(Ref(domain), item)
    return Protection(key=key, domain=Ref(domain), item=item, by="ann", reason="dear", since=1.0)


def released(item: str, domain: str = "zone/1", at: float = 1.0) -> Released:
    key = item_key(Ref(domain), item)
    return Released(key=key, domain=Ref(domain), item=item, by="ann", reason="again", at=at)


def parked(item: str, domain: str = "zone/1", until: float = 9.0) -> Parked:
    return Parked(key=item_key(Ref(domain), item), domain=Ref(domain), item=item, until=until, value={"a": 1})


def budget(key: str, version: int = 1, count: int = 3) -> Budget:
    return Budget(key=key, version=version, taken=(Taken(domain=Ref("zone/1"), count=count, at=1.0),))


def recorded(identity: str, ref: str = "zone/1", at: float = 1.0, deletes: int = 1) -> Recorded:
    """A pass whose case has something of every shape in it."""
    actions = tuple(Action(verb=Verb.DELETE, item=f"x{n}", before={"ip": n}) for n in range(deletes))
    failing = {"x0": Failing(said="no", intent="i", count=2, since=0.5, at=0.75)}
    case = Case(
        plan=Plan(actions=actions, actual=20, desired=19, known=frozenset(("b", "a")), needs={"x0": ("x1",)}),
        ledger=Ledger(ref=Ref(ref), looks=2, before=((0.5, 20),), sizes=(1, 2), failing=failing),
        limits=Limits(),
        now=at,
        recent=(act(f"{identity}-act", ActState.DONE, before={"ip": 1}),),
        protected=frozenset(("z", "y")),
        looks=(Look("x0", "there", {"ip": 0}),),
    )
    verdict: Verdict = judge(case)
    return Recorded(
        id=identity,
        ref=Ref(ref),
        kind="zone",
        name="zone-1",
        organization="acme",
        at=at,
        case=case,
        agreed=(approval("y1"),),
        verdict=verdict,
    )


def token(subject: str, hashed: str = "", ref: str = "") -> Token:
    role: Any = "agent" if ref else "administrator"
    return Token(hash=hashed or f"hash-{subject}", subject=subject, role=role, ref=Ref(ref) if ref else None)


def account(identity: str, email: str = "", **more: Any) -> Account:
    return Account(id=identity, email=email or f"{identity}@acme.example", **more)


def link(hashed: str, purpose: Purpose = "recover", target: str = "u1") -> Link:
    return Link(hash=hashed, purpose=purpose, target=target, expires_at=9.0)


def organization_key(home: str = "organization/1", version: int = 1, **more: Any) -> OrganizationKey:
    return OrganizationKey(
        id=key_id(Ref(home), version),
        home=Ref(home),
        version=version,
        public=b"public",
        wrapped=b"wrapped",
        master=more.pop("master", "m1"),
        **more,
    )


def secret(name: str, home: str = "organization/1", **more: Any) -> Secret:
    now = Sealed(version=1, key=1, box=b"box", digest="d", at=1.5, by="ann")
    return Secret(id=secret_id(Ref(home), name), home=Ref(home), name=name, now=now, **more)


def secret_use(name: str, ref: str = "provider/1", home: str = "organization/1") -> SecretUse:
    owner, used = Ref(home), Ref(ref)
    return SecretUse(id=use_id(owner, name, used), home=owner, name=name, ref=used, version=1, at=1.5)


def sign(identity: str, at: float, **facts: AnyJson) -> Sign:
    return Sign(ref=Ref(f"host/{identity}"), at=at, facts=facts)


def one_of_each() -> list[Any]:
    """A row for every table a change may write."""
    return [
        zone("1", refs=(Ref("host/1"),), parent=Ref("zone/0"), spec={"ttl": 60, "ns": ["a", "b"]}),
        status("1", facts={"serial": 7}),
        wake("w1"),
        act("a1", before={"ip": "1.2.3.4"}),
        plan("p1", digest="d"),
        approval("y1"),
        switch("all"),
        task("t1", saved={"step": 2}),
        Ledger(ref=Ref("zone/1"), known=("www",)),
        protection("www"),
        released("www"),
        parked("www"),
        budget("installation"),
        recorded("r1"),
        Token(hash="ab", subject="agent", role="agent", ref=Ref("host/1")),
        Token(hash="cd", subject="ann@acme.example", role="", sort="session", account="u1", seen_at=7.5),
        account("u1"),
        Factors(account="u1", totp="sealed", recovery=("h1", "h2"), counter=9, version=2),
        link("l1", "first", ""),
        Letter(id="e1", to="ann@acme.example", subject="Hello", text="Open", link="l1", sealed="x"),
        Strikes(key="address:192.0.2.1", count=3, at=1.5),
        Attempt(key="k1", asked="h", owner="a", until=9.5, refs=("zone/1",), headers={"ETag": '"x"'}),
        past_of(zone("1", generation=7, spec={"ttl": 60}), "changed"),
        Cancellation(id="t1", by="ann", reason="a mistake", at=1.0),
        Claim(key="dns_zone/example.org@provider/1", ref=Ref("dns_zone/1"), organization="acme"),
        Acceptance(ref=Ref("membership/1"), account="u1", email="ann@acme.example", at=2.5),
        Standing(organization="acme", verification="blocked", reason="unpaid", by="root", at=3.5),
        Master(id="m1"),
        organization_key(),
        secret("hetzner", before=Sealed(version=1, key=1, box=b"old", digest="d", at=0.5, by="ann")),
        secret_use("hetzner"),
        Installation(id="i1"),
        Shard(key="scheduler/999", service="scheduler", owner="a", epoch=3, until=4.5),
        Replica(key="scheduler/a", service="scheduler", until=4.5),
    ]


def puts(*rows: Any) -> Change:
    return Change(writes=tuple(Put(row) for row in rows))


def refs(*wanted: str) -> str:
    return msgspec.json.encode(wanted).decode()


async def names(store: Store, query: Query[Any], **values: Any) -> list[str]:
    """What a query finds, by the last part of each key."""
    found = await store.read(query, **values)
    return [str(getattr(row, "id", None) or row.ref).rpartition("/")[2] for row in found]
