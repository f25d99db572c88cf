"""Accounts: the first administrator, those who are invited, second factors, and links that work once."""

import asyncio
import re
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from msgspec.structs import replace

import postgres
from setpoint.access.credential import LINK, hash_token, minted
from setpoint.api.attempts import of_person
from setpoint.engine.account import Account, Factors, Link
from setpoint.engine.store import (
    ACCOUNT_AT,
    ACCOUNTS_PAGE,
    AUDIT_PAGE,
    EVENTS_AFTER,
    LETTERS_PAGE,
    LINKS_TO,
    Change,
    Put,
)
from setpoint.engine.token import Token
from setpoint.log import heard

from .kit import Api, as_other, still
from .people import (
    ANN,
    PASSWORD,
    Person,
    administrator,
    first,
    invited,
    letter_to,
    nobody,
    set_up,
    signed_in,
    somebody,
    waiting,
    with_second_factor,
)

BOB = "bob@acme.example"
OTHER = "quiet rivers turn slowly"


async def account(api: Api, email: str) -> Account:
    [found] = await api.store.read(ACCOUNT_AT, email=email)
    return found


async def factors(api: Api, email: str) -> Factors:
    found = await api.store.get(Factors, (await account(api, email)).id)
    assert found is not None
    return found


async def used(api: Api, link: str, password: str = PASSWORD, **more: Any) -> Any:
    body = {"link": link, "password": password, "cookie": False, **more}
    return await api.call("POST", "/v1/links:use", body)


async def test_the_first_start_prints_a_link_that_makes_the_first_administrator(api: Api) -> None:
    address, _, secret = api.run.link.partition("#")
    assert address == f"{api.url}/start"
    assert secret.startswith(LINK)
    async with nobody(api) as stranger:
        told = await stranger.good("POST", "/v1/links:open", {"link": secret})
        assert (told["purpose"], told["has_password"]) == ("first", False)
        made = await used(stranger, secret, email=" Ann@ACME.example", name="Ann")
        assert (made.status, made.body["email"]) == (201, ANN)
        async with as_other(api, made.body["token"]) as ann:
            assert (await ann.get("/v1/accounts")).body["items"][0]["administrator"] is True
        again = await used(stranger, secret, email="eve@acme.example")
        assert (again.status, again.body["code"]) == (404, "bad_link")


async def test_each_start_prints_another_link_until_somebody_has_an_account(tmp_path: Path) -> None:
    links = []
    for _ in range(2):
        async with still(tmp_path) as api:
            links.append(api.run.link)
            assert len(await api.store.read(LINKS_TO, purpose="first", target="")) == 1
    async with still(tmp_path) as api:
        for old in links:
            assert (await used(api, old, email=ANN)).status == 404
        await first(api)
    async with still(tmp_path) as api:
        assert api.run.link == ""
        assert (await signed_in(api, ANN)).status == 201


async def test_all_that_is_wrong_with_a_new_account_is_told_at_once_and_the_link_stays_good(api: Api) -> None:
    refused = await used(api, api.run.link, "password", email="nowhere")
    assert refused.status == 422
    assert refused.mistakes == {
        ("/email", "bad_value"),
        ("/password", "too_short"),
        ("/password", "guessable"),
    }
    assert "password" not in [error.get("value") for error in refused.body["errors"]]
    await first(api)


@pytest.mark.parametrize(
    "link",
    ["", "nonsense", minted("1", "x" * 43, LINK), minted("1", "x" * 43), LINK],
    ids=["empty", "nonsense", "unknown", "a-token", "a-beginning"],
)
async def test_a_link_that_was_never_given_opens_nothing(api: Api, link: str) -> None:
    for path in ("/v1/links:open", "/v1/links:use"):
        answer = await api.call("POST", path, {"link": link, **({"password": "x"} if "use" in path else {})})
        assert (answer.status, answer.body["code"]) in ((404, "bad_link"), (422, "bad_fields"))


