"""Letters by SMTP, handed to a server on a real socket; what it does not take goes into the outbox."""

import socket
import threading
from typing import BinaryIO

import pytest

from setpoint.capabilities.people import Message
from setpoint.engine.errors import Rejected
from setpoint.providers.smtp import MailServer, SmtpMail, mail_server, written

LETTER = Message(
    to="zoë@acme.example", subject="Hello", text="This works once:", link="http://setpoint/start#x"
)


class Kept:
    """An outbox that remembers."""

    def __init__(self) -> None:
        self.letters: list[Message] = []
        self.told: list[str] = []

    async def send(self, message: Message) -> None:
        self.letters.append(message)

    def hear(self, event: str, fields: object) -> None:
        self.told.append(f"{event}: {fields}")


class Post:
    """A mail server that says what it is told to say to each letter."""

    def __init__(self, answer: bytes, host: str = "127.0.0.1") -> None:
        self.listener = socket.create_server((host, 0))
        self.host, self.port = self.listener.getsockname()
        self.answer = answer
        self.heard = b""
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def _serve(self) -> None:
        with self.listener, self.listener.accept()[0] as session, session.makefile("rwb") as talk:
            session.settimeout(10)
            self._say(talk, b"220 here\r\n")
            for line in talk:
                self.heard += line
                word = line[:4].upper().strip()
                if word == b"DATA":
                    self._say(talk, b"354 go on\r\n")
                    while not self.heard.endswith(b"\r\n.\r\n"):
                        self.heard += talk.readline()
                    self._say(talk, self.answer)
                elif word == b"QUIT":
                    self._say(talk, b"221 bye\r\n")
                else:
                    self._say(talk, b"250-here\r\n250 SMTPUTF8\r\n" if word == b"EHLO" else b"250 ok\r\n")

    def _say(self, talk: BinaryIO, words: bytes) -> None:
        talk.write(words)
        talk.flush()


@pytest.fixture
def kept() -> Kept:
    return Kept()


def mail(port: int, kept: Kept, host: str = "127.0.0.1") -> SmtpMail:
    return SmtpMail(MailServer(host, port, encrypted=False), "setpoint@acme.example", kept, kept.hear)


async def test_a_letter_is_handed_to_the_server_with_its_link(kept: Kept) -> None:
    post = Post(b"250 taken\r\n")
    await mail(post.port, kept).send(LETTER)
    post.thread.join(10)
    assert b"Subject: Hello" in post.heard
    assert b"http://setpoint/start#x" in post.heard
    assert (kept.letters, kept.told) == ([], [])


async def test_what_the_server_does_not_take_waits_in_the_outbox(kept: Kept) -> None:
    post = Post(b"554 not here\r\n")
    await mail(post.port, kept).send(LETTER)
    post.thread.join(10)
    assert kept.letters == [LETTER]
    assert "start#x" not in str(kept.told)


async def test_so_does_what_finds_no_server(kept: Kept) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    await mail(port, kept).send(LETTER)
    assert kept.letters == [LETTER]


async def test_a_server_that_offers_no_encryption_gets_no_link(kept: Kept) -> None:
    post = Post(b"250 taken\r\n", host="127.0.0.2")
    await mail(post.port, kept, host=post.host).send(LETTER)
    post.thread.join(10)
    assert b"EHLO" in post.heard.upper()
    assert b"start#x" not in post.heard
    assert kept.letters == [LETTER]


@pytest.mark.parametrize(
    ("address", "server"),
    [
        ("smtps://mail.example", MailServer("mail.example", 465, True)),
        ("smtp://ops%40acme@mail.example:25", MailServer("mail.example", 25, False, "ops@acme", "word")),
    ],
)
def test_a_server_is_named_without_its_password(address: str, server: MailServer) -> None:
    assert mail_server(address, server.password) == server


@pytest.mark.parametrize("address", ["http://mail.example", "smtp://", "smtp://a:word@mail.example"])
def test_what_names_no_server_is_said_so_without_a_password(address: str) -> None:
    with pytest.raises(Rejected) as refused:
        mail_server(address, "")
    assert "word@" not in str(refused.value)


def test_no_letter_can_bring_headers_of_its_own() -> None:
    with pytest.raises(ValueError, match="may not contain linefeed"):
        written(Message(to="a@b.c\nBcc: eve@x.de", subject="x", text="x"), "setpoint@acme.example")
