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
