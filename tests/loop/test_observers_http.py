"""`http_json` over real sockets: all of a listing, or an error that says what was wrong with it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from client.scripted import Asked, Script, Server, Told
from setpoint.engine.errors import Denied, Rejected, Transient
from setpoint.engine.plan import ABSENT
from setpoint.loop.keyed import Keyed
from setpoint.loop.observers import LinkHeader, NextToken, PageNumber, http_json

Serve = Callable[[Script], str]
FLAGS = [{"name": "beta", "on": False}, {"name": "dark", "on": True}]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Puts a script on a socket and tells its address."""
    with ExitStack() as stack:
        yield lambda script: stack.enter_context(Server(script).serving()).url


def always(body: Any, status: int = 200, **headers: str) -> Script:
    return lambda asked: Told(status, body, {name.replace("_", "-"): held for name, held in headers.items()})


def test_it_stands_in_a_class_body_and_gives_each_item_by_its_key(serve: Serve) -> None:
    class Flags(Keyed):
        observe = http_json(serve(always({"data": {"flags": FLAGS}})), key="name", items="data.flags")

    assert Flags().observe() == {"beta": {"on": False}, "dark": {"on": True}}


def test_it_is_called_in_a_method_and_sends_what_it_is_given(serve: Serve) -> None:
    asked: list[Asked] = []

    class Flags(Keyed):
        def observe(self) -> dict[str, Any]:
            return http_json(url, key="name", headers={"Authorization": "Bearer x"})()

    url = serve(lambda each: asked.append(each) or Told(200, FLAGS))
    assert list(Flags().observe()) == ["beta", "dark"]
    assert asked[0].headers["Authorization"] == "Bearer x"


def test_items_may_be_an_object_whose_names_are_the_keys(serve: Serve) -> None:
    url = serve(always({"next": {"on": True}, "beta": {"on": False}}))
    assert http_json(url, key="")() == {"next": {"on": True}, "beta": {"on": False}}


def test_a_key_may_lie_deeper_and_a_value_be_a_part_of_its_item(serve: Serve) -> None:
    items = [{"metadata": {"id": 7}, "spec": {"size": 1}, "seen": "today"}]
    observe = http_json(serve(always(items)), key="metadata.id", value=lambda item: item["spec"])
    assert observe() == {"7": {"size": 1}}


