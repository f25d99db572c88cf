"""What was given, read or opened in an organization, project or workspace that is gone."""

import threading
import time
import urllib.request
from pathlib import Path

import pytest

from .kit import CLOUD_TOKEN, ENOUGH, PASSWORD, Caller, Installation, send
from .test_names_again import removed


def link_for(installation: Installation, where: str, email: str, role: str) -> str:
    installation.admin.put(where, {"email": email, "roles": [{"role": role}]})
    return str(installation.admin.good("POST", f"{where}:invite", {})["link"])


def use(installation: Installation, link: str) -> int:
    body = {"link": link, "password": PASSWORD, "cookie": False}
    return installation.nobody.call("POST", "/v1/links:use", body).status


@pytest.mark.parametrize("what", ["organization", "membership"])
def test_an_invitation_to_what_is_gone_opens_nothing_of_its_name(
    installation: Installation, what: str
) -> None:
    name = installation.organization("inv")
    home = f"/v1/organizations/{name}"
    where, email = f"{home}/memberships/eve", f"eve@{name}.example"
    eve = installation.person(email)
    link = link_for(installation, where, email, "owner")
    removed(installation, home if what == "organization" else where)
    if what == "organization":
        installation.admin.put(home, {})
    installation.admin.put(where, {"email": email, "roles": [{"role": "owner"}]})
    used = use(installation, link)
    assert used >= 400
    assert eve.get(f"{home}/projects").status == 404


def test_an_acceptance_does_not_hold_for_the_next_membership_of_that_name(installation: Installation) -> None:
    name = installation.organization("inv")
    installation.project(name)
    ann = installation.member(name, "ann", {"role": "owner"})
    where = f"/v1/organizations/{name}/memberships/ann"
    removed(installation, where)
    installation.admin.put(where, {"email": f"ann@{name}.example", "roles": [{"role": "owner"}]})
    assert ann.get(f"/v1/organizations/{name}/projects").status == 404
    # Nor for another address under the same name.
    bob = installation.member(name, "bob", {"role": "member"})
    other = {"email": f"mallory@{name}.example", "roles": [{"role": "owner"}]}
    installation.admin.put(f"/v1/organizations/{name}/memberships/bob", other)
    assert bob.get(f"/v1/organizations/{name}/projects").status == 404


class Stream:
    """An open stream, read in the background."""

    def until(self, wanted: bytes) -> None:
        deadline = time.monotonic() + ENOUGH
        while wanted not in self.heard:
            assert time.monotonic() < deadline, self.heard
            time.sleep(0.02)

    def __init__(self, caller: Caller, path: str, **headers: str) -> None:
        asked = urllib.request.Request(  # noqa: S310 - our own installation
            f"{caller.urls[0]}{path}", headers={"Authorization": f"Bearer {caller.token}", **headers}
        )
        self.heard, self.over = b"", threading.Event()
        self._open = urllib.request.urlopen(asked, timeout=ENOUGH)  # noqa: S310 - as above
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            for line in self._open:
                self.heard += line
        except OSError:
            pass
        self.over.set()


@pytest.mark.parametrize("who", ["token", "person", "narrow"])
def test_a_stream_from_before_hears_nothing_of_the_next_one(installation: Installation, who: str) -> None:
    name = installation.organization("ear")
    where = f"/v1/organizations/{name}"
    installation.project(name, "blog")
    callers = {
        "token": lambda: installation.service(name, "owner"),
        "person": lambda: installation.member(name, "ann", {"role": "owner"}),
        "narrow": lambda: installation.service(name, "member", project="blog"),
    }
    stream = Stream(callers[who](), f"{where}/events?watch=1")
    removed(installation, where)
    installation.admin.put(where, {})
    installation.project(name, "blog")
    installation.project(name, "secret-project-initrode")
    own = Stream(installation.admin, f"{where}/events?watch=1&back=60")
    own.until(b"initrode")
    assert stream.over.wait(ENOUGH), "the stream goes on"
    assert b"initrode" not in stream.heard


