"""Names of ours in other spellings or twice, guesses, keys for one answer, and levers of others."""

import socket
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from .kit import Installation

HOSTS = {
    "rebound.evil.example.": 421,
    "127.0.0.1.evil.example": 421,
    "evil.example:80": 421,
    "localhost.evil.example": 421,
    "LOCALHOST": 200,
    "localhost.": 200,
    "[::1]": 200,
    "[::ffff:127.0.0.1]": 200,
    "127.0.0.1@evil.example": 421,
    "evil.example@127.0.0.1": 421,
    "*.localhost": 421,
    "localhost, evil.example": 421,
    "localhost evil": 421,
    "localhost\\@evil.example": 421,
}


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_in_another_spelling(installation: Installation, host: str) -> None:
    got = installation.admin.call("GET", "/v1/me", headers={"Host": host}).status
    assert got == HOSTS[host] or (HOSTS[host] == 421 and got == 400), host


def raw(installation: Installation, request: str) -> bytes:
    parts = urlsplit(installation.url)
    with socket.create_connection((str(parts.hostname), parts.port), 30) as opened:
        opened.sendall(request.encode())
        return opened.recv(65536)


@pytest.mark.parametrize(
    "head",
    [
        "GET /v1/me HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n",
        "GET /v1/me HTTP/1.1\r\nHost: evil.example\r\nHost: localhost\r\n",
        "GET http://evil.example/v1/me HTTP/1.1\r\nHost: evil.example\r\n",
        "GET /v1/me HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost\r\n",
    ],
)
def test_no_second_host_opens_the_door(installation: Installation, head: str) -> None:
    token = installation.admin.token
    said = raw(installation, f"{head}Authorization: Bearer {token}\r\nConnection: close\r\n\r\n")
    assert said.split(b" ", 2)[1] in (b"400", b"421"), said[:200]


@pytest.mark.parametrize(
    "spell", [str.upper, str.title, lambda email: f" {email} ", lambda email: f"{email}."]
)
def test_another_spelling_of_an_address_buys_no_more_guesses(installation: Installation, spell) -> None:  # type: ignore[no-untyped-def]
    email = f"spelt@{installation.organization('spell')}.example"
    installation.person(email)
    guesser, answers = installation.guesser, []
    for number in range(24):
        body = {"email": spell(email) if number % 2 else email, "password": "wrong", "cookie": False}
        answers.append(guesser.call("POST", "/v1/sessions", body).status)
    assert answers[::2].count(401) <= 10


def test_one_key_for_two_callers_answers_each_for_themselves(installation: Installation) -> None:
    name = installation.organization("twice")
    where, key = f"/v1/organizations/{name}/tokens", {"Idempotency-Key": "the-same-key"}
    owner = installation.service(name, "owner")
    made = owner.call("POST", where, {"name": "one", "role": "owner"}, headers=key)
    assert made.status == 201
    body = {"name": "one", "role": "owner"}
    for other in (installation.service(name, "member"), installation.service(name, "auditor")):
        again = other.call("POST", where, body, headers=key)
        assert again.status in (403, 404), again
        assert made.body["token"] not in str(again)


def test_a_key_that_was_used_in_an_organization_before_answers_nothing_of_it(
    installation: Installation,
) -> None:
    name = installation.organization("twice")
    where, key = f"/v1/organizations/{name}", {"Idempotency-Key": "before"}
    body = {"name": "one", "role": "owner"}
    made = installation.admin.call("POST", f"{where}/tokens", body, headers=key)
    installation.admin.good("DELETE", f"{where}?cascade=true")
    installation.admin.until("/v1/me", lambda _: installation.admin.get(where).status == 404)
    installation.admin.put(where, {})
    again = installation.admin.call("POST", f"{where}/tokens", body, headers=key)
    found = again.body.get("token", "") if again.status < 300 else ""
    assert not found or installation.with_token(found).get(where).status in (200, 401)
    assert installation.with_token(made.body["token"]).get(where).status == 401


@pytest.mark.parametrize("way", ["DELETE", "POST :resume", "PUT run"])
def test_two_levers_at_once_are_two_levers(installation: Installation, way: str) -> None:
    """Letting one go does not let the other go."""
    name = installation.organization("lever")
    project = installation.project(name)
    owner = installation.service(name, "owner")
    installation.admin.good(
        "PUT", f"/v1/switches/scope:{name}", {"mode": "stop", "reason": "the administrator says so"}
    )
    owner.good("POST", f"{project}:pause", {"reason": "ours"})
    key = f"/v1/switches/scope:{name}/shop"
    if way == "DELETE":
        owner.call("DELETE", key)
    elif way == "PUT run":
        owner.call("PUT", key, {"mode": "run", "reason": "go"})
    else:
        owner.call("POST", f"{project}:resume")
    modes = {each["key"]: each["mode"] for each in installation.admin.good("GET", "/v1/switches")["items"]}
    assert modes.get(f"scope:{name}") == "stop"


def test_a_contractor_hears_of_no_lever_of_another_project(installation: Installation) -> None:
    name = installation.organization("lever")
    installation.project(name, "red")
    installation.project(name, "blog")
    monitor = f"/v1/organizations/{name}/projects/red/monitoring_objects/front"
    installation.admin.put(monitor, {"probe": "tcp", "target": "192.0.2.1:80"})
    contractor = installation.member(name, "con", {"role": "member", "project": "blog"})
    installation.admin.good("POST", f"{monitor}:pause", {"reason": "incident-initrode"})
    installation.admin.good(
        "POST", f"/v1/organizations/{name}/projects/red:pause", {"reason": "initrode too"}
    )
    where = f"/v1/organizations/{name}"
    for path in (
        "/v1/switches",
        f"{where}:attention",
        f"{where}:summary",
        f"{where}/loops",
        f"{where}/activity",
        f"{where}/inventory",
        f"{where}/events?page_size=200",
        f"{where}/audit?page_size=200",
        f"{where}/passes",
        f"{where}/plans",
    ):
        answer = contractor.get(path)
        assert b"initrode" not in answer.raw, path
        assert b"monitoring_object/front" not in answer.raw, path


def test_a_token_for_enrolment_of_nothing_is_slow_to_guess_from_one_address(
    installation: Installation,
) -> None:
    """By many at once, on both replicas."""
    guesser = installation.guesser

    def guess(number: int) -> int:
        return guesser.call(
            "POST", "/v1/agent/enrol", {"token": f"setpoint_enr_{number}", "facts": {}}
        ).status

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(guess, range(80)))
    assert answers.count(401) < 50, answers
    assert 429 in answers