@pytest.mark.parametrize(
    ("script", "error", "words"),
    [
        (always({"error": "boom"}, 500), Transient, "answered 500"),
        (always([], 503, Retry_After="7"), Transient, "answered 503"),
        (always([], 429), Transient, "answered 429"),
        (always([], 401), Denied, "answered 401"),
        (always([], 404), Rejected, "a listing that is not there is not an empty one"),
        (always([], 400), Rejected, "answered 400"),
        (always(FLAGS[:1], 206), Rejected, "answered 206, not 200"),
        (always(b"<html>log in</html>", Content_Type="text/html"), Rejected, "but with text/html"),
        (always(b'[{"name": "beta"}'), Rejected, "does not answer with JSON"),
        (always(b'[{"name": "beta", "load": NaN}]'), Rejected, "NaN is not JSON"),
        (always(b'[{"name": "beta", "name": "dark"}]'), Rejected, "the name 'name' is there twice"),
        (always(b"[" * 100_000), Rejected, "does not answer with JSON"),
        (always("[]".encode("utf-16")), Rejected, "does not answer with JSON"),
        (always(FLAGS, Content_Encoding="gzip"), Rejected, "answers as gzip"),
        (always({"flags": None}), Rejected, "the answer of .* should be a list; it is an object"),
        (always([{"on": True}]), Rejected, "name = None: not a key"),
        (always([{"name": True}]), Rejected, "name = True: not a key"),
        (always([{"name": ""}]), Rejected, "name = '': not a key"),
        (always(["beta"]), Rejected, "name = None: not a key"),
        (always([*FLAGS, FLAGS[0]]), Rejected, "lists 'beta' twice"),
    ],
)
def test_whatever_is_doubtful_about_an_answer_raises(
    serve: Serve, script: Script, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        http_json(serve(script), key="name")()


def test_an_error_says_neither_the_query_nor_the_user_of_an_address() -> None:
    with pytest.raises(Rejected, match="ftp://there/list is not an http") as caught:
        http_json("ftp://ann:secret@there/list?token=secret", key="name")()
    assert "secret" not in str(caught.value)


def test_how_long_to_wait_is_passed_on(serve: Serve) -> None:
    with pytest.raises(Transient) as caught:
        http_json(serve(always([], 503, Retry_After="7")), key="name")()
    assert caught.value.retry_after == 7.0


def test_an_answer_that_is_cut_off_is_none(serve: Serve) -> None:
    whole = b'[{"name": "beta"}]      '
    cut = Told(200, whole[:18], {"Content-Length": str(len(whole)), "Connection": "close"})
    with pytest.raises(Transient, match="cut off: 18 of 24 bytes came"):
        http_json(serve(lambda _: cut), key="name")()


def test_an_answer_in_chunks_that_stops_before_its_last_chunk_is_none(serve: Serve) -> None:
    body = b"4\r\n[{}]\r\n"  # and no closing chunk
    cut = Told(200, body, {"Transfer-Encoding": "chunked", "Content-Length": "", "Connection": "close"})
    with pytest.raises(Transient, match="gave no whole answer"):
        http_json(serve(lambda _: cut), key="name")()


def test_nobody_there_and_a_slow_answer_raise(serve: Serve) -> None:
    with pytest.raises(Transient, match="gave no whole answer: ConnectionRefusedError"):
        http_json("http://127.0.0.1:9/", key="name")()
    done = threading.Event()

    def slow(_: Asked) -> Told:
        done.wait(5)
        return Told(200, [])

    with pytest.raises(Transient, match="gave no whole answer: TimeoutError"):
        http_json(serve(slow), key="name", timeout=0.05)()
    done.set()


def test_an_answer_that_drips_ends_at_its_time(serve: Serve) -> None:
    done = threading.Event()

    def drip(write: Callable[[bytes], None]) -> None:
        write(b"[")
        while not done.wait(0.02):
            write(b" ")

    with pytest.raises(Transient, match=r"not finished within 0\.2 s"):
        http_json(serve(lambda _: Told(200, stream=drip)), key="name", timeout=0.2)()
    done.set()


def test_a_body_without_end_is_not_read_to_its_end(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setpoint.loop.observers.fetch.LARGEST", 2**20)
    with pytest.raises(Rejected, match="more than 1 MiB"):
        http_json(serve(always(b"[" + b" " * 2**21)), key="name", timeout=30)()


def test_a_redirect_is_followed_only_where_it_stays_at_the_service(serve: Serve) -> None:
    elsewhere = serve(always([]))

    def script(asked: Asked) -> Told:
        if asked.path == "/new":
            return Told(200, FLAGS)
        return Told(302, None, {"Location": "/new" if asked.path == "/old" else f"{elsewhere}/new"})

    url = serve(script)
    assert list(http_json(f"{url}/old", key="name")()) == ["beta", "dark"]
    with pytest.raises(Rejected, match="redirects elsewhere"):
        http_json(f"{url}/gone", key="name")()


def paged(asked: Asked, **more: Any) -> dict[str, Any]:
    """Page `page` of five, two items each."""
    page = int(asked.query.get("page", 1))
    items = [{"name": f"item-{2 * page + each}", "on": True} for each in (0, 1)] if page <= 5 else []
    return {"items": items, **more}


LINKED = {number: f"/?page={number + 1}" for number in range(1, 5)}


@pytest.mark.parametrize(
    ("next_page", "script"),
    [
        ("next", lambda asked: Told(200, paged(asked, next=LINKED.get(int(asked.query.get("page", 1)))))),
        (
            NextToken("page", "meta.next"),
            lambda asked: Told(
                200, paged(asked, meta={"next": (int(asked.query.get("page", 1)) + 1) % 6 or None})
            ),
        ),
        (PageNumber(), lambda asked: Told(200, paged(asked))),
        (PageNumber(last="pages"), lambda asked: Told(200, paged(asked, pages=5))),
    ],
)
def test_pages_are_read_up_to_the_last(serve: Serve, next_page: Any, script: Script) -> None:
    found = http_json(serve(script), key="name", items="items", next_page=next_page)()
    assert len(found) == 10


@pytest.mark.parametrize("next_page", ["Link", LinkHeader()])
def test_a_link_header_leads_to_the_next_page(serve: Serve, next_page: Any) -> None:
    def script(asked: Asked) -> Told:
        page = int(asked.query.get("page", 1))
        links = f'</?page={page + 1}>; title="more"; rel="next", </>; rel="first"' if page < 5 else ""
        return Told(200, paged(asked), {"Link": links})

    assert len(http_json(serve(script), key="name", items="items", next_page=next_page)()) == 10


def test_page_3_of_5_that_fails_leaves_nothing(serve: Serve) -> None:
    def script(asked: Asked) -> Told:
        return Told(500 if asked.query.get("page") == "3" else 200, paged(asked))

    with pytest.raises(Transient, match="answered 500"):
        http_json(serve(script), key="name", items="items", next_page=PageNumber())()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"items": FLAGS, "next": "/?page=2"}, "next = '/\\?page=2'"),
        ({"items": FLAGS, "has_more": True}, "has_more = True"),
        ({"items": FLAGS, "metadata": {"continue": "abc"}}, "metadata.continue = 'abc'"),
    ],
)
def test_an_answer_that_goes_on_is_refused_until_it_is_said_how(serve: Serve, body: Any, words: str) -> None:
    with pytest.raises(Rejected, match=f"says that there is more \\({words}\\): say how with next_page"):
        http_json(serve(always(body)), key="name", items="items")()


