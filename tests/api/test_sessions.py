"""Sessions: how they begin, how they end, and what nobody can do with one that is not theirs."""

import asyncio
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from msgspec.structs import replace

from harness import ORGANIZATION
from setpoint.access.credential import PREFIXES, hash_token
from setpoint.bootstrap import Parts
from setpoint.engine.account import Factors
from setpoint.engine.store import TOKENS_OF_ACCOUNT, Change, Put
from setpoint.engine.token import Token

from .kit import Api, as_other, still
from .people import (
    ANN,
    PASSWORD,
    Person,
    administrator,
    nobody,
    set_up,
    signed_in,
    somebody,
    strikes,
    waiting,
    with_second_factor,
)


async def session_of(api: Api, secret: str) -> Token:
    found = await api.store.get(Token, hash_token(secret))
    assert found is not None
    return found


async def test_a_person_signs_in_and_out(api: Api) -> None:
    async with administrator(api):
        made = await signed_in(api, "  ANN@acme.example ")
        assert (made.status, made.body["email"]) == (201, ANN)
        assert made.body["token"].startswith(PREFIXES["session"])
        async with as_other(api, made.body["token"]) as ann:
            assert (await ann.get("/v1/me")).body["name"] == ANN
            assert (await ann.call("DELETE", "/v1/sessions/current")).status == 200
            assert (await ann.get("/v1/me")).status == 401


async def test_a_browser_gets_a_cookie_that_no_script_and_no_other_site_can_use(api: Api) -> None:
    async with administrator(api), nobody(api) as browser:
        body = {"email": ANN, "password": PASSWORD}
        answer = await browser.call("POST", "/v1/sessions", body)
        cookie = answer.headers["Set-Cookie"]
        name, _, rest = cookie.partition("=")
        secret = rest.partition(";")[0]
        flags = {part.strip().partition("=")[0].lower() for part in rest.split(";")[1:]}
        assert name == "__Host-setpoint"
        assert {"secure", "httponly", "path", "samesite", "max-age"} <= flags
        assert ("domain" in flags, "SameSite=lax" in cookie, "Path=/" in cookie) == (False, True, True)
        assert "token" not in answer.body
        assert secret not in answer.raw.decode()
        shown = await browser.get("/v1/me", headers={"Cookie": f"{name}={secret}"})
        assert (shown.status, shown.body["name"]) == (200, ANN)


async def test_a_cookie_holds_a_session_and_nothing_else(api: Api) -> None:
    async with nobody(api) as browser:
        for secret in (api.run.token, "made-up", ""):
            shown = await browser.get("/v1/me", headers={"Cookie": f"__Host-setpoint={secret}"})
            assert shown.status == 401


async def test_a_session_planted_before_signing_in_opens_nothing_afterwards(api: Api) -> None:
    async with administrator(api) as ann, nobody(api) as browser:
        planted = {"Cookie": f"__Host-setpoint={PREFIXES['session']}planted"}
        answer = await browser.call(
            "POST", "/v1/sessions", {"email": ANN, "password": PASSWORD}, headers=planted
        )
        assert answer.status == 201
        assert "planted" not in answer.headers["Set-Cookie"]
        assert (await browser.get("/v1/me", headers=planted)).status == 401
        # One that is open stays somebody else's: signing in does not take it over.
        again = await signed_in(ann.api, ANN)
        assert again.body["token"] != ann.session


async def test_only_the_hash_of_a_session_is_kept(api: Api) -> None:
    async with administrator(api) as ann:
        held = await session_of(api, ann.session)
        rows = await api.store.read(TOKENS_OF_ACCOUNT, account=held.account)
        assert ann.session not in str(rows)
        assert held.sort == "session"


async def test_wrong_address_wrong_password_and_no_such_account_sound_the_same(api: Api) -> None:
    async with administrator(api), somebody(api) as bob:
        await api.good("PATCH", f"/v1/accounts/{await account_of(api, bob)}", {"disabled": True})
        answers = [
            await signed_in(api, email, password)
            for email, password in [
                (ANN, "wrong " + PASSWORD),
                ("nobody@acme.example", PASSWORD),
                (bob.email, PASSWORD),
            ]
        ]
        assert {answer.status for answer in answers} == {401}
        said = [{**answer.body, "trace_id": ""} for answer in answers]
        assert said == [said[0]] * 3


async def account_of(api: Api, person: Person) -> str:
    return (await session_of(api, person.session)).account


