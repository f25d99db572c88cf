"""A credential that comes back in an answer is read by nobody."""

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.providers.scrub import HIDDEN, scrub_of
from setpoint.providers.transport import Transport
from setpoint.providers.wire import Asked, Reply

TOKEN = "tök+en/with=odd chars&9"  # noqa: S105
RAW = TOKEN.encode()
SPELLINGS = {
    "as it is": TOKEN,
    "capitals": TOKEN.upper(),
    "url": quote(TOKEN, safe=""),
    "form": quote_plus(TOKEN),
    "base64": base64.b64encode(RAW).decode(),
    "basic": base64.b64encode(b"me:" + RAW).decode(),
    "basic 2": base64.b64encode(b"user:" + RAW).decode(),
    "urlsafe": base64.urlsafe_b64encode(b"x" + RAW + b"y").decode(),
    "hex": RAW.hex(),
    "json": json.dumps(TOKEN)[1:-1],
}


class Echo:
    """Answers with the credential in its words."""

    def __init__(self, status: int, body: bytes) -> None:
        self.reply = Reply(status, {}, body)

    async def ask(self, asked: Asked) -> Reply:
        return self.reply

    async def close(self) -> None:
        return


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("status", [400, 401, 404, 409, 422, 429, 500])
async def test_no_refusal_repeats_the_credential(spelling: str, status: int) -> None:
    said = SPELLINGS[spelling]
    error = {"error": {"code": "bad", "message": f"token {said} is bad"}}
    for body in (
        json.dumps(error).encode(),
        json.dumps(error, ensure_ascii=False).encode(),
        f"{said} no".encode(),
    ):
        transport = Transport("cloud", "https://cloud.example", TOKEN, wire=Echo(status, body))
        with pytest.raises(Exception) as caught:  # noqa: PT011 - any of the five
            await transport.call("GET", "/servers")
        told = str(caught.value)
        assert said not in told, told
        assert HIDDEN in told
        await transport.close()


async def test_no_good_answer_repeats_it_and_the_rest_stays_as_it_is() -> None:
    body = json.dumps({"servers": [{"name": f"web {TOKEN}", "note": 'ü\n"x"'}]}).encode()
    transport = Transport("cloud", "https://cloud.example", TOKEN, wire=Echo(200, body))
    found = await transport.call("GET", "/servers")
    assert found == {"servers": [{"name": f"web {HIDDEN}", "note": 'ü\n"x"'}]}
    await transport.close()


@given(st.binary(max_size=200))
def test_what_holds_no_credential_is_not_touched(raw: bytes) -> None:
    assert scrub_of("a credential that is not in there").body(raw) == raw or b"\\u" in raw


def test_what_is_too_short_hides_no_ordinary_words() -> None:
    assert scrub_of("t").text("the text") == "the text"