async def test_a_link_that_ran_out_opens_nothing(api: Api) -> None:
    hashed = hash_token(api.run.link.partition("#")[2])
    link = await api.store.get(Link, hashed)
    assert link is not None
    assert round(link.expires_at - link.created_at) == 24 * 3600
    await api.store.commit(Change(writes=(Put(replace(link, expires_at=link.created_at)),)))
    assert (await used(api, api.run.link, email=ANN)).status == 404


async def test_the_first_link_is_for_nobody_once_there_is_an_account(api: Api) -> None:
    await invited(api, BOB)
    assert (await used(api, api.run.link, email=ANN)).status == 404


async def test_the_outbox_shows_no_link_that_ran_out(api: Api) -> None:
    secret = (await invited(api, BOB)).partition("#")[2]
    link = await api.store.get(Link, hash_token(secret))
    assert link is not None
    await api.store.commit(Change(writes=(Put(replace(link, expires_at=link.created_at)),)))
    [letter] = (await api.get("/v1/outbox")).body["items"]
    assert (letter["link"], letter["expires_at"]) == (None, None)


async def test_a_link_used_by_several_at_once_makes_one_account(api: Api) -> None:
    answers = await asyncio.gather(*(used(api, api.run.link, email=f"p{n}@acme.example") for n in range(5)))
    assert sorted(answer.status for answer in answers) == [201, 404, 404, 404, 404]
    assert len(await api.store.read(ACCOUNTS_PAGE, after="", limit=9)) == 1


async def test_whoever_is_invited_sets_up_an_account_by_the_letter(api: Api) -> None:
    async with administrator(api) as ann:
        link = await invited(ann.api, "Bob@Acme.example", name="Bob")
        [item] = [i for i in (await ann.api.get("/v1/accounts")).body["items"] if i["email"] == BOB]
        assert (item["state"], item["created_by"]) == ("invited", ANN)
        assert (await signed_in(api, BOB)).status == 401
        told = await api.good("POST", "/v1/links:open", {"link": link})
        assert (told["purpose"], told["email"], told["name"]) == ("invite", BOB, "")
        assert (await used(api, link, email="eve@acme.example")).mistakes == {("/email", "contradiction")}
        made = await used(api, link)
        assert (made.status, made.body["name"]) == (201, "Bob")
        assert (await used(api, link)).status == 404
        letters = (await ann.api.get("/v1/outbox")).body["items"]
        assert [(each["to"], each["link"]) for each in letters] == [(BOB, None)]


async def test_an_address_that_is_taken_or_none_is_not_invited(api: Api) -> None:
    async with administrator(api) as ann:
        for email, code in [(ANN.upper(), "taken"), ("nowhere", "bad_value")]:
            refused = await ann.api.call("POST", "/v1/accounts", {"email": email})
            assert refused.mistakes == {("/email", code)}


async def test_an_invitation_tells_nobody_whether_its_address_has_an_account(api: Api) -> None:
    async with administrator(api), somebody(api):
        told = []
        for number, email in enumerate((BOB, "nobody@acme.example")):
            secret = minted(f"{number}", "s" * 43, LINK)
            row = Link(hash=hash_token(secret), purpose="invite", target="x", email=email, expires_at=9e9)
            await api.store.commit(Change(writes=(Put(row),)))
            opened = await api.good("POST", "/v1/links:open", {"link": secret})
            refused = await used(api, secret, "short")
            told.append(({**opened, "email": ""}, refused.status, refused.mistakes))
        assert told[0] == told[1]


async def test_whoever_is_invited_and_has_an_account_proves_it(api: Api) -> None:
    async with administrator(api), somebody(api):
        row = Link(
            hash=hash_token(secret := minted("1", "s" * 43, LINK)),
            purpose="invite",
            target="of an organization",
            email=BOB,
            expires_at=9e9,
        )
        await api.store.commit(Change(writes=(Put(row),)))
        told = await api.good("POST", "/v1/links:open", {"link": secret})
        assert (told["name"], told["has_password"], told["has_second_factor"]) == ("", None, None)
        assert (await used(api, secret, OTHER)).body["code"] == "wrong_password"
        assert ("/password", "too_short") in (await used(api, secret, "short")).mistakes
        assert (await used(api, secret)).status == 201
        assert (await used(api, secret)).status == 404


