"""Protections, secrets, domains and places, by other verbs, kinds, spellings and orders."""

import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from .kit import CLOUD_TOKEN, Answer, Caller, Installation, listener

CROWN = "CROWN-JEWEL-7742"
PROVIDER = {"family": "hetzner_cloud", "credential": "secret://none", "mode": "observe"}
THINGS = {
    "providers": ("keep", PROVIDER),
    "webhooks": ("keep", {"url": "https://hooks.example.org/", "events": ["*"], "secret": "secret://none"}),
    "notification_channels": ("keep", {"url": "https://hooks.example.org/", "secret": "secret://none"}),
    "roles": ("keep", {"rules": [{"keys": ["project.*"], "verbs": ["read"]}]}),
    "memberships": ("keep", {"email": "keep@corp.example", "roles": [{"role": "member"}]}),
    "projects": ("keep", {}),
}


def kind_of(plural: str) -> str:
    return plural[:-1]


@pytest.mark.parametrize("plural", THINGS)
def test_no_verb_takes_away_what_is_protected_whatever_its_kind(
    installation: Installation, plural: str, tmp_path: Path
) -> None:
    name = installation.organization("guard")
    home, admin = f"/v1/organizations/{name}", installation.admin
    admin.good(
        "PUT", f"{home}/secrets/none", {"value": "x", "hosts": ["hooks.example.org", "api.hetzner.cloud"]}
    )
    item, spec = THINGS[plural]
    where = f"{home}/{plural}/{item}"
    body = {"kind": kind_of(plural), "metadata": {"name": item}, "spec": spec}
    admin.good("POST", f"{home}/declarations", {"items": [body], "owner": "file"})
    made = admin.call("POST", f"{where}:protect", {"reason": "it stays"})
    assert made.status == 200, made
    tries = {
        "delete": admin.call("DELETE", where),
        "cascade": admin.call("DELETE", f"{where}?cascade=true"),
        "container": admin.call("DELETE", f"{home}?cascade=true"),
        "prune": admin.call("POST", f"{home}/declarations", {"items": [], "owner": "file", "prune": True}),
        "as text": admin.call("PUT", where, {"spec": spec, "metadata": {"protected": "false"}}),
        "as number": admin.call("PUT", where, {"spec": spec, "metadata": {"protected": 0}}),
    }
    wrong = {way: str(each) for way, each in tries.items() if each.status < 400 and way != "prune"}
    assert not wrong
    assert admin.good("GET", where)["metadata"]["protected"] is True
    assert admin.good("GET", where)["metadata"].get("deleting", "") in ("", None, "withdrawn")
    file = tmp_path / "empty.yaml"
    file.write_text("items: []\n")
    admin.cli("apply", "-f", str(file), "--prune", "--yes", "--no-wait", organization=name)
    admin.cli("delete", kind_of(plural), item, "--yes", "--no-wait", organization=name)
    assert admin.good("GET", where)["metadata"]["protected"] is True


def test_what_is_declared_twice_in_one_body_takes_no_protection_off(installation: Installation) -> None:
    name = installation.organization("guard")
    project = installation.project(name)
    where = f"{project}/monitoring_objects/m"
    spec = {"probe": "tcp", "target": "192.0.2.1:80"}
    installation.admin.put(where, spec, protected=True)
    member = installation.service(name, "member")
    item = {"kind": "monitoring_object", "metadata": {"name": "m", "project": "shop"}, "spec": spec}
    bare = {**item, "metadata": {**item["metadata"], "protected": False}}
    many = f"/v1/organizations/{name}/declarations"
    for items in ([item, bare], [bare, item], [bare]):
        for dry in ({}, {"dry_run": True}):
            answer = member.call("POST", many, {"items": items, **dry})
            assert answer.status in (403, 422), answer
    twice = (
        b'{"spec": {"probe": "tcp", "target": "192.0.2.1:80"}, '
        b'"metadata": {"protected": true, "protected": false}}'
    )
    member.call("PUT", where, raw=twice)
    member.call("POST", f"{project}/monitoring_objects", {"spec": spec, "metadata": {"name": "m"}})
    assert installation.admin.good("GET", where)["metadata"]["protected"] is True
    assert member.call("DELETE", where).status in (403, 409)
    # Deleted by its container and declared again while that goes on.
    refused = installation.admin.call("DELETE", f"{project}?cascade=true")
    assert refused.status == 409, refused


