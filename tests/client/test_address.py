"""Paths of scopes, collections and objects."""

import pytest

from setpoint.client.address import Scope, collection, object_path
from setpoint.client.resource import seconds_of


@pytest.mark.parametrize(
    ("scope", "level", "path"),
    [
        (Scope(), "installation", "/v1"),
        (Scope("acme"), "organization", "/v1/organizations/acme"),
        (Scope("acme", "shop"), "project", "/v1/organizations/acme/projects/shop"),
        (Scope("acme", "shop", "prod"), "workspace", "/v1/organizations/acme/projects/shop/workspaces/prod"),
    ],
)
def test_a_scope_is_a_path(scope: Scope, level: str, path: str) -> None:
    assert (scope.level, scope.path) == (level, path)


def test_a_name_cannot_lead_anywhere_else() -> None:
    assert object_path(Scope("a/b"), "hosts", "../x", "why") == "/v1/organizations/a%2Fb/hosts/..%2Fx:why"


def test_a_scope_is_cut_to_where_a_kind_lives() -> None:
    whole = Scope("acme", "shop", "prod")
    assert collection(whole.up_to("project"), "dns_zones").endswith("/projects/shop/dns_zones")
    assert whole.up_to("installation") == Scope()


@pytest.mark.parametrize(
    ("moment", "seconds"),
    [("1970-01-01T00:01:00+00:00", 60.0), (60, 60.0), (None, None), ("", None), (0, None), ("soon", None)],
)
def test_moments_are_read_whatever_their_form(moment: object, seconds: float | None) -> None:
    assert seconds_of(moment) == seconds