async def test_people_who_administer_nothing_see_no_accounts_and_no_letters(api: Api) -> None:
    async with administrator(api), somebody(api) as bob:
        for method, path in [
            ("GET", "/v1/accounts"),
            ("POST", "/v1/accounts"),
            ("GET", "/v1/outbox"),
            ("PATCH", f"/v1/accounts/{(await account(api, ANN)).id}"),
            ("DELETE", f"/v1/accounts/{(await account(api, ANN)).id}"),
        ]:
            assert (await bob.api.call(method, path, {} if method != "GET" else None)).status == 404


async def test_whoever_is_disabled_is_out_at_the_next_request_and_back_when_enabled(api: Api) -> None:
    async with administrator(api) as ann, somebody(api) as bob:
        path = f"/v1/accounts/{(await account(api, BOB)).id}"
        changed = await ann.api.good("PATCH", path, {"disabled": True})
        assert changed["state"] == "disabled"
        assert (await bob.api.get("/v1/me")).status == 401
        assert (await signed_in(api, BOB)).status == 401
        await ann.api.good("PATCH", path, {"disabled": False})
        assert (await bob.api.get("/v1/me")).status == 401
        assert (await signed_in(api, BOB)).status == 201


async def test_a_token_of_somebody_disabled_opens_nothing(api: Api) -> None:
    async with administrator(api) as ann, somebody(api):
        secret, bob = minted("1", "s" * 43, "setpoint_pat_"), await account(api, BOB)
        token = Token(
            hash=hash_token(secret), subject=BOB, role="auditor", sort="personal", account=bob.id, id="1"
        )
        await api.store.commit(Change(writes=(Put(token),)))
        async with as_other(api, secret) as program:
            assert (await program.get("/v1/me")).status == 200
            await ann.api.good("PATCH", f"/v1/accounts/{bob.id}", {"disabled": True})
            refused = await program.get("/v1/me")
            assert (refused.status, refused.body["code"]) == (401, "disabled")


async def test_becoming_or_no_longer_being_administrator_ends_sessions(api: Api) -> None:
    async with administrator(api) as ann, somebody(api) as bob:
        path = f"/v1/accounts/{(await account(api, BOB)).id}"
        await ann.api.good("PATCH", path, {"administrator": True})
        assert (await bob.api.get("/v1/me")).status == 401
        again = (await signed_in(api, BOB)).body["token"]
        async with as_other(api, again) as able:
            assert (await able.get("/v1/accounts")).status == 200
            await ann.api.good("PATCH", path, {"administrator": False})
            assert (await able.get("/v1/accounts")).status == 401


async def test_an_administrator_ends_the_sessions_of_somebody(api: Api) -> None:
    async with administrator(api) as ann, somebody(api) as bob:
        path = f"/v1/accounts/{(await account(api, BOB)).id}/sessions"
        assert await ann.api.good("DELETE", path) == {"sessions_ended": 1}
        assert (await bob.api.get("/v1/me")).status == 401
        assert (await signed_in(api, BOB)).status == 201


async def test_a_forgotten_password_is_replaced_by_a_letter_and_every_session_ends(api: Api) -> None:
    async with administrator(api) as ann, somebody(api) as bob:
        asked = [
            await api.call("POST", "/v1/accounts:recover", {"email": email})
            for email in (BOB, "nobody@acme.example")
        ]
        assert {(answer.status, answer.raw) for answer in asked} == {(202, asked[0].raw)}
        link = await letter_to(ann.api, BOB)
        assert (await used(api, link, "short")).status == 422
        assert (await used(api, link, OTHER)).status == 201
        assert (await used(api, link, OTHER)).status == 404
        assert (await bob.api.get("/v1/me")).status == 401
        assert (await signed_in(api, BOB)).status == 401
        assert (await signed_in(api, BOB, OTHER)).status == 201