SPELLINGS = (
    "http://0177.0.0.1:{port}/v1",
    "http://2130706433:{port}/v1",
    "http://0x7f.0.0.1:{port}/v1",
    "http://127.1:{port}/v1",
    "http://[::ffff:127.0.0.1]:{port}/v1",
    "http://[::ffff:7f00:1]:{port}/v1",
    "http://good.example.org@127.0.0.1:{port}/v1",
    "http://good.example.org%40127.0.0.1:{port}/v1",
    "http://good.example.org#@127.0.0.1:{port}/v1",
    "http://127.0.0.1:{port}\\@good.example.org/v1",
    "http://127.0.0.1:{port}/good.example.org",
    "http://127.0.0.1.:{port}/v1",
    "http://LOCALHOST:{port}/v1",
    "http://localhost.:{port}/v1",
    "http://①②⑦.0.0.1:{port}/v1",
    "http://127。0。0。1:{port}/v1",
    "http://127.0.0.1:{port}?x=good.example.org",
    "\thttp://127.0.0.1:{port}/v1",
    "HTTP://127.0.0.1:0{port}/v1",
)


@pytest.mark.parametrize("plural", ["providers", "webhooks", "notification_channels"])
def test_no_spelling_of_an_address_brings_a_secret_elsewhere(installation: Installation, plural: str) -> None:
    name = installation.organization("spell")
    home = f"/v1/organizations/{name}"
    body = {"value": CROWN, "hosts": ["good.example.org", "*.good.example.org", "*.0.0.1.example"]}
    installation.admin.good("PUT", f"{home}/secrets/crown", body)
    operator = installation.service(name, "operator")
    field, at, more = {
        "providers": ("credential", "endpoint", {"family": "hetzner_cloud", "mode": "run"}),
        "webhooks": ("secret", "url", {"events": ["*"]}),
        "notification_channels": ("secret", "url", {}),
    }[plural]
    with listener() as mine:
        port = mine.url.rpartition(":")[2]
        for number, spelling in enumerate(SPELLINGS):
            spec = {**more, field: "secret://crown", at: spelling.format(port=port)}
            answer = operator.call("PUT", f"{home}/{plural}/n{number}", {"spec": spec})
            assert answer.status in (403, 422) or "org#" in spelling, (spelling, answer)
        assert mine.heard == []


def test_the_version_before_goes_nowhere_that_the_next_one_names(installation: Installation) -> None:
    """A value that one knows is set beside the one that one does not, with a host of one's own."""
    name = installation.organization("turn")
    home, admin = f"/v1/organizations/{name}", installation.admin
    admin.good("PUT", f"{home}/secrets/crown", {"value": CROWN, "hosts": ["good.example.org"]})
    operator = installation.service(name, "operator")
    with listener() as mine:
        bare = operator.call("PUT", f"{home}/secrets/crown", {"hosts": ["127.0.0.1"]})
        assert bare.status in (403, 422), bare
        own = {"value": "mine-alone", "hosts": ["127.0.0.1"], "keep_previous": True}
        operator.call("PUT", f"{home}/secrets/crown", own)
        spec = {"family": "hetzner_cloud", "credential": "secret://crown", "endpoint": f"{mine.url}/v1"}
        made = operator.call("PUT", f"{home}/providers/p", {"spec": {**spec, "mode": "run"}})
        if made.status < 300:
            admin.until(
                f"{home}/providers/p", lambda each: "not looked at yet" not in each["status"]["reason"]
            )
        hook = {"url": f"{mine.url}/", "events": ["*"], "secret": "secret://crown"}
        operator.call("PUT", f"{home}/webhooks/w", {"spec": hook})
        assert CROWN.encode() not in b"".join(mine.heard)


