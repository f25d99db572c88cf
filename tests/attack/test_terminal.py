"""Somebody stores words that would steer the terminal of whoever reads them."""

from urllib.parse import quote

import pytest

from .kit import Installation
from .test_connections import until

STEERS = {"escape": "\x1b]0;owned\x07", "nul": "a\x00b", "one character": "\x9b31m", "delete": "a\x7f"}
TURNS = "a\u202egnp.exe"
"""Not refused, for people write in both directions: but never shown as it is."""


def bodies(name: str, words: str) -> list[tuple[str, str, object]]:
    """Every sort of text that the API keeps, each with these words in it."""
    where = f"/v1/organizations/{name}"
    rules = [{"keys": ["project.*"], "verbs": ["read"]}]
    return [
        ("PUT", f"{where}/roles/r", {"spec": {"rules": rules, "about": words}}),
        ("PUT", f"{where}/projects/p", {"spec": {"title": words}}),
        ("PUT", f"{where}/projects/p", {"metadata": {"labels": {"team": words}}, "spec": {}}),
        ("PUT", f"{where}/projects/p", {"metadata": {"labels": {words: "x"}}, "spec": {}}),
        ("POST", f"{where}/tokens", {"name": "t", "role": "auditor", "about": words}),
        ("PUT", f"/v1/switches/scope:{name}", {"mode": "observe", "reason": words}),
        ("POST", f"{where}/declarations", {"items": [], "owner": words}),
        ("POST", "/v1/accounts", {"email": f"a@{name}.example", "name": words}),
    ]


@pytest.mark.parametrize("sort", STEERS)
def test_no_text_of_any_body_holds_a_control_character(installation: Installation, sort: str) -> None:
    name = installation.organization("term")
    for method, path, body in bodies(name, STEERS[sort]):
        answer = installation.admin.call(method, path, body)
        assert 400 <= answer.status < 500, f"{method} {path}: {answer}"
        assert answer.body["code"] == "control_character", f"{method} {path}: {answer}"


@pytest.mark.parametrize("output", ["table", "wide", "json", "yaml", "jsonl", "name"])
def test_letters_that_turn_around_are_not_shown_as_they_are(installation: Installation, output: str) -> None:
    name = installation.organization("term")
    rules = [{"keys": ["project.*"], "verbs": ["read"]}]
    installation.admin.put(f"/v1/organizations/{name}/roles/r", {"rules": rules, "about": TURNS})
    for words in (("roles",), ("roles", "r"), ("get", "roles"), ("describe", "role", "r"), ("audit",)):
        ran = installation.admin.cli(*words, "-o", output, organization=name)
        assert [char for char in ran.out + ran.err if not char.isprintable() and char not in "\n\t"] == []


@pytest.mark.parametrize("words", [*STEERS.values(), TURNS, "a\r\nb", "a\u2028b"], ids=ascii)
def test_no_line_of_the_log_holds_what_an_unknown_caller_wrote_into_it(
    installation: Installation, words: str
) -> None:
    """The terminal of whoever runs `setpoint up` shows these lines as they are."""
    name = installation.organization("term")
    nobody, admin = installation.nobody, installation.admin
    nobody.call("POST", f"/v1/{name}{quote(words)}")
    admin.call("PUT", f"/v1/organizations/{name}/projects/{quote(words)}", {})
    raw = {"User-Agent": words, "X-Request-Id": words, "traceparent": words}
    steering = {key: text for key, text in raw.items() if text.isascii() and "\n" not in text}
    admin.call("PUT", f"/v1/organizations/{name}/projects/p", {}, headers=steering)

    def lines() -> list[str]:
        written = "".join(log.read_bytes().decode() for log in installation.logs)
        return [line for line in written.split("\n") if name in line]

    until(lambda: len(lines()) > 2, f"{name} is not in the log")
    assert [line for line in lines() if not line.isprintable()] == []