async def test_a_token_made_before_a_password_was_recovered_opens_nothing_after_it(api: Api) -> None:
    """Somebody else may have set up the account first, in the name of whoever it belongs to."""
    async with administrator(api) as ann, somebody(api):
        secret, bob = minted("1", "s" * 43, "setpoint_pat_"), await account(api, BOB)
        token = Token(
            hash=hash_token(secret), subject=BOB, role="auditor", sort="personal", account=bob.id, id="1"
        )
        await api.store.commit(Change(writes=(Put(token),)))
        await api.good("POST", "/v1/accounts:recover", {"email": BOB})
        assert (await used(api, await letter_to(ann.api, BOB), OTHER)).status == 201
        async with as_other(api, secret) as program:
            assert (await program.get("/v1/me")).status == 401


async def test_using_one_link_for_a_new_password_uses_all_of_them(api: Api) -> None:
    async with administrator(api) as ann, somebody(api):
        links: list[str] = []
        for _ in range(2):
            await api.good("POST", "/v1/accounts:recover", {"email": BOB})
            links.append(await letter_to(ann.api, BOB, but=links))
        assert (await used(api, links[1], OTHER)).status == 201
        assert (await used(api, links[0], OTHER)).status == 404


async def test_asking_for_letters_again_and_again_has_to_wait(api: Api) -> None:
    async with administrator(api), somebody(api):
        for email in (BOB, "nobody@acme.example"):
            ask = partial(api.call, "POST", "/v1/accounts:recover", {"email": email})
            assert [(await ask()).status for _ in range(3)] == [202, 202, 202]
            assert await waiting(api, of_person(email, "recover")) == 1
            assert (await ask()).status == 429


async def test_a_mailbox_alone_does_not_replace_a_second_factor(api: Api) -> None:
    async with administrator(api) as ann:
        codes = await with_second_factor(ann)
        await api.good("POST", "/v1/accounts:recover", {"email": ANN})
        link = await letter_to(api, ANN)
        assert (await used(api, link, OTHER)).body["code"] == "code_needed"
        assert (await used(api, link, OTHER, code="000000")).body["code"] == "code_needed"
        assert (await used(api, link, OTHER, code=codes[0])).status == 201
        assert (await signed_in(api, ANN, OTHER)).body["code"] == "code_needed"


async def test_a_second_factor_counts_from_its_first_code_on(api: Api) -> None:
    async with administrator(api) as ann:
        begun = await ann.api.good("POST", "/v1/me/totp", {})
        assert begun["uri"].startswith("otpauth://totp/Setpoint%3Aann%40acme%2Eexample?secret=")
        assert (await signed_in(api, ANN)).status == 201
        refused = await ann.api.call("POST", "/v1/me/totp:confirm", {"code": "000000"})
        assert refused.mistakes == {("/code", "bad_value")}
        codes = await with_second_factor(ann)
        assert len(set(codes)) == 10
        assert (await signed_in(api, ANN)).body["code"] == "code_needed"
        assert (await signed_in(api, ANN, code=ann.code())).status == 201
        shown = (await ann.api.get("/v1/accounts")).body["items"][0]
        assert shown["second_factor"] is True
        assert (await ann.api.good("GET", "/v1/me"))["second_factor"] is True
        assert (await ann.api.call("POST", "/v1/me/totp", {})).status == 409


async def test_a_code_works_once(api: Api) -> None:
    async with administrator(api) as ann:
        await with_second_factor(ann)
        code = ann.code()
        assert (await signed_in(api, ANN, code=code)).status == 201
        again = await signed_in(api, ANN, code=code)
        assert (again.status, again.body["code"]) == (401, "code_needed")


async def test_a_code_used_by_several_at_once_lets_one_in(api: Api) -> None:
    async with administrator(api) as ann:
        await with_second_factor(ann)
        code = ann.code()
        answers = await asyncio.gather(*(signed_in(api, ANN, code=code) for _ in range(5)))
        assert sum(answer.status == 201 for answer in answers) == 1


async def test_a_code_is_spent_beside_a_wrong_password_too(api: Api) -> None:
    async with administrator(api) as ann:
        await with_second_factor(ann)
        code = ann.code()
        assert (await signed_in(api, ANN, OTHER, code=code)).body["code"] == "wrong_password"
        assert (await signed_in(api, ANN, code=code)).body["code"] == "code_needed"


