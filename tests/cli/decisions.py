"""Guards, passes and verdicts as the API words them."""

from typing import Any

from client.scripted import Told

from .fake import CREATED, FakeApi

AnyJson = Any
PASSES = "/v1/organizations/acme/passes"
HOST = "/v1/organizations/acme/projects/shop/workspaces/prod/hosts/web-1"
HOLD = {
    "guard": "delete_budget",
    "withholds": "deletes",
    "message": "3 deletes of 100; allowed are 1 at once",
    "items": [],
}
PASS = {
    "id": "p1",
    "at": CREATED,
    "ref": "host/web-1-id",
    "kind": "host",
    "name": "web-1",
    "changes": {"create": 2, "park": 1, "delete": 2},
    "desired": 97,
    "actual": 100,
    "allowed": 2,
    "later": 4,
    "holds": [HOLD],
    "approval": "",
}
ACTIONS = [
    {"verb": "create", "item": "new", "after": {"size": "cx22", "token": "very-secret"}},
    {"verb": "delete", "item": "old", "before": {"size": "cx22"}},
]
VERDICT = {"allowed": {"create": 1}, "holds": [HOLD], "later": 0, "approval": ""}
OTHER = {"allowed": {"create": 1, "delete": 1}, "holds": [], "later": 0, "approval": "a1"}
WHOLE = {**PASS, "case": {"plan": {"reason": ""}}, "verdict": VERDICT}
REPLAY = {**{key: PASS[key] for key in ("id", "at", "ref", "kind", "name")}, "same": True}
REPLAY |= {"then": VERDICT, "now": VERDICT}
DIFFERS = {**REPLAY, "same": False, "now": OTHER}
REHEARSED = {
    "looked_at": 3,
    "held_more": 1,
    "held_less": 0,
    "items": [
        {
            **{key: PASS[key] for key in ("id", "at", "ref", "kind", "name")},
            "held_more": [HOLD],
            "held_less": [],
            "allowed": {"then": 3, "would_be": 0},
            "later": {"then": 0, "would_be": 0},
        }
    ],
    "next_page_token": "",
}
RELEASED = {
    "kind": "host",
    "name": "web-1",
    "ref": "host/web-1-id",
    "decided": "released",
    "about": [{"item": "www/A", "why": "contested: ttl"}],
    "by": "administrator",
    "reason": "x",
}


def limit(name: str, value: float, **more: AnyJson) -> dict[str, AnyJson]:
    usual = {"bounds": "a number, more than 0, less than 1", "kinds": {}, "objects": {}, "guards": []}
    return {"name": name, "about": f"About {name}.", "default": 0.1, "value": value, **usual, **more}


TABLE = {
    "items": [
        {
            "name": "delete_budget",
            "about": "Only so many deletes at once.",
            "withholds": "deletes",
            "release": "setpoint approve",
            "approvable": True,
            "spares_explicit": True,
            "limits": ["deletes_share"],
        },
        {
            "name": "protection",
            "about": "What is protected is not deleted.",
            "withholds": "items",
            "release": "setpoint release, or metadata.protected: false",
            "approvable": False,
            "spares_explicit": False,
            "limits": [],
        },
    ],
    "limits": [
        limit(
            "deletes_share",
            0.2,
            kinds={"dns_zone": 0.05},
            objects={"host/web-1": 0.01},
            guards=["delete_budget"],
        ),
        limit("wave_floor", 10),
    ],
    "next_page_token": "",
}


def with_decisions(api: FakeApi) -> None:
    """An API that knows all of this."""
    api.lists["passes"] = [PASS]
    api.answers |= {
        ("GET", "/v1/guards"): Told(body=TABLE),
        ("GET", f"{PASSES}/p1"): Told(body=WHOLE),
        ("GET", f"{PASSES}/p1:changes"): Told(body={"items": ACTIONS, "next_page_token": ""}),
        ("GET", f"{PASSES}/p1:replay"): Told(body=REPLAY),
        ("POST", f"{PASSES}:rehearse"): Told(body=REHEARSED),
        ("POST", f"{HOST}:release"): Told(body=RELEASED),
        ("POST", f"{HOST}:protect"): Told(body={**RELEASED, "decided": "protected"}),
    }
