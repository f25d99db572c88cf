"""All mistakes at once, at their place in the file, with a caret and a hint."""

import json
from pathlib import Path

from client.scripted import Told

from .conftest import Shell
from .fake import FakeApi

SHOP = """\
kind: dns_zone
metadata: {name: Shop, project: shop}
spec:
  domian: example.org
---
kind: hsot
metadata:
  name: web-1
spec:
  size: no
"""
ERRORS = [
    {"pointer": "/items/0/spec/domian", "code": "unknown_field", "message": "domian is not a field here"},
    {"pointer": "/items/0/spec", "code": "bad_field", "message": "domain is needed"},
    {
        "pointer": "/items/0/metadata/name",
        "code": "bad_name",
        "message": "'Shop' is no name",
        "hint": "small letters",
    },
    {
        "pointer": "/items/1/kind",
        "code": "unknown_kind",
        "message": "there is no kind 'hsot'",
        "hint": "did you mean host?",
    },
    {"pointer": "/items/1/spec/size", "code": "bad_field", "message": "no is none of cx22, cx32"},
    {"pointer": "/owner", "code": "missing", "message": "whatever this is about"},
]
GOLDEN = """\
shop.yaml:2:18: 'Shop' is no name
  2 | metadata: {name: Shop, project: shop}
    |                  ^^^^
    = small letters

shop.yaml:3:1: domain is needed
  3 | spec:
    | ^^^^

shop.yaml:4:3: domian is not a field here
  4 |   domian: example.org
    |   ^^^^^^

shop.yaml:6:7: there is no kind 'hsot'
  6 | kind: hsot
    |       ^^^^
    = did you mean host?

shop.yaml:10:9: no is none of cx22, cx32
  10 |   size: no
     |         ^^

the request:1:1: whatever this is about
  1 |\x20
    | ^

error: 6 mistakes; nothing was changed
"""


def test_the_servers_mistakes_are_shown_where_the_file_has_them(setpoint: Shell, api: FakeApi) -> None:
    Path("shop.yaml").write_text(SHOP)
    problem = {"detail": "6 mistakes", "code": "invalid", "errors": ERRORS}
    api.answers["POST", "/v1/organizations/acme/declarations"] = Told(422, problem)
    for verb in (("plan",), ("apply", "--yes")):
        found = setpoint(*verb, "-f", "shop.yaml")
        assert (found.code, found.out, found.err) == (2, "", GOLDEN)
    as_json = json.loads(setpoint("plan", "-f", "shop.yaml", "-o", "json").err)
    assert as_json["errors"][0] == {
        "file": "shop.yaml",
        "line": 2,
        "column": 18,
        "message": "'Shop' is no name",
        "hint": "small letters",
    }


def test_the_mistakes_of_all_files_are_told_together(setpoint: Shell, api: FakeApi) -> None:
    Path("folder/inner").mkdir(parents=True)
    Path("folder/.hidden.yaml").write_text("a: [")
    Path("folder/a.yaml").write_text("kind: host\nkind: host\n")
    Path("folder/inner/b.yml").write_text("a: 'b\n")
    Path("folder/notes.txt").write_text("not: [ours")
    found = setpoint("apply", "-f", "folder", "-f", "-", "--yes", stdin="- just\n- a list\n")
    places = [line.partition(" ")[0] for line in found.err.splitlines() if ": " in line and line[0] != " "]
    assert places == ["folder/a.yaml:2:1:", "folder/inner/b.yml:2:1:", "stdin:1:1:", "error:"]
    assert (found.code, api.asked) == (2, [])


def test_a_very_long_line_is_shown_around_the_mistake(setpoint: Shell) -> None:
    Path("long.yaml").write_text(f"{{{'a: 1, b: 2, ' * 40}c: 3}}\n")
    first = setpoint("apply", "-f", "long.yaml", "--yes").err.splitlines()[:3]
    assert max(map(len, first)) < 140
    assert first[1][first[2].index("^")] == "a"


def test_files_that_cannot_be_read_are_named(setpoint: Shell) -> None:
    Path("latin.yaml").write_bytes(b"a: \xe9\n")
    Path("void").mkdir()
    assert "nothing.yaml cannot be read: No such file" in setpoint("plan", "-f", "nothing.yaml").err
    assert "latin.yaml is not UTF-8: byte 3 is 0xe9" in setpoint("plan", "-f", "latin.yaml").err
    assert "void holds no .yaml, .yml, .json files" in setpoint("plan", "-f", "void").err