async def test_a_recovery_code_works_once_and_the_others_stay(api: Api) -> None:
    async with administrator(api) as ann:
        codes = await with_second_factor(ann)
        assert (await signed_in(api, ANN, code=codes[3].upper().replace("-", " "))).status == 201
        assert (await signed_in(api, ANN, code=codes[3])).status == 401
        assert len((await factors(api, ANN)).recovery) == 9
        assert (await signed_in(api, ANN, code=codes[4])).status == 201


async def test_a_shorter_password_stands_only_beside_a_second_factor(api: Api) -> None:
    async with administrator(api) as ann:
        short = "kx7!Qm2@vB9#z"
        assert (await ann.api.call("POST", "/v1/me:password", {"password": short})).mistakes == {
            ("/password", "too_short")
        }
        await with_second_factor(ann)
        await ann.api.good("POST", "/v1/me:password", {"password": short})
        refused = await ann.api.call("DELETE", "/v1/me/totp")
        assert (refused.status, refused.body["code"]) == (409, "password_too_short")
        await ann.api.good("POST", "/v1/me:password", {"password": OTHER})
        assert await ann.api.good("DELETE", "/v1/me/totp") == {"second_factor": False}
        assert (await signed_in(api, ANN, OTHER)).status == 201


async def test_an_administrator_takes_a_lost_second_factor_away(api: Api) -> None:
    async with administrator(api) as ann, somebody(api) as bob:
        await with_second_factor(bob)
        path = f"/v1/accounts/{(await account(api, BOB)).id}"
        assert (await ann.api.call("PATCH", path, {"second_factor": True})).status == 422
        await ann.api.good("PATCH", path, {"second_factor": False})
        assert (await bob.api.get("/v1/me")).status == 401
        assert (await signed_in(api, BOB)).status == 201
        # Whoever did not ask for it hears of it, once.
        await ann.api.good("PATCH", path, {"second_factor": False})
        letters = (await ann.api.good("GET", "/v1/outbox"))["items"]
        (told,) = [each for each in letters if "second factor" in each["subject"]]
        assert (told["to"], told["link"]) == (BOB, None)
        assert told["text"].startswith(f"{ANN} took away the second factor")


async def test_accounts_come_in_pages(api: Api) -> None:
    async with administrator(api) as ann:
        for n in range(3):
            await invited(ann.api, f"p{n}@acme.example")
        first_page = (await ann.api.get("/v1/accounts?page_size=2")).body
        assert [item["email"][:2] for item in first_page["items"]] == ["p2", "p1"]
        rest = (
            await ann.api.get(f"/v1/accounts?page_size=2&page_token={first_page['next_page_token']}")
        ).body
        assert [item["email"] for item in rest["items"]] == ["p0@acme.example", ANN]


async def test_everything_that_happens_to_people_is_on_record(api: Api) -> None:
    async with administrator(api) as ann, somebody(api):
        await with_second_factor(ann)
        await ann.api.good("PATCH", f"/v1/accounts/{(await account(api, BOB)).id}", {"disabled": True})
        await ann.api.call("DELETE", "/v1/sessions/current")
    lines = (await api.get("/v1/audit")).body["items"]
    told = [
        (line["actor"], line["action"]) for line in lines if line["ref"].startswith(("account/", "session/"))
    ]
    assert told == [
        (ANN, "account.created"),
        (ANN, "session.began"),
        ("administrator", "account.invited"),
        (BOB, "account.set_up"),
        (BOB, "session.began"),
        (ANN, "account.second_factor_begun"),
        (ANN, "account.second_factor_added"),
        (ANN, "account.changed"),
        (ANN, "session.ended"),
    ]