def test_what_has_an_id_from_before_is_not_there(  # noqa: PLR0915 - a walk past all of them
    installation: Installation,
) -> None:
    """By id, by a page mark, by a place in the stream, and by questions that narrow lists."""
    name = installation.organization("ids")
    where = f"/v1/organizations/{name}"
    project = installation.project(name, "blog")
    installation.admin.put(
        f"{project}/monitoring_objects/front-initrode", {"probe": "tcp", "target": "127.0.0.1:9"}
    )
    installation.admin.ready(f"{project}/monitoring_objects/front-initrode", "DEGRADED")
    asked = installation.admin.good(
        "POST",
        f"{where}/plans",
        {"items": [{"kind": "project", "metadata": {"name": "x-initrode"}, "spec": {}}]},
    )
    ids = [f"{where}/operations/{asked.get('id', 'none')}", f"{where}/plans/{asked.get('plan', 'none')}"]
    for part in ("passes", "operations", "plans", "tasks"):
        page = installation.admin.get(f"{where}/{part}")
        if page.status == 200:
            ids += [f"{where}/{part}/{each['id']}" for each in page.body["items"][:3] if "id" in each]
    marks = {
        part: installation.admin.good("GET", f"{where}/{part}?page_size=1")["next_page_token"]
        for part in ("events", "audit", "passes")
    }
    removed(installation, where)
    installation.admin.put(where, {})
    installation.project(name, "blog")
    new = installation.service(name, "owner")
    paths = [
        *ids,
        *(f"{where}/{part}?page_token={mark}" for part, mark in marks.items() if mark),
        f"{where}/audit?about=front-initrode",
        f"{where}/audit?order_by=revision%20desc",
        f"{where}/activity",
        f"{where}:attention",
        f"{where}:summary",
        f"{where}/loops",
        f"{where}/inventory?text=initrode",
        f"{where}/deliveries",
    ]
    for path in paths:
        answer = new.get(path)
        said = answer.raw.replace(b"about=front-initrode", b"")
        assert b"initrode" not in said, f"{path}: {answer}"
    for path in ids:
        assert new.get(path).status == 404, path
    stream = Stream(new, f"{where}/events?watch=1&back=60")
    installation.admin.put(f"{where}/projects/mark", {})
    stream.until(b"mark")
    assert b"initrode" not in stream.heard
    # A place in the stream from before leads to nothing of before.
    older = Stream(new, f"{where}/events?watch=1&since=1")
    older.until(b"mark")
    assert b"initrode" not in older.heard


def test_keys_and_rules_of_a_workspace_end_with_it(installation: Installation, cloud: str) -> None:
    name = installation.organization("ws")
    project = installation.project(name, "blog")
    home = f"/v1/organizations/{name}"
    where = f"{project}/workspaces/prod"
    installation.admin.good("PUT", f"{home}/secrets/cloud", {"value": CLOUD_TOKEN})
    spec = {"family": "hetzner_cloud", "credential": "secret://cloud", "endpoint": cloud, "mode": "run"}
    installation.admin.put(f"{home}/providers/cloud", spec)
    installation.admin.put(where, {"provider": "cloud"})
    installation.admin.ready(where)
    key = installation.admin.good("POST", f"{where}/keys", {"name": "k", "role": "member"})
    holder = installation.with_token(key["token"])
    rule = {"keys": ["project.*"], "verbs": ["read"], "project": "blog", "workspace": "prod"}
    made = installation.admin.call("PUT", f"{home}/roles/narrow", {"spec": {"rules": [rule]}})
    assert made.status == 200, made
    token = installation.service(name, "narrow")
    assert holder.get(where).status == token.get(where).status == 200
    removed(installation, where)
    assert holder.get(where).status == 401
    installation.admin.put(where, {"provider": "cloud"})
    assert holder.get(where).status == 401
    assert token.get(where).status in (401, 403, 404)