class Counting:
    """Hashes nothing, and counts what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def hashed(self, password: str) -> str:
        return f"hash of {password}"

    async def matches(self, password: str, known: str) -> bool:
        self.asked.append(password)
        return known == f"hash of {password}"

    def outdated(self, known: str) -> bool:
        return False


async def test_nobody_learns_from_the_work_who_has_an_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every wrong try costs one comparison with a hash, whether there is one or not."""
    counting = Counting()
    monkeypatch.setattr("setpoint.up.Parts", partial(Parts, passwords=lambda: counting))
    async with still(tmp_path) as api, administrator(api):
        for email in (ANN, "nobody@acme.example"):
            counting.asked.clear()
            assert (await signed_in(api, email, "wrong " + PASSWORD)).status == 401
            assert counting.asked == ["wrong " + PASSWORD]


async def test_sessions_end_when_they_rest_and_at_their_time(tmp_path: Path) -> None:
    settings = {"session_idle_seconds": 100.0, "session_seconds": 1000.0}
    async with still(tmp_path, **settings) as api, administrator(api) as ann:
        held = await session_of(api, ann.session)
        assert (held.idle_seconds, round(held.expires_at - held.created_at)) == (100.0, 1000)
        rested = replace(held, seen_at=held.seen_at - 101.0)
        await api.store.commit(Change(writes=(Put(rested),)))
        answer = await ann.api.get("/v1/me")
        assert (answer.status, answer.body["code"]) == (401, "expired")
        over = replace(held, expires_at=held.created_at)
        await api.store.commit(Change(writes=(Put(over),)))
        assert (await ann.api.get("/v1/me")).status == 401


async def test_using_a_session_keeps_it_and_is_noted_once_a_minute(api: Api) -> None:
    async with administrator(api) as ann:
        held = await session_of(api, ann.session)
        await ann.api.get("/v1/me")
        assert (await session_of(api, ann.session)).seen_at == held.seen_at
        await api.store.commit(Change(writes=(Put(replace(held, seen_at=held.seen_at - 61.0)),)))
        await ann.api.get("/v1/me")
        assert (await session_of(api, ann.session)).seen_at > held.seen_at - 61.0


async def test_sessions_are_listed_and_ended_one_by_one(api: Api) -> None:
    async with administrator(api) as ann:
        other = (await signed_in(api, ANN)).body
        listed = (await ann.api.get("/v1/me/sessions")).body["items"]
        assert [(item["id"], item["current"]) for item in listed] == [
            (other["id"], False),
            (listed[1]["id"], True),
        ]
        assert listed[0]["address"] == "127.0.0.1"
        assert "aiohttp" in listed[0]["device"]
        assert (await ann.api.call("DELETE", f"/v1/me/sessions/{other['id']}")).status == 200
        async with as_other(api, other["token"]) as ended:
            assert (await ended.get("/v1/me")).status == 401
        assert (await ann.api.get("/v1/me")).status == 200


async def test_nobody_ends_the_session_of_somebody_else(api: Api) -> None:
    async with administrator(api) as ann, somebody(api) as bob:
        mine = (await session_of(api, ann.session)).id
        refused = await bob.api.call("DELETE", f"/v1/me/sessions/{mine}")
        assert refused.status == 404
        assert (await ann.api.get("/v1/me")).status == 200


async def test_a_session_that_is_taken_back_does_not_come_back_by_being_noted(api: Api) -> None:
    """Noting the use of a session and ending it happen at the same time: the end wins."""
    async with administrator(api) as ann:
        for _ in range(10):
            made = (await signed_in(api, ANN)).body
            held = await session_of(api, made["token"])
            await api.store.commit(Change(writes=(Put(replace(held, seen_at=held.seen_at - 61.0)),)))
            async with as_other(api, made["token"]) as other:
                await asyncio.gather(
                    *(other.get("/v1/me") for _ in range(3)),
                    ann.api.call("DELETE", f"/v1/me/sessions/{made['id']}"),
                    *(other.get("/v1/me") for _ in range(3)),
                )
                assert (await other.get("/v1/me")).status == 401
            assert await api.store.get(Token, held.hash) is None


async def test_a_new_password_ends_every_other_session_at_the_next_request(api: Api) -> None:
    async with administrator(api) as ann:
        other = (await signed_in(api, ANN)).body["token"]
        changed = await ann.api.good("POST", "/v1/me:password", {"password": "quiet rivers turn slowly"})
        assert changed == {"sessions_ended": 1}
        async with as_other(api, other) as ended:
            assert (await ended.get("/v1/me")).status == 401
        assert (await ann.api.get("/v1/me")).status == 200
        assert (await signed_in(api, ANN)).status == 401
        assert (await signed_in(api, ANN, "quiet rivers turn slowly")).status == 201


async def test_a_stream_ends_with_the_session_it_was_opened_with(api: Api) -> None:
    async with administrator(api) as ann:
        other = (await signed_in(api, ANN)).body
        async with as_other(api, other["token"]) as watching:
            address = f"{api.url}{ORGANIZATION}/events?watch=1"
            async with watching.session.get(address) as stream:
                assert (await stream.content.readline()).startswith(b": at ")
                await ann.api.good("POST", "/v1/me:password", {"password": "quiet rivers turn slowly"})
                async with asyncio.timeout(60):
                    await stream.content.read()