def test_a_link_header_is_noticed_too(serve: Serve) -> None:
    with pytest.raises(Rejected, match="its Link header"):
        http_json(serve(always(FLAGS, Link='</2>; rel="next"')), key="name")()


@pytest.mark.parametrize(
    ("script", "error", "words"),
    [
        (always({"items": FLAGS, "next": "/"}), Transient, "on an earlier page"),
        (always({"items": [], "next": "?page=2"}), Transient, "never comes to a last page: 2 pages"),
        (always({"items": [], "next": "http://elsewhere.invalid/"}), Rejected, "goes on elsewhere"),
        (always({"items": [], "next": 2}), Rejected, "not an address; try NextToken"),
        (always({"next": None}), Rejected, "items in the answer of .* it is missing or null"),
    ],
)
def test_pages_that_lead_nowhere_raise(
    serve: Serve, script: Script, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        http_json(serve(script), key="name", items="items", next_page="next")()


def test_the_number_that_the_service_promises_must_come(serve: Serve) -> None:
    def listing(total: Callable[[int], Any]) -> dict[str, Any]:
        def script(asked: Asked) -> Told:
            return Told(200, paged(asked, total=total(int(asked.query.get("page", 1)))))

        return http_json(serve(script), key="name", items="items", next_page=PageNumber(), total="total")()

    assert len(listing(lambda _: 10)) == 10
    with pytest.raises(Transient, match="says it holds 12 items but listed 10"):
        listing(lambda _: 12)
    with pytest.raises(Transient, match="changed while it was read: 10 items, then 11"):
        listing(lambda page: 10 if page < 3 else 11)
    with pytest.raises(Rejected, match=r"total of .* should be a number"):
        listing(lambda _: None)


def test_one_item_is_looked_at_directly(serve: Serve) -> None:
    def script(asked: Asked) -> Told:
        match asked.path:
            case "/flags/a/b":
                return Told(200, {"flag": {"name": "a/b", "on": True}})
            case "/flags/other":
                return Told(200, {"flag": {"name": "beta", "on": True}})
            case "/flags/list":
                return Told(200, {"flag": [1]})
            case "/flags/sick":
                return Told(500, {})
        return Told(404, {})

    class Flags(Keyed):
        observe = http_json(f"{(url := serve(script))}/flags", key="name")
        look = observe.one(f"{url}/flags/{{key}}", item="flag")

    assert Flags().look("a/b") == {"on": True}
    assert Flags().look("beta") is ABSENT
    with pytest.raises(Transient, match="answered 500"):
        Flags().look("sick")
    with pytest.raises(Rejected, match="answers with name = 'beta', asked about 'other'"):
        Flags().look("other")
    with pytest.raises(Rejected, match="should answer with one item; it is a list"):
        Flags().look("list")
