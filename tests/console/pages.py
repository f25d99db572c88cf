"""Every page there is, as people reach it. A new one is added here and is looked at by all tests of looks."""

from typing import Final

WEB = "/inventory/host/acme/shop/prod/web-1?scope=acme"
PAGES: Final = {
    "/now?scope=acme": "now",
    "/inbox?scope=acme": "inbox",
    "/inventory?scope=acme": "inventory",
    "/inventory?scope=acme&kind=host&state=READY": "inventory-hosts",
    WEB: "resource-summary",
    f"{WEB}&tab=why": "resource-why",
    f"{WEB}&tab=history": "resource-history",
    f"{WEB}&tab=changes": "resource-changes",
    f"{WEB}&tab=related": "resource-related",
    f"{WEB}&tab=edit": "resource-edit",
    f"{WEB}&tab=raw": "resource-raw",
    "/declare/host?scope=acme/shop/prod": "declare",
    "/loops?scope=acme": "loops",
    "/tasks?scope=acme": "tasks",
    "/providers?scope=acme": "providers",
    "/hosts?scope=acme": "hosts",
    "/access?scope=acme": "access",
    "/audit?scope=acme": "audit",
    "/me?scope=acme": "me",
}
"""Address, and what its picture is called."""
