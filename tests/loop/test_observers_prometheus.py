"""`prometheus` over a real socket: what is measured, or an error; nothing measured is not nothing there."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from email.utils import formatdate
from typing import Any

import pytest

from client.scripted import Asked, Script, Server, Told
from setpoint.engine.errors import Rejected, Transient
from setpoint.engine.plan import UNKNOWN
from setpoint.loop.keyed import Keyed
from setpoint.loop.observers import prometheus

NOW = 1_700_000_000.0
Serve = Callable[[Script], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Puts a script on a socket and tells its address."""
    with ExitStack() as stack:
        yield lambda script: stack.enter_context(Server(script).serving()).url


def vector(*samples: tuple[dict[str, str], str], at: float = NOW, **more: Any) -> dict[str, Any]:
    result = [{"metric": labels, "value": [at, value]} for labels, value in samples]
    return {"status": "success", "data": {"resultType": "vector", "result": result}, **more}


def web(number: int) -> dict[str, str]:
    return {"__name__": "up", "instance": f"web-{number}:9100", "job": "web"}


def always(body: Any, status: int = 200, **headers: str) -> Script:
    return lambda asked: Told(status, body, {"Date": formatdate(NOW, usegmt=True), **headers})


def test_it_stands_in_a_class_body_and_gives_numbers_by_a_label(serve: Serve) -> None:
    asked: list[Asked] = []
    answered = always(vector((web(1), "1"), (web(2), "0.5")))

    class Up(Keyed):
        observe = prometheus(f"{serve(lambda each: asked.append(each) or answered(each))}/", "up{job='web'}")

    assert Up().observe() == {"web-1:9100": 1, "web-2:9100": 0.5}
    assert (asked[0].path, asked[0].query) == ("/api/v1/query", {"query": "up{job='web'}"})


def test_a_number_that_nobody_can_act_on_is_unknown(serve: Serve) -> None:
    url = serve(always(vector((web(1), "NaN"), (web(2), "+Inf"), (web(3), "1"))))
    assert prometheus(url, "up")() == {"web-1:9100": UNKNOWN, "web-2:9100": UNKNOWN, "web-3:9100": 1}


def test_nothing_measured_is_believed_only_when_that_can_be(serve: Serve) -> None:
    url = serve(always(vector()))
    with pytest.raises(Transient, match=r"also what a dead scrape looks like; .* empty_is_real=True"):
        prometheus(url, "up")()
    assert prometheus(url, "up", empty_is_real=True)() == {}


@pytest.mark.parametrize(
    ("script", "error", "words"),
    [
        (always({"status": "error", "error": "parse error"}, 400), Rejected, "answered 400"),
        (always({"status": "error", "error": "query timed out"}, 503), Transient, "answered 503"),
        (always({}, 404), Rejected, "is this the address of a Prometheus"),
        (always({"status": "error", "error": "boom"}), Rejected, "says 'error': boom"),
        (always([]), Rejected, "says None"),
        (always(vector((web(1), "1"), warnings=["store 2 unavailable"])), Transient, "store 2 unavailable"),
        (always(vector((web(1), "1"), infos=["not a counter"])), Transient, "not a counter"),
        (always({"status": "success", "data": {"resultType": "scalar"}}), Rejected, "gives a scalar, not an"),
        (always({"status": "success"}), Rejected, "gives a None"),
        (always({"status": "success", "data": {"resultType": "vector"}}), Rejected, "not Prometheus's"),
        (always(vector((web(1), "many"))), Rejected, "not Prometheus's"),
        (always(vector((web(1), "1"), (web(1), "0"))), Rejected, r"twice: aggregate, as max by \(instance\)"),
        (always(vector(({"job": "web"}, "1"))), Rejected, "without instance; it has job"),
        (always(vector((web(1), "1"), at=NOW - 90)), Transient, "what it knew 90 s ago"),
        (always(vector((web(1), "1")), Age="300"), Transient, "what it knew 300 s ago"),
        (
            always(
                {
                    "status": "success",
                    "data": {"resultType": "vector", "result": [{"metric": web(1), "histogram": []}]},
                }
            ),
            Rejected,
            "is a histogram",
        ),
    ],
)
def test_whatever_is_doubtful_about_an_answer_raises(
    serve: Serve, script: Script, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        prometheus(serve(script), "up")()


def test_a_series_that_was_not_scraped_lately_raises_where_that_matters(serve: Serve) -> None:
    def script(asked: Asked) -> Told:
        scrapes = asked.query["query"] == "timestamp(up)"
        return always(vector((web(1), str(NOW - 100) if scrapes else "1")))(asked)

    url = serve(script)
    assert prometheus(url, "up", scraped_within=120)() == {"web-1:9100": 1}
    with pytest.raises(Transient, match="'web-1:9100' was last scraped 100 s ago, more than 30"):
        prometheus(url, "up", scraped_within=30)()
