"""Somebody lies about their address, or about the name that they ask for."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from .conftest import STORES
from .kit import PASSWORD, Caller, Installation, on_sqlite
from .test_connections import bounded

WRONG = "not the right password at all"
LIES = ({"X-Forwarded-For": "192.0.2.7"}, {"Forwarded": "for=192.0.2.7"}, {"X-Real-IP": "192.0.2.7"})


def sign_in(who: Caller, email: str, password: str, **headers: str) -> int:
    body = {"email": email, "password": password, "cookie": False}
    return who.call("POST", "/v1/sessions", body, headers).status


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: next(iter(lie)))
def test_a_token_of_another_network_does_not_work_by_saying_so(
    installation: Installation, lie: dict[str, str]
) -> None:
    name = installation.organization("addr")
    bound = installation.service(name, "auditor", addresses=["192.0.2.0/24"])
    assert bound.call("GET", f"/v1/organizations/{name}", headers=lie).status == 401


def test_a_claimed_address_does_not_buy_more_guesses(installation: Installation) -> None:
    person = f"claims@{installation.organization('addr')}.example"
    installation.person(person)
    guesser = installation.guesser
    answers = [sign_in(guesser, person, WRONG, **{"X-Forwarded-For": f"198.51.100.{n}"}) for n in range(30)]
    assert 429 in answers[:10]
    assert answers.count(401) < 15


def test_wrong_logins_of_others_behind_the_same_address_keep_nobody_out(installation: Installation) -> None:
    domain = f"{installation.organization('addr')}.example"
    innocent = f"innocent@{domain}"
    installation.person(innocent)
    shared = installation.guesser
    for n in range(30):
        sign_in(shared, f"guess{n % 10}@{domain}", WRONG)
    assert sign_in(shared, innocent, PASSWORD) == 201


@pytest.fixture(params=STORES)
def behind_a_proxy(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Installation]:
    env = {"SETPOINT_TRUSTED_PROXIES": "127.0.0.1", "SETPOINT_ALLOWED_HOSTS": "setpoint.example.org"}
    with bounded(str(request.param), tmp_path, **env) as found:
        yield found
    shutil.rmtree(tmp_path / "data", ignore_errors=True)


def test_a_proxy_that_is_named_is_believed_about_its_own_hop_alone(behind_a_proxy: Installation) -> None:
    name = behind_a_proxy.organization("addr")
    bound = behind_a_proxy.service(name, "auditor", addresses=["192.0.2.0/24"])
    where = f"/v1/organizations/{name}"
    sent = {"192.0.2.7": 200, "6.6.6.6, 192.0.2.7": 200, "192.0.2.7, 6.6.6.6": 401, "6.6.6.6": 401}
    got = {hops: bound.call("GET", where, headers={"X-Forwarded-For": hops}).status for hops in sent}
    assert got == sent
    assert bound.call("GET", where, headers={"Host": "setpoint.example.org"}).status == 401


def test_the_header_that_a_proxy_lets_pass_is_not_believed(behind_a_proxy: Installation) -> None:
    """The proxy writes one of the two headers; the client sends the other."""
    name = behind_a_proxy.organization("addr")
    where = f"/v1/organizations/{name}"
    bound = behind_a_proxy.service(name, "auditor", addresses=["192.0.2.0/24"])
    near = behind_a_proxy.service(name, "auditor", addresses=["127.0.0.0/8"])
    free = behind_a_proxy.service(name, "auditor")
    inside, outside = "192.0.2.7", "6.6.6.6"
    for older, newer in ((inside, outside), (outside, inside)):
        sent = {"X-Forwarded-For": older, "Forwarded": f"for={newer}"}
        got = [each.call("GET", where, headers=sent).status for each in (bound, near, free)]
        assert got == [401, 401, 200], sent
    for sent in (
        {"X-Forwarded-For": inside},
        {"Forwarded": f"for={inside}"},
        {"X-Forwarded-For": inside, "Forwarded": f"for={inside};proto=https"},
    ):
        assert bound.call("GET", where, headers=sent).status == 200, sent


@pytest.mark.parametrize("path", ["/v1/me", "/openapi.json", "/", "/v1/sessions"])
def test_a_name_that_was_bent_to_us_is_not_answered(installation: Installation, path: str) -> None:
    assert installation.admin.call("GET", path, headers={"Host": "rebound.evil.example"}).status == 421
    assert installation.admin.call("GET", "/livez", headers={"Host": "rebound.evil.example"}).status == 200
    assert installation.admin.call("GET", "/v1/me", headers={"Host": "localhost"}).status == 200


def test_no_letter_leads_to_an_address_that_nobody_reaches(tmp_path: Path) -> None:
    """Listening everywhere is no address: a link to 0.0.0.0 opens whatever the reader runs."""
    with on_sqlite(tmp_path, SETPOINT_HOST="0.0.0.0") as found:  # noqa: S104 - what is attacked
        name = found.organization("addr")
        found.admin.good("POST", "/v1/accounts", {"email": f"a@{name}.example"})
        membership = f"/v1/organizations/{name}/memberships/ann"
        found.admin.put(membership, {"email": f"ann@{name}.example", "roles": [{"role": "owner"}]})
        links = [
            found.letter_to(f"a@{name}.example"),
            found.admin.good("POST", f"{membership}:invite", {})["link"],
        ]
        for link in (*links, found.url):
            assert urlsplit(link).hostname == "127.0.0.1", link
        told = b"".join(log.read_bytes() for log in found.logs)
        assert b"://0.0.0.0" not in told
    public = {"SETPOINT_HOST": "0.0.0.0", "SETPOINT_PUBLIC_URL": "https://setpoint.example.org"}  # noqa: S104
    with on_sqlite(tmp_path, **public) as found:
        link = found.admin.good("POST", f"/v1/organizations/{name}/memberships/ann:invite", {})["link"]
        assert link.startswith("https://setpoint.example.org/"), link
