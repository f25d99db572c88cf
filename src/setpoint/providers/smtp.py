"""Letters by SMTP; one that cannot be delivered waits in the outbox like those of who has no mail server."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from setpoint.capabilities.people import Mail, Message
from setpoint.engine.errors import Rejected
from setpoint.providers.key_file import given
from setpoint.settings import Settings

if TYPE_CHECKING:
    import smtplib
    from email.message import EmailMessage

SECONDS: Final = 10.0
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
Told = Callable[[str, Mapping[str, object]], None]
PORTS: Final = {"smtp": 587, "smtps": 465}


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where letters are handed in, and as whom."""

    host: str
    port: int
    encrypted: bool
    """From the first byte on; otherwise it must offer STARTTLS, unless it is on this very machine."""
    user: str = ""
    password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class SmtpMail:
    """Links are secrets: they travel encrypted or not at all."""

    server: MailServer
    sender: str
    otherwise: Mail
    told: Told

    async def send(self, message: Message) -> None:
        import smtplib  # noqa: PLC0415 - loaded with the first letter

        try:
            await asyncio.to_thread(self._deliver, message)
        except (OSError, smtplib.SMTPException) as error:
            self.told("a letter was not delivered, it waits in the outbox", {"why": str(error)})
            await self.otherwise.send(message)

    def _deliver(self, message: Message) -> None:
        import smtplib  # noqa: PLC0415 - as above
        import ssl  # noqa: PLC0415

        server, safe = self.server, ssl.create_default_context()
        if server.encrypted:
            with smtplib.SMTP_SSL(server.host, server.port, timeout=SECONDS, context=safe) as session:
                return self._hand_in(session, message)
        with smtplib.SMTP(server.host, server.port, timeout=SECONDS) as session:
            if server.host not in LOOPBACK:
                session.starttls(context=safe)
            return self._hand_in(session, message)

    def _hand_in(self, session: "smtplib.SMTP", message: Message) -> None:
        if self.server.user:
            session.login(self.server.user, self.server.password)
        session.send_message(written(message, self.sender))


def written(message: Message, sender: str) -> "EmailMessage":
    """As it goes out: plain text, the link on a line of its own."""
    from email.message import EmailMessage  # noqa: PLC0415 - as above

    letter = EmailMessage()
    letter["From"], letter["To"], letter["Subject"] = sender, message.to, message.subject
    letter["Auto-Submitted"] = "auto-generated"
    letter.set_content("\n\n".join(filter(None, (message.text, message.link))) + "\n")
    return letter


def mail_server(address: str, password: str) -> MailServer:
    """From `smtps://user@mail.example:465`; the password comes from a file of its own."""
    parts = urlsplit(address)
    if parts.scheme not in PORTS or not parts.hostname or parts.password:
        form = "smtp://user@host:port or smtps://user@host:port, without the password"
        raise Rejected(f"smtp is {form}, not {parts.scheme}://{parts.hostname or ''}")
    return MailServer(
        host=parts.hostname,
        port=parts.port or PORTS[parts.scheme],
        encrypted=parts.scheme == "smtps",
        user=unquote(parts.username or ""),
        password=password,
    )


def mail_by(settings: Settings, told: Told) -> Callable[[Mail], Mail]:
    """By SMTP where a server is named, and only what cannot be delivered there into the outbox."""
    if not settings.smtp:
        return lambda outbox: outbox
    file = settings.smtp_password_file
    server = mail_server(settings.smtp, given(file, "smtp_password_file") if file else "")
    return lambda outbox: SmtpMail(server, settings.smtp_from, outbox, told)
