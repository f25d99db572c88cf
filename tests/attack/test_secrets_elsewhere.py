"""Somebody who may declare an account or a webhook tries to have a secret sent to a server of their own."""

import base64
import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from .kit import Caller, Installation, hetzner, listener

CROWN = "CROWN-JEWEL-5521"
KINDS = {
    "providers": ("credential", "endpoint", {"family": "hetzner_cloud"}),
    "webhooks": ("secret", "url", {"events": ["*"]}),
    "notification_channels": ("secret", "url", {}),
}
ANY = {"If-Match": "*"}
DECLARES = [{"keys": ["organization.*"], "verbs": ["read", "create", "update"]}]


def keep(installation: Installation, organization: str, *hosts: str) -> None:
    """A secret of the organization."""
    where, body = f"/v1/organizations/{organization}/secrets/crown", {"value": CROWN}
    placed = installation.admin.call("PUT", where, {**body, **({"hosts": list(hosts)} if hosts else {})})
    if placed.status == 422:  # Of a version whose secrets have no hosts.
        installation.admin.good("PUT", where, body)


def declares(installation: Installation, organization: str) -> Caller:
    """Somebody who may declare everything of the organization, and nothing else."""
    installation.admin.put(f"/v1/organizations/{organization}/roles/declares", {"rules": DECLARES})
    return installation.service(organization, "declares")


@pytest.mark.parametrize("plural", KINDS)
def test_a_role_that_only_declares_names_no_secret(installation: Installation, plural: str) -> None:
    name = installation.organization("crown")
    keep(installation, name)
    other = declares(installation, name)
    field, at, more = KINDS[plural]
    with listener() as mine:
        spec = {**more, field: "secret://crown", at: f"{mine.url}/v1"}
        where = f"/v1/organizations/{name}/{plural}"
        item = {"kind": plural[:-1], "metadata": {"name": "mine"}, "spec": spec}
        tries = [
            other.call("PUT", f"{where}/mine", {"spec": spec}),
            other.call("POST", where, {"metadata": {"name": "mine"}, "spec": spec}),
            other.call("POST", f"/v1/organizations/{name}/declarations", {"items": [item]}),
        ]
        ran = other.cli("apply", "-f", "-", "--yes", "--no-wait", organization=name, stdin=json.dumps(item))
        assert [each.status for each in tries] == [403, 403, 403], tries[0]
        assert ran.code != 0
        assert installation.admin.get(f"{where}/mine").status == 404
        assert mine.heard == []


def test_an_account_is_not_moved_to_another_host_without_the_right(
    installation: Installation, tmp_path: Path
) -> None:
    name = installation.organization("crown")
    keep(installation, name)
    where = f"/v1/organizations/{name}/providers/cloud"
    with hetzner(tmp_path, CROWN) as cloud, listener() as mine:
        installation.admin.put(
            where, {"family": "hetzner_cloud", "credential": "secret://crown", "endpoint": cloud}
        )
        installation.admin.ready(where)
        other = declares(installation, name)
        moved = other.call("PATCH", where, {"spec": {"endpoint": f"{mine.url}/v1"}})
        assert moved.status == 403, moved
        labelled = other.call("PATCH", where, {"metadata": {"labels": {"team": "a"}}})
        assert labelled.status == 200, labelled
        assert mine.heard == []


@pytest.mark.parametrize("plural", KINDS)
def test_tls_is_not_taken_off_without_the_right(installation: Installation, plural: str) -> None:
    name = installation.organization("crown")
    keep(installation, name, "good.example.org", "also.example.org", "spelt.example.org:8443")
    field, at, more = KINDS[plural]
    where = f"/v1/organizations/{name}/{plural}/mine"
    spec = {**more, field: "secret://crown", at: "https://good.example.org/v1"}
    installation.admin.put(where, spec)
    other, operator = declares(installation, name), installation.service(name, "operator")
    bad = (
        *("http://good.example.org/v1", "http://good.example.org:443/v1", "http://also.example.org/v1"),
        *("http://good.example.org:8080/v1", "https://good.example.org:444/v1"),
        "http://spelt.example.org:8443/v1",
    )
    for url in bad:
        refused = other.call("PATCH", where, {"spec": {at: url}}, ANY)
        assert (refused.status, "organization.secret.use" in str(refused)) == (403, True), (url, refused)
    ordinary = (
        *("https://good.example.org/v2", "https://GOOD.example.org.:443/v1", "https://also.example.org/v1"),
        *("https://spelt.example.org:8443/v1", "https://good.example.org/v1"),
    )
    for url in ordinary:
        moved = other.call("PATCH", where, {"spec": {at: url}}, ANY)
        assert moved.status == 200, (url, moved)
    moved = operator.call("PATCH", where, {"spec": {at: "http://good.example.org:8080/v1"}}, ANY)
    assert moved.status == 200, moved