@contextmanager
def redirecting(to: str) -> Iterator[str]:
    """A server that sends everybody elsewhere."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection, suppress(OSError):
                        connection.settimeout(5)
                        connection.recv(65536)
                        rest = "Content-Length: 0\r\nConnection: close\r\n\r\n"
                        said = f"HTTP/1.1 307 Over there\r\nLocation: {to}/\r\n{rest}"
                        connection.sendall(said.encode())

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def test_a_host_that_is_served_sends_the_secret_nowhere_else(installation: Installation) -> None:
    name = installation.organization("redirect")
    home, admin = f"/v1/organizations/{name}", installation.admin
    with listener() as mine, redirecting(mine.url.replace("127.0.0.1", "localhost")) as served:
        place = served.removeprefix("http://")
        admin.good("PUT", f"{home}/secrets/crown", {"value": CROWN, "hosts": [place]})
        spec = {"family": "hetzner_cloud", "credential": "secret://crown", "endpoint": f"{served}/v1"}
        admin.put(f"{home}/providers/p", {**spec, "mode": "run"})
        admin.until(
            f"{home}/providers/p",
            lambda each: each["status"]["state"] != "READY" and "yet" not in each["status"]["reason"],
        )
        assert mine.heard == []


def account(installation: Installation, home: str, cloud: str, name: str = "cloud") -> None:
    admin = installation.admin
    admin.good("PUT", f"{home}/secrets/{name}", {"value": CLOUD_TOKEN})
    spec = {"family": "hetzner_cloud", "credential": f"secret://{name}", "endpoint": cloud, "mode": "run"}
    admin.put(f"{home}/providers/{name}", spec)
    admin.ready(f"{home}/providers/{name}")


@pytest.mark.parametrize("rounds", [4])
def test_of_two_zones_at_the_same_moment_one_owns_the_domain(
    installation: Installation, cloud: str, rounds: int
) -> None:
    name = installation.organization("race")
    home = f"/v1/organizations/{name}"
    account(installation, home, cloud)
    places = [installation.project(name, f"p{number}") for number in range(4)]
    for number in range(rounds):

        def declare(at: int, domain: str = f"race{number}.example") -> Answer:
            spec = {"provider": "cloud", "domain": domain}
            return installation.admin.call("PUT", f"{places[at]}/dns_zones/z{domain[:5]}", {"spec": spec})

        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(declare, range(4)))
        assert sorted(each.status < 300 for each in answers) == [False, False, False, True], answers


@pytest.mark.parametrize(
    "spelling", ["münchen.example", "MÜNCHEN.example", "xn--mnchen-3ya.EXAMPLE.", "mu\u0308nchen.example"]
)
def test_a_domain_has_one_owner_in_every_script(
    installation: Installation, cloud: str, spelling: str
) -> None:
    name = installation.organization("idn")
    home = f"/v1/organizations/{name}"
    account(installation, home, cloud)
    first, second = installation.project(name), installation.project(name, "blog")
    installation.admin.put(f"{first}/dns_zones/z", {"provider": "cloud", "domain": "xn--mnchen-3ya.example"})
    spec = {"provider": "cloud", "domain": spelling}
    for answer in (
        installation.admin.call("PUT", f"{second}/dns_zones/z", {"spec": spec}),
        installation.admin.call("POST", f"{second}/dns_zones", {"spec": spec, "metadata": {"name": "y"}}),
        installation.admin.call(
            "POST",
            f"{home}/declarations",
            {"items": [{"kind": "dns_zone", "metadata": {"name": "x", "project": "blog"}, "spec": spec}]},
        ),
    ):
        assert answer.status == 422, answer


def test_two_in_one_body_are_refused_together(installation: Installation, cloud: str) -> None:
    name = installation.organization("two")
    home = f"/v1/organizations/{name}"
    account(installation, home, cloud)
    installation.project(name)
    items = [
        {
            "kind": "dns_zone",
            "metadata": {"name": f"z{n}", "project": "shop"},
            "spec": {"provider": "cloud", "domain": domain},
        }
        for n, domain in enumerate(("both.example", "BOTH.example."))
    ]
    answer = installation.admin.call("POST", f"{home}/declarations", {"items": items})
    assert answer.status == 422, answer


@pytest.mark.parametrize("order", ["delete first", "while it leaves"])
def test_what_was_made_moves_in_no_order(installation: Installation, cloud: str, order: str) -> None:
    name = installation.organization("moves")
    home, admin = f"/v1/organizations/{name}", installation.admin
    account(installation, home, cloud)
    account(installation, home, cloud, "second")
    project = installation.project(name)
    workspace = f"{project}/workspaces/prod"
    admin.put(workspace, {"provider": "cloud"})
    admin.ready(workspace)
    admin.put(f"{workspace}/hosts/web", {"provider": "cloud", "agent": False})
    admin.ready(f"{workspace}/hosts/web")
    admin.put(f"{project}/dns_zones/z", {"provider": "cloud", "domain": f"{name}.example"})
    admin.ready(f"{project}/dns_zones/z")
    admin.put(f"{project}/dns_records/r", {"zone": "z", "name": "r", "type": "A", "values": ["192.0.2.1"]})
    admin.ready(f"{project}/dns_records/r")
    moves = {
        f"{workspace}/hosts/web": {"provider": "second"},
        workspace: {"provider": "second"},
        f"{project}/dns_zones/z": {"provider": "second", "domain": f"{name}.example"},
    }
    for where, spec in moves.items():
        if order == "while it leaves":
            admin.call("POST", f"{where}:pause", {"reason": "so that it stays a while"})
            admin.call("DELETE", where)
        for answer in (
            admin.call("PUT", where, {"spec": spec}),
            admin.call("PATCH", where, {"spec": {"provider": "second"}}),
        ):
            assert answer.status in (404, 409, 422), (where, answer)


def test_an_enrolled_caller_of_one_workspace_sees_no_other(installation: Installation) -> None:
    name = installation.organization("keys")
    home = f"/v1/organizations/{name}"
    installation.admin.put(f"{home}/providers/cloud", PROVIDER)
    installation.project(name)
    for each in ("prod", "test"):
        installation.admin.put(f"{home}/projects/shop/workspaces/{each}", {"provider": "cloud"})
    where = f"{home}/projects/shop/workspaces"
    made = installation.admin.good("POST", f"{where}/prod/keys", {"name": "k", "role": "operator"})
    holder = installation.with_token(made["token"])
    for method, path, body in (
        ("GET", f"{where}/test", None),
        ("GET", f"{where}/prod/../test", None),
        ("GET", f"{where}/PROD", None),
        ("PUT", f"{where}/test/hosts/h", {"spec": {"provider": "cloud"}}),
        ("POST", f"{where}/test:pause", {"reason": "x"}),
        ("POST", f"{home}/tokens", {"name": "t", "role": "member"}),
        ("POST", f"{where}/test/keys", {"name": "t", "role": "member"}),
        ("PUT", f"/v1/switches/scope:{name}/shop/test", {"mode": "stop", "reason": "x"}),
        ("PUT", f"/v1/switches/scope:{name}", {"mode": "stop", "reason": "x"}),
        ("PUT", f"{home}/secrets/s", {"value": "x"}),
    ):
        assert holder.call(method, path, body).status in (401, 403, 404), (method, path)


def test_who_may_delete_an_account_hears_of_no_project(installation: Installation) -> None:
    name = installation.organization("whisper")
    home, admin = f"/v1/organizations/{name}", installation.admin
    admin.put(f"{home}/providers/cloud", PROVIDER)
    project = installation.project(name, "redinitrode")
    admin.put(f"{project}/dns_zones/zinitrode", {"provider": "cloud", "domain": "initechinitrode.example"})
    rule = {"keys": ["organization.provider"], "verbs": ["read", "create", "update", "delete"]}
    admin.put(f"{home}/roles/accounts", {"rules": [rule]})
    who = installation.service(name, "accounts")
    where = f"{home}/providers/cloud"
    for answer in (
        who.call("DELETE", where),
        who.call("DELETE", f"{where}?cascade=true"),
        who.call("DELETE", f"{where}?dry_run=true"),
        who.get(f"{where}:related"),
        who.get(f"{where}:why"),
        who.call("PUT", where, {"spec": {**PROVIDER, "endpoint": "https://x.example/v1"}}),
    ):
        assert b"initrode" not in answer.raw, answer
    refused = who.call("DELETE", where)
    assert refused.status == 409, refused


def test_who_may_delete_a_role_hears_of_no_token(installation: Installation) -> None:
    name = installation.organization("whisper")
    home, admin = f"/v1/organizations/{name}", installation.admin
    everything = {"keys": ["organization.*", "project.*"], "verbs": ["read"]}
    admin.put(f"{home}/roles/used", {"rules": [everything]})
    admin.good("POST", f"{home}/tokens", {"name": "robotinitrode", "role": "used"})
    rules = [
        {"keys": ["organization.role"], "verbs": ["read", "create", "update", "delete"]},
        {"keys": ["project.*"], "verbs": ["read"]},
    ]
    admin.put(f"{home}/roles/roles", {"rules": rules})
    who = installation.service(name, "roles")
    for answer in (
        who.call("DELETE", f"{home}/roles/used"),
        who.call("POST", f"{home}/roles/used:preview?deletes=true", {}),
        who.call("PUT", f"{home}/roles/used", {"spec": {"rules": [rules[1]]}}),
    ):
        assert b"robotinitrode" not in answer.raw, answer


def test_a_file_names_nothing_of_another_project_in_its_mistakes(installation: Installation) -> None:
    name = installation.organization("whisper")
    home, admin = f"/v1/organizations/{name}", installation.admin
    red = installation.project(name, "red")
    installation.project(name, "blog")
    admin.put(f"{red}/monitoring_objects/there", {"probe": "tcp", "target": "192.0.2.1:80"})
    con = installation.member(name, "con", {"role": "operator", "project": "blog"})

    def tried(project: str, depends: str) -> str:
        item = {
            "kind": "monitoring_object",
            "metadata": {"name": "m", "project": "blog"},
            "spec": {"probe": "tcp", "target": "192.0.2.1:80", "depends_on": [depends]},
        }
        other = {**item, "metadata": {"name": depends, "project": project}}
        said = [
            con.call("POST", f"{home}/declarations", {"items": [each], **dry})
            for each in (item, other)
            for dry in ({}, {"dry_run": True})
        ]
        con.call("DELETE", f"{home}/projects/blog/monitoring_objects/m")
        return json.dumps([[each.status, each.body.get("detail", "")] for each in said])

    assert tried("red", "there").replace("there", "X") == tried("red", "other").replace("other", "X")
    gone = tried("black", "other").replace("other", "X").replace("black", "red")
    assert gone == tried("red", "there").replace("there", "X")


def test_deleting_what_is_elsewhere_is_like_deleting_nothing(installation: Installation) -> None:
    ours, theirs = installation.organization("ours"), installation.organization("theirs")
    project = installation.project(theirs)
    installation.admin.put(f"{project}/monitoring_objects/m", {"probe": "tcp", "target": "192.0.2.1:80"})
    stranger: Caller = installation.service(ours, "owner")
    for verb, body in (
        ("DELETE", None),
        ("POST :protect", {"reason": "x"}),
        ("POST :release", {"reason": "x", "protection": True}),
        ("POST :pause", {"reason": "x"}),
        ("POST :observe", {}),
        ("POST :preview", {"spec": {}}),
    ):
        method, _, action = verb.partition(" ")
        said = [
            stranger.call(method, f"{project}/monitoring_objects/{item}{action}", body) for item in ("m", "x")
        ]
        assert said[0].status == said[1].status >= 400, verb
        assert said[0].body.get("detail", "").replace(" m ", " x ").replace("/m:", "/x:") == (
            said[1].body.get("detail", "")
        ), verb