async def test_nothing_that_opens_an_account_is_readable_anywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every password, session, link, key and code of a whole story, in every file, line and row."""
    async with still(tmp_path) as api:
        secrets = await story(api)
        rows = str(await api.store.read(AUDIT_PAGE, organization="", after=0, limit=999))
        rows += str(await api.store.read(EVENTS_AFTER, organization="", after=0, limit=999))
        rows += str(await api.store.read(LETTERS_PAGE, after="", limit=999))
        assert not [secret for secret in secrets if secret in rows]
    key = tmp_path / "people.key"
    printed, stored = "".join(capsys.readouterr()), kept(tmp_path)
    for secret in (*secrets, key.read_text()):
        assert secret not in printed
        assert secret.encode() not in stored, secret
    assert not re.search(r"setpoint_(ses|lnk)_", printed)
    assert key.stat().st_mode & 0o777 == 0o600


async def story(api: Api) -> list[str]:
    """Something of every sort happens; all that must stay secret of it."""
    secrets, eve = [PASSWORD, OTHER, api.run.link.partition("#")[2]], "eve@acme.example"
    async with administrator(api) as ann:
        codes = await with_second_factor(ann)
        secrets += [ann.session, ann.key, *codes, *(each.replace("-", "") for each in codes)]
        secrets += [(await invited(ann.api, BOB)).partition("#")[2]]
        secrets += [(await signed_in(api, ANN, code=ann.code())).body["token"]]
        secrets += [(await set_up(ann.api, eve))["token"]]
        await api.good("POST", "/v1/accounts:recover", {"email": eve})
        secrets += [(await letter_to(ann.api, eve)).partition("#")[2]]
        for wrong in (OTHER, PASSWORD):
            await signed_in(api, BOB, wrong, code="000000")
            await api.call("POST", "/v1/sessions", {"email": wrong, "password": 7})
        again = {"password": PASSWORD, "code": ann.code()}
        once = {"Idempotency-Key": "only-once"}
        made = await ann.api.good("POST", "/v1/sessions/current:confirm", again, headers=once)
    return [*secrets, made["token"]]


def kept(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.glob("*.db*"))


async def test_a_database_without_its_key_opens_no_second_factor_and_no_letter(tmp_path: Path) -> None:
    async with still(tmp_path) as api, administrator(api) as ann:
        codes = await with_second_factor(ann)
        await invited(ann.api, BOB)
        code = ann.code()
    (tmp_path / "people.key").unlink()
    with heard() as logs:
        async with still(tmp_path):
            pass
    assert [line["cure"] for line in logs if line["log_level"] == "warning"] == [
        "give every replica of the API the same one: people_key_file"
    ]
    async with still(tmp_path) as api:
        assert (await signed_in(api, ANN, code=code)).body["code"] == "code_needed"
        letters = (await api.get("/v1/outbox")).body["items"]
        assert [letter["link"] for letter in letters] == [None]
        assert (await signed_in(api, ANN, code=codes[0])).status == 201


async def test_signing_in_takes_no_more_of_a_body_than_it_needs(api: Api) -> None:
    async with aiohttp.ClientSession() as session:
        stranger = Api(api.url, api.data, api.run, session, api.secrets)
        large = await stranger.call("POST", "/v1/sessions", {"email": ANN, "password": "x" * 20_000})
        assert large.status == 413
        long = await stranger.call("POST", "/v1/sessions", {"email": ANN, "password": "x" * 2000})
        assert long.status == 422


async def test_people_sign_in_alike_where_the_database_is_postgresql(tmp_path: Path) -> None:
    settings = {"database": await postgres.emptied(), "allow_unsafe_database": True}
    async with still(tmp_path, **settings) as api:
        answers = await asyncio.gather(*(used(api, api.run.link, email=ANN) for _ in range(4)))
        assert sorted(answer.status for answer in answers) == [201, 404, 404, 404]
        made = next(answer.body for answer in answers if answer.status == 201)
        async with as_other(api, made["token"]) as own:
            ann = Person(own, ANN, PASSWORD, made["token"])
            await with_second_factor(ann)
            code = ann.code()
            tries = await asyncio.gather(*(signed_in(api, ANN, code=code) for _ in range(4)))
            assert sum(answer.status == 201 for answer in tries) == 1
            wrong = await asyncio.gather(*(signed_in(api, ANN, OTHER) for _ in range(12)))
            assert sum(answer.status == 401 for answer in wrong) <= 5
            assert (await own.call("DELETE", "/v1/sessions/current")).status == 200
            assert (await own.get("/v1/me")).status == 401
