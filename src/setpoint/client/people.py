"""People, roles and credentials of an organization, in the words of the API."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from setpoint.client.address import ROOT, Scope, segment
from setpoint.client.client import Client
from setpoint.client.resource import Body

AnyJson = Any


@dataclass(frozen=True, slots=True)
class People:
    """Of one scope: an organization, or a workspace for its keys."""

    client: Client
    scope: Scope

    def members(self) -> list[Body]:
        return list(self.client.items(f"{self.scope.path}/members"))

    def invite(self, name: str) -> Body:
        """The answer holds the link, this once."""
        return self._sent("POST", f"{self.scope.path}/memberships/{segment(name)}:invite", {})

    def spec(self, plural: str, name: str) -> AnyJson:
        """What is declared under this name."""
        return self.client.connection.get(f"{self.scope.path}/{plural}/{segment(name)}")["spec"]

    def save(self, plural: str, name: str, spec: Mapping[str, AnyJson]) -> Body:
        return self._sent("PUT", f"{self.scope.path}/{plural}/{segment(name)}", {"spec": spec})

    def remove(self, plural: str, name: str) -> Body:
        return self._sent("DELETE", f"{self.scope.path}/{plural}/{segment(name)}")

    def preview(self, plural: str, name: str, spec: Mapping[str, AnyJson]) -> Iterator[Body]:
        """Who would gain and lose what, page after page, as it is asked for."""
        path, after = f"{self.scope.path}/{plural}/{segment(name)}:preview", ""
        while True:
            asked = path + (f"?page_token={segment(after)}" if after else "")
            page = self._sent("POST", asked, {"spec": spec})
            yield from page["items"]
            after = page.get("next_page_token") or ""
            if not after:
                return

    def explain(self, query: Mapping[str, str]) -> list[Body]:
        return list(self.client.items(f"{self.scope.path}/access:explain", query))

    def credentials(self, what: str) -> Iterator[Body]:
        """`tokens` or `keys` of this scope."""
        return self.client.items(f"{self.scope.path}/{what}")

    def give(self, what: str, wanted: Body) -> Body:
        """The answer holds the secret, this once."""
        return self._sent("POST", f"{self.scope.path}/{what}", wanted)

    def revoke(self, what: str, identity: str) -> Body:
        return self._sent("DELETE", f"{self.scope.path}/{what}/{segment(identity)}")

    def mine(self) -> Iterator[Body]:
        """The tokens that one made for oneself."""
        return self.client.items(f"{ROOT}/me/tokens")

    def make_mine(self, wanted: Body) -> Body:
        return self._sent("POST", f"{ROOT}/me/tokens", wanted)

    def revoke_mine(self, identity: str) -> Body:
        return self._sent("DELETE", f"{ROOT}/me/tokens/{segment(identity)}")

    def standing(self) -> Body:
        return dict(self.client.connection.get(f"{self.scope.path}:standing"))

    def say_standing(self, wanted: Body) -> Body:
        return self._sent("POST", f"{self.scope.path}:standing", wanted)

    def _sent(self, method: str, path: str, body: AnyJson = None) -> Body:
        return dict(self.client.connection.send(method, path, body).body)