ROLE = {"spec": {"rules": [{"keys": ["project.*"], "verbs": ["read"]}]}}
MEMBERSHIP = {"spec": {"email": "eve@acme.example", "roles": [{"role": "auditor"}]}}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/me:password", {"password": "quiet rivers turn slowly"}),
        ("POST", "/v1/me/totp", {}),
        ("DELETE", "/v1/me/totp", None),
        ("POST", "/v1/accounts", {"email": "eve@acme.example"}),
        ("POST", f"{ORGANIZATION}/tokens", {"name": "ci", "role": "auditor"}),
        ("DELETE", "/v1/switches/all", None),
        ("PUT", "/v1/switches/all", {"mode": "run", "reason": "over"}),
        ("PUT", f"{ORGANIZATION}/roles/sre", ROLE),
        ("DELETE", f"{ORGANIZATION}/roles/kept", None),
        ("PUT", f"{ORGANIZATION}/memberships/eve", MEMBERSHIP),
        (
            "POST",
            f"{ORGANIZATION}/declarations",
            {"items": [{"kind": "role", "metadata": {"name": "sre"}, **ROLE}]},
        ),
    ],
)
async def test_what_could_let_others_in_needs_a_password_given_lately(
    api: Api, method: str, path: str, body: Any
) -> None:
    async with administrator(api) as ann:
        await api.good("PUT", "/v1/switches/all", {"mode": "observe", "reason": "test"})
        await api.good("PUT", f"{ORGANIZATION}/roles/kept", ROLE)
        held = await session_of(api, ann.session)
        await api.store.commit(Change(writes=(Put(replace(held, proved_at=held.proved_at - 601.0)),)))
        refused = await ann.api.call(method, path, body)
        assert (refused.status, refused.body["code"]) == (403, "step_up"), refused.raw
        assert (await ann.api.get("/v1/me/sessions")).status == 200
        # A program was given its rights by somebody who had just proven who they are.
        assert (await api.call(method, path, body)).body.get("code") != "step_up"


async def test_what_a_role_would_do_is_asked_without_a_password(api: Api) -> None:
    async with administrator(api) as ann:
        held = await session_of(api, ann.session)
        await api.store.commit(Change(writes=(Put(replace(held, proved_at=held.proved_at - 601.0)),)))
        role = f"{ORGANIZATION}/roles/sre"
        assert (await ann.api.call("POST", f"{role}:preview", ROLE)).status == 200
        assert (await ann.api.call("PUT", f"{role}?dry_run=true", ROLE)).status == 202
        assert (await ann.api.call("PUT", role, ROLE)).body["code"] == "step_up"


async def test_stopping_everything_never_waits_for_a_password(api: Api) -> None:
    async with administrator(api) as ann:
        held = await session_of(api, ann.session)
        await api.store.commit(Change(writes=(Put(replace(held, proved_at=0.0)),)))
        await ann.api.good("PUT", "/v1/switches/all", {"mode": "stop", "reason": "storm"})


async def test_confirming_gives_the_session_a_new_id_and_the_old_one_is_gone(api: Api) -> None:
    async with administrator(api) as ann:
        held = await session_of(api, ann.session)
        await api.store.commit(Change(writes=(Put(replace(held, proved_at=0.0)),)))
        wrong = await ann.api.call("POST", "/v1/sessions/current:confirm", {"password": "wrong"})
        assert (wrong.status, wrong.body["code"]) == (401, "wrong_password")
        made = await ann.api.good("POST", "/v1/sessions/current:confirm", {"password": PASSWORD})
        assert made["token"] != ann.session
        assert (await ann.api.get("/v1/me")).status == 401
        async with as_other(api, made["token"]) as confirmed:
            await confirmed.good("POST", "/v1/me:password", {"password": "quiet rivers turn slowly"})
        after = await session_of(api, made["token"])
        assert (after.id != held.id, after.expires_at) == (True, held.expires_at)


async def test_a_program_has_no_session_to_end(api: Api) -> None:
    for method, path in [
        ("DELETE", "/v1/sessions/current"),
        ("POST", "/v1/me/totp"),
        ("GET", "/v1/me/sessions"),
    ]:
        refused = await api.call(method, path)
        assert (refused.status, refused.body["code"]) == (403, "not_a_person")