def test_a_command_line_context_of_an_organization_before_reads_nothing(
    installation: Installation, tmp_path: Path
) -> None:
    name = installation.organization("cli")
    old = installation.service(name, "owner")
    removed(installation, f"/v1/organizations/{name}")
    installation.admin.put(f"/v1/organizations/{name}", {})
    for words in (("get", "projects"), ("export",), ("audit", "verify"), ("token", "list")):
        ran = old.cli(*words, organization=name, home=tmp_path)
        assert ran.code != 0, (words, ran)


def in_the_past(installation: Installation, project: str, mark: str) -> None:
    """Something that is in the project, is paused with a reason, and goes."""
    where = f"{project}/monitoring_objects/m{mark}"
    installation.admin.put(where, {"probe": "tcp", "target": "127.0.0.1:9"})
    installation.admin.good("POST", f"{where}:pause", {"reason": f"reason {mark}"})
    removed(installation, where)


def test_what_happened_in_a_project_does_not_reach_the_next_of_its_name(installation: Installation) -> None:
    name = installation.organization("ev")
    where, project = f"/v1/organizations/{name}", installation.project(name, "blog")
    in_the_past(installation, project, "initrode")
    removed(installation, project)
    installation.admin.put(project, {})
    member = installation.member(name, "con", {"role": "member", "project": "blog"})
    paths = [f"{where}/events?watch=1&{since}" for since in ("back=60", "since=1")]
    streams = [Stream(member, path) for path in paths]
    in_the_past(installation, project, "8150")
    told = str(member.every(f"{where}/events"))
    assert "reason 8150" in told  # What goes in the present one is told as ever.
    assert "initrode" not in told
    for part in (f"{where}/activity", f"{project}/activity", f"{where}/activity:hours"):
        assert "initrode" not in str(member.get(part).raw), part
    for stream in streams:
        stream.until(b"reason 8150")
        assert b"initrode" not in stream.heard
    # Who reads the whole organization reads its past.
    auditor = installation.service(name, "auditor")
    assert "reason initrode" in str(auditor.every(f"{where}/events"))


def test_what_happened_in_a_workspace_does_not_reach_the_next_of_its_name(
    installation: Installation, cloud: str
) -> None:
    name = installation.organization("ev")
    home, project = f"/v1/organizations/{name}", installation.project(name, "blog")
    where = f"{project}/workspaces/prod"
    installation.admin.good("PUT", f"{home}/secrets/cloud", {"value": CLOUD_TOKEN})
    spec = {"family": "hetzner_cloud", "credential": "secret://cloud", "endpoint": cloud, "mode": "run"}
    installation.admin.put(f"{home}/providers/cloud", spec)
    for mark in ("initrode", "8150"):
        installation.admin.put(where, {"provider": "cloud"})
        installation.admin.ready(where)
        switch = f"/v1/switches/scope:{name}/blog/prod"
        for mode in ("observe", "run"):
            installation.admin.good("PUT", switch, {"mode": mode, "reason": f"reason {mark}"})
        if mark == "initrode":
            removed(installation, where)
    narrow = installation.member(name, "con", {"role": "member", "project": "blog", "workspace": "prod"})
    told = str(narrow.every(f"{home}/events"))
    assert ("reason 8150" in told, "initrode" in told) == (True, False), told
    stream = Stream(narrow, f"{home}/events?watch=1&since=1")
    stream.until(b"reason 8150")
    assert b"initrode" not in stream.heard
    # Who reads the project reads what was in it.
    around = installation.member(name, "bob", {"role": "member", "project": "blog"})
    assert "reason initrode" in str(around.every(f"{home}/events"))


