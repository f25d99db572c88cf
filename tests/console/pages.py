"""Every page there is, as people reach it. A new one is added here and is looked at by all tests of looks."""

from dataclasses import dataclass
from typing import Any, Final

from setpoint.demo.fleet import ORGANIZATION

from .browser import Served

AnyJson = Any
WEB = "/inventory/host/acme/shop/prod/web-1?scope=acme"
PAGES: Final = {
    "/now?scope=acme": "now",
    "/inbox?scope=acme": "inbox",
    "/inventory?scope=acme": "inventory",
    "/inventory?scope=acme&kind=host&state=READY": "inventory-hosts",
    "/inventory?scope=acme&kind=provider&text=hetz&order=name+desc": "inventory-found",
    WEB: "resource-summary",
    f"{WEB}&tab=why": "resource-why",
    f"{WEB}&tab=history": "resource-history",
    f"{WEB}&tab=changes": "resource-changes",
    f"{WEB}&tab=related": "resource-related",
    f"{WEB}&tab=edit": "resource-edit",
    f"{WEB}&tab=raw": "resource-raw",
    "/inventory/dns_zone/acme/shop/example-org?scope=acme": "resource-zone",
    "/inventory/scaling_group/acme/shop/prod/web?scope=acme": "resource-group",
    "/declare/host?scope=acme/shop/prod": "declare",
    "/loops?scope=acme": "loops",
    "/loops?scope=acme&view=hours": "loops-hours",
    "/inventory/dns_zone/acme/shop/example-org?scope=acme&tab=why": "zone-why",
    "/tasks?scope=acme": "tasks",
    "/providers?scope=acme": "providers",
    "/hosts?scope=acme": "hosts",
    "/access?scope=acme": "access",
    "/access?scope=acme&tab=roles&role=operator": "access-roles",
    "/access?scope=acme&tab=who-can&verb=delete&key=project.workspace.host": "access-who-can",
    "/audit?scope=acme": "audit",
    "/audit?scope=acme&actor=nobody": "audit-nothing",
    "/me?scope=acme": "me",
    "/me?scope=acme&tab=tokens": "me-tokens",
    "/me?scope=acme&tab=proof": "me-proof",
    "/sign-in": "sign-in",
}
"""Address, and what its picture is called."""


@dataclass(frozen=True)
class Look:
    """One page as somebody has it before them."""

    path: str
    name: str
    keys: tuple[str, ...] = ()
    """Pressed once it is there."""


def looks(served: Served) -> list[Look]:
    """All pages, those of what was made meanwhile, and what keys open over a page."""
    held, done = (served.client.plans(ORGANIZATION, state)[0]["id"] for state in ("held", "done"))
    task = next(iter(served.client.tasks(ORGANIZATION)))["id"]
    zones = (each["id"] for each in served.client.passes(ORGANIZATION) if each["kind"] == "dns_zone")
    return [
        *(Look(path, name) for path, name in PAGES.items()),
        Look(f"/inbox?scope=acme&show=all&at={done}", "inbox-all"),
        Look(f"/plans/{held}?scope=acme", "plan-review"),
        Look(f"/plans/{done}?scope=acme", "plan-progress"),
        Look(f"/loops/dns_zone?scope=acme&pass={next(zones)}", "loop-replay"),
        Look(f"/tasks/{task}?scope=acme", "task"),
        Look("/now?scope=acme", "palette", ("Control+k",)),
        Look("/inventory?scope=acme", "keys", ("?",)),
    ]
