"""How agents are let in: once, by the token that their own server was given, and out again."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from declarations import host
from enrolments import token_of
from harness import ORGANIZATION, WORKSPACE
from setpoint.access.credential import ENROLMENT, PREFIXES, enrolled, enrolment, minted
from setpoint.engine.entity import Ref, ref_of
from setpoint.engine.plan import Verb
from setpoint.engine.rows import Act, ActState, Sign
from setpoint.engine.store import SIGNS, Change, Put
from setpoint.system import new_id

from .kit import Answer, Api, as_other, settled, still

ENROL = "/v1/agent/enrol"
BEAT = "/v1/agent/heartbeat"


@dataclass
class Fleet:
    """One host whose server was made by us, and the token that server was given."""

    api: Api
    host: Ref
    token: str

    async def enrol(self, token: str = "", once: str = "", **facts: Any) -> Answer:
        body = {"token": token or self.token, "once": once, "facts": facts}
        return await self.api.call("POST", ENROL, body)

    async def beat(self, key: str, body: Any = None) -> Answer:
        async with as_other(self.api, key) as agent:
            return await agent.call("POST", BEAT, {} if body is None else body)

    async def served(self) -> str:
        """Another server is made for the host; the token that it gets."""
        act = Act(
            id=new_id(),
            domain=self.host,
            organization="acme",
            verb=Verb.CREATE,
            item="server",
            state=ActState.DONE,
        )
        await self.api.store.commit(Change(writes=(Put(act),)))
        return await self.given(act.id)

    async def given(self, act: str) -> str:
        """What the server that this act makes is given."""
        return await token_of(self.api.store, self.api.data, self.host, act)

    async def events(self) -> list[str]:
        items = (await self.api.get(f"{ORGANIZATION}/events?page_size=500")).body["items"]
        return [event["type"] for event in items]

    async def agents(self) -> list[Any]:
        return list((await self.api.get(f"{ORGANIZATION}/agents")).body["items"])


@pytest.fixture
async def fleet(tmp_path: Path) -> AsyncIterator[Fleet]:
    async with still(tmp_path) as api:
        made = await api.declare(*settled(), host("web-1", agent=True))
        fleet = Fleet(api, made.body["items"][-1]["metadata"]["ref"], "")
        fleet.token = await fleet.served()
        yield fleet


async def test_a_token_is_exchanged_for_a_key_that_only_this_agent_has(fleet: Fleet) -> None:
    enrolled = await fleet.enrol(version="1")
    assert enrolled.status == 201
    assert enrolled.body["heartbeat_seconds"] == 0.5
    (agent,) = await fleet.agents()
    assert agent["metadata"]["ref"] == enrolled.body["agent"]
    assert (agent["spec"]["host"], agent["metadata"]["name"]) == ("web-1", "web-1")
    beat = await fleet.beat(enrolled.body["key"])
    assert (beat.status, beat.body) == (200, {"heartbeat_seconds": 0.5})
    everything = [answer.raw for answer in fleet.api.answered if answer is not enrolled]
    assert not [raw for raw in everything if enrolled.body["key"].encode() in raw]


async def test_a_token_that_let_somebody_in_is_refused_and_told_of(fleet: Fleet) -> None:
    key = (await fleet.enrol()).body["key"]
    await fleet.beat(key)
    again = await fleet.enrol()
    assert (again.status, again.body["code"]) == (409, "token_used")
    assert (await fleet.events()).count("agent.enrolment_repeated") == 1
    assert (await fleet.beat(key)).status == 200


async def test_an_answer_that_was_lost_can_be_asked_for_again(fleet: Fleet) -> None:
    lost = (await fleet.enrol(once="mine")).body["key"]
    kept = await fleet.enrol(once="mine")
    assert kept.status == 201
    assert "agent.enrolment_repeated" not in await fleet.events()
    assert (await fleet.beat(lost)).status == 401
    assert (await fleet.beat(kept.body["key"])).status == 200
    assert len(await fleet.agents()) == 1


async def test_a_late_request_of_its_own_is_refused_and_accuses_nobody(fleet: Fleet) -> None:
    key = (await fleet.enrol(once="mine")).body["key"]
    await fleet.beat(key)
    late = await fleet.enrol(once="mine")
    assert (late.status, late.body["code"]) == (409, "token_used")
    assert "agent.enrolment_repeated" not in await fleet.events()
    assert [agent["spec"]["disputed_at"] for agent in await fleet.agents()] == [0]
    assert (await fleet.beat(key)).status == 200


@pytest.mark.parametrize("once", ["", "another's"])
@pytest.mark.parametrize("beats", [False, True])
async def test_any_second_use_is_an_incident_and_the_first_agent_goes_on(
    fleet: Fleet, once: str, beats: bool
) -> None:
    key = (await fleet.enrol(once="mine")).body["key"]
    if beats:
        await fleet.beat(key)
    for _ in range(3):
        again = await fleet.enrol(once=once)
        assert (again.status, again.body["code"]) == (409, "token_used")
    assert (await fleet.events()).count("agent.enrolment_repeated") == 1
    (agent,) = await fleet.agents()
    assert agent["spec"]["disputed_at"] > 0
    assert (await fleet.beat(key)).status == 200
    newer = await fleet.served()
    assert (await fleet.enrol(newer, "mine")).status == 201
    (agent,) = await fleet.agents()
    assert agent["spec"]["disputed_at"] == 0


@pytest.mark.parametrize("beats", [False, True])
async def test_no_other_spelling_of_a_token_is_one(fleet: Fleet, beats: bool) -> None:
    key = (await fleet.enrol()).body["key"]
    if beats:
        await fleet.beat(key)
    host, act, signature = enrolled(fleet.token)
    blank = " ".join(signature[at : at + 2] for at in range(0, len(signature), 2))
    for other in (signature.upper(), blank, f"{signature} ", f"\n{signature}", signature.title()):
        for token in (enrolment(host, act, other), fleet.token.upper(), f" {fleet.token}"):
            refused = await fleet.enrol(token)
            assert (refused.status, refused.body["code"]) in ((401, "bad_token"), (429, "too_many_tries"))
    assert (await fleet.beat(key)).status == 200


async def test_guessing_is_slowed_down_and_leaves_no_evidence_line_each(fleet: Fleet) -> None:
    before = len((await fleet.api.get("/v1/audit?page_size=500")).body["items"])
    statuses = [(await fleet.enrol("setpoint_enr_guess")).status for _ in range(30)]
    assert statuses[0] == 401
    assert statuses[-1] == 429
    assert len((await fleet.api.get("/v1/audit?page_size=500")).body["items"]) == before
    # A fleet behind the same address comes in all the same.
    assert (await fleet.enrol()).status == 201


async def test_of_many_at_the_same_time_one_key_works(fleet: Fleet) -> None:
    answers = await asyncio.gather(*(fleet.enrol() for _ in range(6)))
    keys = [answer.body["key"] for answer in answers if answer.status == 201]
    good = [key for key in keys if (await fleet.beat(key)).status == 200]
    assert len(good) == 1
    assert len(await fleet.agents()) == 1


async def test_the_token_of_a_newer_server_takes_over_and_the_older_one_is_void(fleet: Fleet) -> None:
    old_key = (await fleet.enrol()).body["key"]
    await fleet.beat(old_key)
    newer = await fleet.served()
    new_key = (await fleet.enrol(newer)).body["key"]
    assert (await fleet.beat(old_key)).status == 401
    assert (await fleet.enrol()).status == 409
    assert (await fleet.beat(new_key)).status == 200


async def test_the_token_of_a_server_that_never_came_up_is_void_once_a_newer_one_is_in(fleet: Fleet) -> None:
    newer = await fleet.served()
    assert (await fleet.enrol(newer)).status == 201
    assert (await fleet.enrol()).status == 409


async def test_a_server_newer_than_a_restored_journal_is_let_in_by_its_signature(fleet: Fleet) -> None:
    forgotten = await fleet.given(new_id())
    assert [(await fleet.enrol(forgotten, "mine")).status for _ in range(2)] == [201, 201]
    newer = await fleet.given(new_id())
    assert (await fleet.enrol(newer)).status == 401
    another = await fleet.given(await act_of_another_host(fleet))
    assert (await fleet.enrol(another)).status == 401


async def act_of_another_host(fleet: Fleet) -> str:
    act = Act(id=new_id(), domain=Ref("host/x"), organization="acme", verb=Verb.CREATE, item="server")
    await fleet.api.store.commit(Change(writes=(Put(act),)))
    return act.id


@pytest.mark.parametrize("forge", ["", "x", "x.y", "x.y.z", "..", "signature", "act", "host", "sum", "sort"])
async def test_a_forged_token_is_not_known(fleet: Fleet, forge: str) -> None:
    host, act, signature = enrolled(fleet.token)
    other = f"{signature[:-1]}{'0' if signature[-1] != '0' else '1'}"
    forged = {
        "signature": enrolment(host, act, other),
        "act": enrolment(host, new_id(), signature),
        "host": enrolment(ref_of("host", new_id()), act, signature),
        "sum": f"{fleet.token[:-1]}{'0' if fleet.token[-1] != '0' else '1'}",
        "sort": minted(f"{host.partition('/')[2]}.{act}", signature, PREFIXES["agent"]),
    }.get(forge, forge)
    for token in (forged, {"a": forged}, None, 7):
        refused = await fleet.api.call("POST", ENROL, {"token": token})
        assert (refused.status, refused.body["code"]) == (401, "bad_token")
    assert await fleet.agents() == []


async def test_the_token_of_a_deleted_host_is_not_known(fleet: Fleet) -> None:
    await fleet.api.good("DELETE", f"{WORKSPACE}/hosts/web-1")
    assert (await fleet.enrol()).status == 401
    assert await fleet.agents() == []


async def test_an_agent_that_was_expelled_stays_out(fleet: Fleet) -> None:
    key = (await fleet.enrol()).body["key"]
    await fleet.beat(key)
    await fleet.api.good("DELETE", f"{WORKSPACE}/agents/web-1")
    refused = await fleet.beat(key)
    assert (refused.status, refused.body["code"]) == (401, "unenrolled")
    assert (await fleet.enrol()).status == 409


async def test_a_spent_token_opens_nothing(fleet: Fleet) -> None:
    key = (await fleet.enrol()).body["key"]
    await fleet.beat(key)
    assert fleet.token.startswith(ENROLMENT)
    assert (await fleet.beat(fleet.token)).status == 401
    async with as_other(fleet.api, fleet.token) as thief:
        assert (await thief.get(f"{WORKSPACE}/agents/web-1")).status == 401


async def test_a_token_that_was_written_into_a_declaration_is_refused_and_not_shown(fleet: Fleet) -> None:
    labelled = host("web-2", agent=True)
    labelled["metadata"]["labels"] = {"boot": fleet.token}
    refused = await fleet.api.declare(labelled)
    assert refused.mistakes == {("/items/0/metadata/labels/boot", "plain_secret")}
    assert fleet.token.encode() not in refused.raw


async def test_facts_are_short_and_plain(fleet: Fleet) -> None:
    key = (await fleet.enrol()).body["key"]
    many = {f"fact-{number}": number for number in range(1000)}
    assert (await fleet.beat(key, {"facts": many})).status == 200
    assert len((await signs(fleet)).facts) == 64
    odd = {
        "long": "x" * 10_000,
        "k" * 500: 1,
        "deep": {"a": 1},
        "list": [1],
        "none": None,
        "cpus": 4,
        "load": 0.5,
    }
    await fleet.beat(key, {"facts": odd})
    assert (await signs(fleet)).facts == {"long": "x" * 256, "k" * 64: 1, "cpus": 4, "load": 0.5}
    for facts in (None, 7, [], "x"):
        assert (await fleet.beat(key, {"facts": facts})).status == 200
    assert (await signs(fleet)).facts == {}
    for body in ([], 7, "x"):
        assert (await fleet.beat(key, body)).status == 400


async def signs(fleet: Fleet) -> Sign:
    (agent,) = await fleet.agents()
    await fleet.api.run.application.signs.flush()
    (sign,) = await fleet.api.store.read(SIGNS, refs=f'["{agent["metadata"]["ref"]}"]')
    return sign


async def test_when_an_agent_was_heard_last_is_told_to_who_may_see_it(fleet: Fleet) -> None:
    enrolled = await fleet.enrol()
    await fleet.beat(enrolled.body["key"])
    heard = f"{ORGANIZATION}/agents:heard"
    found = (await fleet.api.good("GET", heard))["items"]
    assert [each["ref"] for each in found] == [enrolled.body["agent"]]
    assert (await fleet.api.good("GET", f"{heard}?project=other"))["items"] == []
