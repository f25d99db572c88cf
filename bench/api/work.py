"""The work that every server here does: the same rows, the same questions."""

from typing import Any, Final

AnyJson = Any
COLLECTION: Final = "/v1/organizations/acme/notification_channels"
PAGE: Final = 100
SECRET: Final = "secret://hooks"  # noqa: S105 - the name of one


def name(number: int) -> str:
    return f"c{number:07}"


def spec(number: int) -> dict[str, AnyJson]:
    return {
        "url": f"https://hooks.example.org/{number}",
        "secret": SECRET,
        "severities": ["info", "critical"],
    }


def declaration(called: str, number: int) -> AnyJson:
    return {"kind": "notification_channel", "metadata": {"name": called}, "spec": spec(number)}