@pytest.mark.parametrize("plural", KINDS)
def test_an_operator_sends_a_secret_only_where_it_serves(installation: Installation, plural: str) -> None:
    name = installation.organization("crown")
    keep(installation, name, "good.example.org")
    operator = installation.service(name, "operator")
    field, at, more = KINDS[plural]
    where = f"/v1/organizations/{name}/{plural}/mine"
    with listener() as mine:
        disguised = mine.url.replace("127.0.0.1", "good.example.org@127.0.0.1")
        for host in (mine.url, disguised, "https://evil.example"):
            spec = {**more, field: "secret://crown", at: f"{host}/v1"}
            refused = operator.call("PUT", where, {"spec": spec})
            assert refused.status in (403, 422), refused
        assert mine.heard == []


def test_a_secret_is_not_sent_where_it_came_to_serve_only_others(installation: Installation) -> None:
    name = installation.organization("crown")
    with listener() as mine:
        spec = {"family": "hetzner_cloud", "credential": "secret://crown", "endpoint": f"{mine.url}/v1"}
        where = f"/v1/organizations/{name}/providers/mine"
        installation.admin.put(where, spec)  # Before the secret is there: nothing can be said about it yet.
        keep(installation, name, "good.example.org")
        installation.admin.until(where, lambda each: "--host 127.0.0.1" in each["status"]["reason"])
        assert mine.heard == []


def test_what_is_not_there_tells_no_path(installation: Installation) -> None:
    name = installation.organization("crown")
    where = f"/v1/organizations/{name}/providers/mine"
    spec = {"family": "hetzner_cloud", "credential": "secret://nothing", "endpoint": "http://127.0.0.1:9/v1"}
    installation.admin.put(where, spec)
    seen = installation.admin.until(where, lambda each: "secret set nothing" in each["status"]["reason"])
    assert str(installation.data) not in json.dumps(seen)
    assert "/secrets/" not in json.dumps(seen)


ECHOES: dict[str, Callable[[str], str]] = {
    "plain": lambda token: json.dumps({"error": {"code": "unauthorized", "message": f"bad token {token}"}}),
    "code": lambda token: json.dumps({"error": {"code": token, "message": token.lower()}}),
    "base64": lambda token: json.dumps({"error": {"message": base64.b64encode(token.encode()).decode()}}),
    "hex": lambda token: json.dumps({"error": {"code": "x", "message": token.encode().hex()}}),
    "page": lambda token: f"<html>{token}</html>",
}


@contextlib.contextmanager
def echo(spelled: Callable[[str], str]) -> Iterator[str]:
    """A provider that refuses, and repeats the token that it was asked with."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            said = spelled(self.headers["Authorization"].rpartition(" ")[2]).encode()
            self.send_response(401, "no")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            """Nothing to tell."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def test_a_token_that_its_provider_repeats_is_told_to_nobody(installation: Installation) -> None:
    """In whatever spelling: not in the status, events, audit, or the log."""
    name = installation.organization("crown")
    where = f"/v1/organizations/{name}"
    with contextlib.ExitStack() as open_ones:
        endpoints = {spelled: open_ones.enter_context(echo(write)) for spelled, write in ECHOES.items()}
        hosts = [urlsplit(url).netloc for url in endpoints.values()]
        keep(installation, name, *hosts)
        for spelled, endpoint in endpoints.items():
            spec = {"family": "hetzner_cloud", "credential": "secret://crown", "endpoint": endpoint}
            installation.admin.put(f"{where}/providers/{spelled}", spec)
        for spelled in endpoints:
            provider = f"{where}/providers/{spelled}"
            installation.admin.until(provider, lambda each: "answered 401" in each["status"]["reason"])
        lists = ("providers", "events", "audit", "passes", "inventory")
        told = "".join(str(installation.admin.every(f"{where}/{part}")) for part in lists)
    told += "".join(log.read_text() for log in installation.logs)
    spellings = {CROWN.lower(), CROWN.encode().hex(), base64.b64encode(CROWN.encode()).decode().lower()}
    assert [each for each in spellings if each in told.lower()] == []
    assert "[credential]" in told