async def test_a_credential_that_does_not_look_like_its_sort_opens_nothing(api: Api) -> None:
    async with administrator(api) as ann:
        held = await session_of(api, ann.session)
        for sort in ("personal", "service", "workspace", "agent"):
            await api.store.commit(Change(writes=(Put(replace(held, sort=sort)),)))
            assert (await ann.api.get("/v1/me")).status == 401
        await api.store.commit(Change(writes=(Put(held),)))
        assert (await ann.api.get("/v1/me")).status == 200


async def test_every_mistake_of_signing_in_is_told_at_once(api: Api) -> None:
    answer = await api.call("POST", "/v1/sessions", {"email": 7, "pasword": "x", "cookie": "yes"})
    assert (answer.status, answer.body["code"]) == (422, "bad_fields")
    assert answer.mistakes == {
        ("/pasword", "unknown_field"),
        ("/password", "missing"),
        ("/email", "bad_type"),
        ("/cookie", "bad_type"),
    }


@pytest.mark.usefixtures("real_effort")
async def test_a_password_hashed_with_less_effort_is_hashed_anew_at_the_next_sign_in(api: Api) -> None:
    async with administrator(api) as ann:
        account = await account_of(api, ann)
        known = await api.store.get(Factors, account)
        assert known is not None
        old = PasswordHasher(time_cost=1, memory_cost=8 * 1024, parallelism=1).hash(PASSWORD)
        await api.store.commit(Change(writes=(Put(replace(known, password=old)),)))
        assert (await signed_in(api, ANN)).status == 201
        after = await api.store.get(Factors, account)
        assert after is not None
        assert "m=47104,t=1,p=1" in after.password
        assert (await signed_in(api, ANN)).status == 201


async def test_after_five_wrong_tries_the_next_one_waits_longer_each_time(api: Api) -> None:
    async with administrator(api):
        answers = [await signed_in(api, ANN, "wrong " + PASSWORD) for _ in range(5)]
        assert [answer.status for answer in answers] == [401] * 5
        waits = [await waiting(api, "beside")]
        refused = await signed_in(api, ANN, "wrong " + PASSWORD)
        assert (refused.status, refused.body["code"]) == (429, "too_many_tries")
        assert int(refused.headers["Retry-After"]) >= 1
        assert (await signed_in(api, ANN)).status == 429
        for _ in range(3):
            (row,) = await strikes(api, "beside")
            await api.store.commit(Change(writes=(Put(replace(row, until=0.0)),)))
            assert (await signed_in(api, ANN, "wrong " + PASSWORD)).status == 401
            waits.append(await waiting(api, "beside"))
        assert waits == [1, 2, 4, 8]


async def test_many_wrong_tries_at_once_get_no_further_than_one_by_one(api: Api) -> None:
    async with administrator(api):
        began = time.time()
        answers = await asyncio.gather(*(signed_in(api, ANN, "wrong " + PASSWORD) for _ in range(30)))
        (row,) = await strikes(api, "beside")
        assert sum(answer.status == 401 for answer in answers) == row.count
        # Five at once, and each one more only after a wait that doubles.
        assert 2 ** max(0, row.count - 5) - 1 <= row.at - began


async def test_a_right_password_is_forgiven_what_was_wrong_before(api: Api) -> None:
    async with administrator(api):
        for _ in range(3):
            assert (await signed_in(api, ANN, "wrong " + PASSWORD)).status == 401
        assert (await signed_in(api, ANN)).status == 201
        assert await strikes(api, "person") == []


async def test_whoever_tries_many_accounts_from_one_address_waits_too(api: Api) -> None:
    async with administrator(api):
        for _ in range(2):
            answers = [await signed_in(api, f"p{n}@acme.example", PASSWORD) for n in range(20)]
            assert [answer.status for answer in answers] == [401] * 20
        assert await waiting(api, "address") == 1
        assert (await signed_in(api, "p0@acme.example", PASSWORD)).status == 429
        # Somebody else behind the same address, who is right, does not wait for it.
        assert (await signed_in(api, ANN)).status == 201


async def test_an_outsider_cannot_lock_out_whoever_has_a_second_factor(api: Api) -> None:
    async with administrator(api) as ann:
        await with_second_factor(ann)
        for _ in range(5):
            await signed_in(api, ANN, "wrong " + PASSWORD)
        await waiting(api, "beside")
        assert (await signed_in(api, ANN)).status == 429
        assert (await signed_in(api, ANN, code="000000")).status == 429
        assert (await signed_in(api, ANN, code=ann.code())).status == 201


async def test_a_session_of_a_deleted_person_opens_nothing(api: Api) -> None:
    async with administrator(api), somebody(api) as bob:
        await api.good("DELETE", f"/v1/accounts/{await account_of(api, bob)}")
        assert (await bob.api.get("/v1/me")).status == 401
        assert (await signed_in(api, bob.email)).status == 401
        assert (await set_up(api, bob.email))["email"] == bob.email