def judged(installation: Installation, home: str, workspace: str, cloud: str) -> list[str]:
    """Addresses of what was planned, judged, done and asked in a workspace; its host is gone outside."""
    admin, host = installation.admin, f"{workspace}/hosts/hinitrode"
    spec = {"image": "debian-12", "size": "cx22", "provider": "cloud", "agent": False}
    admin.put(host, spec)
    admin.ready(host)
    admin.put(host, {**spec, "image": "debian-11"})
    [held] = admin.until(f"{home}/plans?state=held", lambda page: page["items"])["items"]
    asked = [{"kind": "project", "metadata": {"name": "x-initrode"}, "spec": {}}]
    dry = admin.good("POST", f"{home}/plans", {"items": asked})["id"]
    server = admin.good("GET", host)["status"]["facts"]["server_id"]
    admin.good("POST", f"{home}/plans/{held['id']}:reject", {"reason": "customer initrode leaves"})
    gone = send(cloud, "DELETE", f"/v1/servers/{server}", None, {"Authorization": f"Bearer {CLOUD_TOKEN}"})
    assert gone.status == 200, gone
    tasks = [each["id"] for each in admin.every(f"{home}/tasks")]
    passes = [each["id"] for each in admin.every(f"{home}/passes")]
    assert (tasks != [], passes != []) == (True, True)
    return [
        *(f"plans/{held['id']}{more}" for more in ("", ":changes", ":progress", ":review", "?view=groups")),
        *(f"plans/{dry}{more}" for more in ("", ":changes", ":review")),
        *(f"passes/{each}{more}" for each in passes for more in ("", ":changes", ":replay")),
        *(f"{part}/{each}" for each in tasks for part in ("tasks", "operations")),
        f"operations/{dry}",
        f"operations/{dry}:wait?timeout=0",
    ]


def nothing_of_the_past(reader: Caller, home: str, paths: list[str]) -> None:
    identities = {path: path.partition("/")[2].partition(":")[0].partition("?")[0] for path in paths}
    for part in ("plans", "plans?state=rejected", "passes", "tasks", "operations"):
        listed = str(reader.every(f"{home}/{part}"))
        assert [word for word in ("initrode", *identities.values()) if word in listed] == [], part
    told = {path: reader.get(f"{home}/{path}").status for path in paths}
    assert {path: status for path, status in told.items() if status != 404} == {}
    for path, identity in identities.items():
        if path == f"plans/{identity}":
            verbs, body = ("approve", "reject"), {"digest": "0" * 32, "reason": "mine"}
        elif path == f"operations/{identity}":
            verbs, body = ("cancel", "retry"), {"reason": "mine"}
        else:
            continue
        answers = {verb: reader.call("POST", f"{home}/{path}:{verb}", body).status for verb in verbs}
        assert set(answers.values()) <= {403, 404}, f"{path}: {answers}"


@pytest.mark.parametrize("level", ["project", "workspace"])
def test_records_of_what_is_gone_are_not_there_for_the_next_of_its_name(
    installation: Installation, cloud: str, level: str
) -> None:
    """Neither to be read nor to be decided about: plans, passes, tasks and operations, listed or by id."""
    name = installation.organization("rec")
    home, project = f"/v1/organizations/{name}", installation.project(name, "blog")
    workspace, admin = f"{project}/workspaces/prod", installation.admin
    admin.good("PUT", f"{home}/secrets/cloud", {"value": CLOUD_TOKEN})
    spec = {"family": "hetzner_cloud", "credential": "secret://cloud", "endpoint": cloud, "mode": "run"}
    admin.put(f"{home}/providers/cloud", spec)
    admin.put(workspace, {"provider": "cloud"})
    admin.ready(workspace)
    paths = judged(installation, home, workspace, cloud)
    removed(installation, f"{workspace}/hosts/hinitrode")
    removed(installation, project if level == "project" else workspace)
    admin.put(project, {})
    admin.put(workspace, {"provider": "cloud"})
    where = {"project": "blog", **({"workspace": "prod"} if level == "workspace" else {})}
    for role, more in (("operator", {"may_approve": True}), ("auditor", {})):
        nothing_of_the_past(installation.service(name, role, **where, **more), home, paths)
    # Who reads the whole organization reads its past.
    auditor = installation.service(name, "auditor")
    told = {path: auditor.get(f"{home}/{path}").status for path in paths}
    assert {path: status for path, status in told.items() if status != 200} == {}
    assert "customer initrode leaves" in str(auditor.every(f"{home}/plans"))
