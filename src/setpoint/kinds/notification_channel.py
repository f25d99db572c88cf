"""Where alerts are told. It has no loop: monitoring starts a delivery, and the worker sees it through."""

from typing import Annotated, Final, Literal

from msgspec import Meta

from setpoint.engine.entity import Shape
from setpoint.engine.kind import Kind

Severity = Literal["info", "warning", "critical"]


class NotificationChannel(Shape, frozen=True):
    """A signed webhook."""

    url: Annotated[
        str,
        Meta(description="Where messages are posted.", pattern=r"^https?://[^\s/]+(/\S*)?$", max_length=2000),
    ]
    secret: Annotated[
        str,
        Meta(
            description="Name of the secret that signs them; never the secret itself.",
            pattern=r"^secret://[a-z0-9][a-z0-9._-]{0,62}$",
        ),
    ]
    severities: Annotated[
        tuple[Severity, ...], Meta(description="Which alerts are told here.", min_length=1)
    ] = ("info", "warning", "critical")


NOTIFICATION_CHANNEL: Final = Kind(
    name="notification_channel",
    plural="notification_channels",
    about="A signed webhook that alerts are told to.",
    level="organization",
    spec=NotificationChannel,
    example={"url": "https://hooks.example.org/setpoint", "secret": "secret://hooks"},
    secrets={"secret": "url"},
    columns={"URL": "spec.url"},
)
