"""Probation starts when the code that observes and acts changes; never when declared values do."""

import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from setpoint.loop.file import load
from setpoint.loop.footing import footing

from .things import Shelf

BEFORE = '''
import json
from pathlib import Path

from setpoint.loop import Keyed

WANTED = {"a": 1}
URL = "https://example.org"


def fetch():
    return parse("{}")


def parse(text):
    return json.loads(text)


def wanted():
    return WANTED


def unused():
    return 1


class Client:
    limit = 10

    def get(self):
        return 1


class Flags(Keyed):
    """Flags."""

    every = "30s"

    def desired(self):
        return self.declared()

    def declared(self):
        return wanted()

    def observe(self):
        return fetch() | {"n": Client().get()}

    def put(self, key, value):
        self.save(key, value)

    def delete(self, key):
        self.save(key, None)

    def save(self, key, value):
        print(key, value)
'''

CHANGES = [
    # What is declared, and how it comes about.
    ('WANTED = {"a": 1}', 'WANTED = {"a": 1, "b": 2}', False),
    ("        return self.declared()", "        return {'x': 1}", False),
    ("        return wanted()", "        return wanted() | {'y': 1}", False),
    ("    return WANTED", "    return dict(WANTED)", False),
    # What is neither code nor reached.
    ('URL = "https://example.org"', 'URL = "https://example.com"', False),
    ('    every = "30s"', '    every = "40s"', False),
    ("    return 1\n\n\nclass Client", "    return 2\n\n\nclass Client", False),
    ('    """Flags."""', '    """All the flags there are."""', False),
    ("        self.save(key, value)", "        # a remark\n\n        self.save( key , value )", False),
    ("def fetch():", 'def fetch():\n    """Says what it does."""', False),
    ("    limit = 10", "    limit = 11", False),
    # The adapter, and what it calls.
    ("        return fetch() |", "        return fetch() and fetch() |", True),
    ("        self.save(key, value)", "        self.save(key, [value])", True),
    ("        self.save(key, None)", "        self.save(key, 0)", True),
    ("        print(key, value)", "        print(value, key)", True),
    ('    return parse("{}")', '    return parse("[]")', True),
    ("    return json.loads(text)", "    return json.loads(text.strip())", True),
    ("        return 1\n\n\nclass Flags", "        return 2\n\n\nclass Flags", True),
    ("    def save(", "    def look(self, key):\n        return key\n\n    def save(", True),
    ("    def save(", "    @staticmethod\n    def save(", True),
    ("    def save(", "    def never_called(self):\n        return 1\n\n    def save(", False),
]


@pytest.mark.parametrize(("old", "new", "moves"), CHANGES)
def test_it_moves_with_the_adapter_and_with_nothing_else(
    tmp_path: Path, old: str, new: str, moves: bool
) -> None:
    assert BEFORE.count(old) == 1
    path = tmp_path / "flags_to_stand_on.py"
    path.write_text(BEFORE)
    before = footing(load(path).loops[0])
    path.write_text(BEFORE.replace(old, new))
    assert (footing(load(path).loops[0]) != before) is moves


def test_an_adapter_that_asks_for_intent_does_not_stand_on_it(tmp_path: Path) -> None:
    path = tmp_path / "flags_that_ask.py"
    asking = BEFORE.replace("        return fetch() |", "        return self.desired() |")
    path.write_text(asking)
    before = footing(load(path).loops[0])
    path.write_text(asking.replace("        return self.declared()", "        return {}"))
    assert footing(load(path).loops[0]) == before


def test_what_may_be_called_by_any_name_stands_on_every_method(tmp_path: Path) -> None:
    path = tmp_path / "flags_by_name.py"
    dynamic = BEFORE.replace("self.save(key, value)", "getattr(self, 'sa' + 've')(key, value)")
    dynamic += "\n    def other(self):\n        return 1\n"
    path.write_text(dynamic)
    before = footing(load(path).loops[0])
    path.write_text(
        dynamic.replace("def other(self):\n        return 1", "def other(self):\n        return 2")
    )
    assert footing(load(path).loops[0]) != before
    path.write_text(dynamic.replace("        return self.declared()", "        return {}"))
    assert footing(load(path).loops[0]) == before


def test_it_is_the_code_that_runs_not_what_the_file_says_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "flags_that_are_edited.py"
    path.write_text(BEFORE)
    loop = load(path).loops[0]
    before = footing(loop)
    path.write_text(BEFORE.replace("print(key, value)", "print(value)"))
    assert footing(loop) == before


def test_what_a_decorator_holds_counts() -> None:
    def made(text: str) -> str:
        source = textwrap.dedent(f"""
            def quiet(function):
                def inner(self, *args):
                    return function(self, *args)
                return inner

            class Flags(Shelf):
                @quiet
                def put(self, key, value):
                    {text}
        """)
        names: dict[str, Any] = {"Shelf": Shelf, "__name__": __name__}
        exec(source, names)  # noqa: S102 - a class without source, on purpose
        return footing(names["Flags"]({}))

    assert made("return 1") == made("return 1   # the same")
    assert made("return 1") != made("return 2")


def test_functions_that_hold_each_other_are_followed_once() -> None:
    def one() -> Any:
        return other

    def other() -> Any:
        return one

    class Circular(Shelf):
        def look(self, key: str) -> Any:
            return one()

    assert footing(Circular({})) == footing(Circular({}))


@dataclass(frozen=True)
class Reads:
    """A ready-made observer."""

    url: str
    value: Any = None
    headers: dict[str, str] = field(default_factory=dict)

    def __call__(self, *_: Any) -> dict[str, Any]:
        return {}


def observing(observer: Reads) -> str:
    return footing(type("Flags", (Shelf,), {"observe": observer})({}))


def test_a_ready_made_observer_stands_for_what_it_was_made_with() -> None:
    assert observing(Reads("a")) == observing(Reads("a"))
    assert observing(Reads("a")) != observing(Reads("b"))
    assert observing(Reads("a", lambda item: item["x"])) != observing(Reads("a", lambda item: item["y"]))
    assert observing(Reads("a", headers={"t": "1"})) == observing(Reads("a", headers={"t": "2"}))
    assert observing(Reads("a", headers={"t": "1"})) != observing(Reads("a", headers={"u": "1"}))
