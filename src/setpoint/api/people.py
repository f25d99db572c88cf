"""What the handlers about people share: how they prove themselves, how they are written to, for how long."""

from msgspec import Struct

from setpoint.capabilities.people import Mail, Passwords, Seal


class People(Struct, frozen=True):
    """Handed in; nothing here knows how passwords are hashed or letters are sent."""

    passwords: Passwords
    seal: Seal
    mail: Mail
    url: str
    """Where people reach us: what links begin with, and where a browser's requests come from."""
    session_seconds: float
    idle_seconds: float

    def page(self, link: str) -> str:
        """Where a link is opened. What follows the # is not sent to any server, so no log has it."""
        return f"{self.url}/start#{link}"
