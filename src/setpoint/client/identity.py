"""Signing in and out, oneself and others: the part of the API that is about accounts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from setpoint.client.address import ROOT, segment
from setpoint.client.client import Client
from setpoint.client.resource import Body

AnyJson = Any


@dataclass(frozen=True, slots=True)
class Identity:
    """One method for each thing that can be asked."""

    client: Client

    def sign_in(self, wanted: Body) -> Body:
        """The answer holds the session, this once."""
        return self._send("POST", f"{ROOT}/sessions", {**wanted, "cookie": False})

    def sign_out(self) -> Body:
        return self._send("DELETE", f"{ROOT}/sessions/current")

    def confirm(self, wanted: Body) -> Body:
        """A new session instead of this one, for somebody who gave their password again."""
        return self._send("POST", f"{ROOT}/sessions/current:confirm", wanted)

    def sessions(self) -> list[Body]:
        return list(self.client.items(f"{ROOT}/me/sessions"))

    def end_session(self, identity: str) -> Body:
        return self._send("DELETE", f"{ROOT}/me/sessions/{segment(identity)}")

    def open_link(self, link: str) -> Body:
        return self._send("POST", f"{ROOT}/links:open", {"link": link})

    def use_link(self, wanted: Body) -> Body:
        return self._send("POST", f"{ROOT}/links:use", {**wanted, "cookie": False})

    def forgot(self, email: str) -> Body:
        return self._send("POST", f"{ROOT}/accounts:recover", {"email": email})

    def set_password(self, password: str) -> Body:
        return self._send("POST", f"{ROOT}/me:password", {"password": password})

    def begin_second_factor(self) -> Body:
        """The answer holds the key, this once."""
        return self._send("POST", f"{ROOT}/me/totp", {})

    def confirm_second_factor(self, code: str) -> Body:
        """The answer holds the recovery codes, this once."""
        return self._send("POST", f"{ROOT}/me/totp:confirm", {"code": code})

    def drop_second_factor(self) -> Body:
        return self._send("DELETE", f"{ROOT}/me/totp")

    def accounts(self) -> Iterator[Body]:
        return self.client.items(f"{ROOT}/accounts")

    def invite(self, wanted: Body) -> Body:
        return self._send("POST", f"{ROOT}/accounts", wanted)

    def change_account(self, identity: str, wanted: Body) -> Body:
        return self._send("PATCH", f"{ROOT}/accounts/{segment(identity)}", wanted)

    def delete_account(self, identity: str) -> Body:
        return self._send("DELETE", f"{ROOT}/accounts/{segment(identity)}")

    def end_sessions_of(self, identity: str) -> Body:
        return self._send("DELETE", f"{ROOT}/accounts/{segment(identity)}/sessions")

    def letters(self) -> Iterator[Body]:
        return self.client.items(f"{ROOT}/outbox")

    def _send(self, method: str, path: str, body: AnyJson = None) -> Body:
        return dict(self.client.connection.send(method, path, body).body)
