"""Roles and tokens as the API words them."""

from client.scripted import Told

from .fake import FakeApi

ACME = "/v1/organizations/acme"
MADE = {
    "id": "1ab",
    "name": "ci",
    "role": "operator",
    "scope": "acme/shop",
    "about": "",
    "created_by": "administrator",
    "created_at": "2026-11-15T12:00:00.000+00:00",
    "expires_at": "2126-12-15T12:00:00.000+00:00",
}
KEYS = ["organization.plan.approve", "project.dns_zone", "project.workspace.host"]


def with_access(api: FakeApi) -> None:
    page = {"next_page_token": ""}
    rule = {"effect": "allow", "verbs": ["read"], "keys": ["*"]}
    roles = [{"name": "auditor", "about": "reads everything", "rules": [rule]}]
    api.answers["POST", f"{ACME}/tokens"] = Told(201, {**MADE, "token": "setpoint_pat_1ab_x_0"})
    api.answers["GET", f"{ACME}/tokens"] = Told(body={**page, "items": [MADE]})
    api.answers["DELETE", f"{ACME}/tokens/1ab"] = Told(body=MADE)
    api.answers["GET", "/v1/permissions"] = Told(body={**page, "items": [{"key": key} for key in KEYS]})
    api.answers["GET", "/v1/me:can-i"] = Told(body={"allowed": True, "reason": "role owner allows it"})
    api.answers["GET", "/v1/roles:seeded"] = Told(body={**page, "items": roles})
    api.answers["GET", f"{ACME}/access:who-can"] = Told(
        body={**page, "items": [{"name": "ann", "reason": "role owner in acme allows it"}]}
    )


def with_people(api: FakeApi) -> None:
    """One person with one session, and a letter to her."""
    page, then = {"next_page_token": ""}, "2026-11-15T12:00:00.000+00:00"
    account = {"id": "u1", "email": "ann@acme.example", "name": "Ann", "administrator": True}
    account |= {"state": "active", "second_factor": False, "created_at": then, "created_by": "administrator"}
    session = {"id": "s1", "device": "setpoint on desk", "address": "192.0.2.7", "created_at": then}
    session |= {"seen_at": then, "expires_at": "2126-11-15T12:00:00.000+00:00", "current": True}
    letter = {"id": "e1", "to": "ann@acme.example", "subject": "Hello", "text": "Open this:"}
    letter |= {"link": "http://setpoint/start#x", "expires_at": session["expires_at"], "created_at": then}
    for path, item in (("accounts", account), ("me/sessions", session), ("outbox", letter)):
        api.answers["GET", f"/v1/{path}"] = Told(body={**page, "items": [item]})
    api.answers["POST", "/v1/accounts"] = Told(201, account)
    api.answers["PATCH", "/v1/accounts/u1"] = Told(body=account)
    api.answers["DELETE", "/v1/sessions/current"] = Told(body={"id": "s1"})
    api.unsigned["POST", "/v1/accounts:recover"] = Told(202, {"detail": "a letter was written"})
    api.answers["GET", f"{ACME}/projects/shop/workspaces/prod/keys"] = Told(body={**page, "items": [MADE]})
    member = {"name": "ann", "ref": "membership/1", "email": "ann@acme.example", "state": "accepted"}
    member |= {"roles": [{"role": "owner"}], "accepted_at": then}
    api.answers["GET", f"{ACME}/members"] = Told(body={**page, "items": [member]})
    api.answers["POST", f"{ACME}/roles/dns:preview"] = Told(body={**page, "items": []})
    standing = {"organization": "acme", "verification": "verified", "state": "active", "reason": "", "by": ""}
    api.answers["GET", f"{ACME}:standing"] = Told(body=standing)
