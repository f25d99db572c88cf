"""The reference is written from the tables, is not stale, and says a sentence about everything in them."""

import ast
import re
import runpy
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from docs.manual import DOCS, ROOT
from setpoint.api.codes import CODES
from setpoint.api.mistakes import MISTAKES
from setpoint.engine.bounds import BOUNDS
from setpoint.engine.guards import GUARDS
from setpoint.engine.limits import Limits
from setpoint.engine.metrics import METRICS
from setpoint.loop.commands.command import VERBS
from setpoint.loop.conformance import CHECKS
from setpoint.settings import Settings

SOURCE = ROOT / "src" / "setpoint"
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "reference.py"))
WRITTEN: dict[str, str] = SCRIPT["written"]()
ALERTS = yaml.safe_load(files("setpoint.drive").joinpath("alerts.yml").read_text())["groups"][0]["rules"]
EXPECTED = {
    "bounds.md": [bound.name for bound in BOUNDS],
    "alerts.md": [rule["alert"] for rule in ALERTS],
    "conformance-checks.md": [check.name for check in CHECKS],
    "error-codes.md": [code.name for code in (*CODES, *MISTAKES)],
    "guards.md": [guard.name for guard in GUARDS],
    "limits.md": list(Limits.__struct_fields__),
    "loop-commands.md": ["new loop", *("audit verify" if verb == "audit" else verb for verb in VERBS)],
    "metrics.md": [metric.name for metric in METRICS],
    "settings.md": [f"SETPOINT_{name.upper()}" for name in Settings.__struct_fields__],
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_page_is_what_the_tables_say_now(name: str) -> None:
    assert (DOCS / "reference" / name).read_text() == WRITTEN[name], "stale: run scripts/docs"


@pytest.mark.parametrize("name", EXPECTED)
def test_a_page_has_as_many_entries_as_its_table_and_in_its_order(name: str) -> None:
    assert entries(WRITTEN[name]) == EXPECTED[name]


def test_every_setting_limit_and_guard_has_a_sentence() -> None:
    described = [*fields(Settings).items(), *fields(Limits).items()]
    assert [name for name, schema in described if not schema.get("description")] == []
    assert [guard.name for guard in GUARDS if not guard.about.endswith(".")] == []


def test_every_code_metric_and_check_has_its_sentences() -> None:
    said = [(code.name, text) for code in (*CODES, *MISTAKES) for text in (code.cause, code.cure)]
    said += [(metric.name, metric.help) for metric in METRICS]
    said += [(check.name, text) for check in CHECKS for text in (check.sentence, check.breaks, check.cure)]
    assert [name for name, text in said if not text.endswith(".")] == []


def test_the_codes_of_refusals_are_those_of_the_table_with_their_statuses() -> None:
    used = {(word(call.args[1]), number(call.args[0])) for call in calls("Refused", SOURCE / "api")}
    known = {(code.name, code.status) for code in CODES}
    assert {name for name, _ in used} == {name for name, _ in known}
    assert {pair for pair in used if pair[1] is not None} <= known


def test_the_codes_of_mistakes_are_those_of_the_table() -> None:
    used = {
        word(keyword.value)
        for keyword in keywords("code", SOURCE / "api", SOURCE / "engine", SOURCE / "access")
    }
    assert used == {code.name for code in MISTAKES}


def test_codes_are_in_order_and_none_is_there_twice() -> None:
    for names in ([code.name for code in CODES], [code.name for code in MISTAKES]):
        assert names == sorted(set(names))


def entries(text: str) -> list[str]:
    """What a page has an entry for: a heading, or the first cell of a row."""
    body = text.partition("## Exit codes")[0]
    found = re.findall(r"^## (.+)$|^\| \[?`([^`]+)`", body, re.MULTILINE)
    return [heading or cell for heading, cell in found if heading != "Mistakes in what was sent"]


def fields(shape: type[msgspec.Struct]) -> dict[str, Any]:
    properties: dict[str, Any] = msgspec.json.schema(shape)["$defs"][shape.__name__]["properties"]
    return properties


def trees(*folders: Path) -> Iterator[ast.Module]:
    for folder in folders:
        yield from (ast.parse(path.read_text()) for path in sorted(folder.rglob("*.py")))


def calls(name: str, *folders: Path) -> Iterator[ast.Call]:
    for tree in trees(*folders):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                yield node


def keywords(name: str, *folders: Path) -> Iterator[ast.keyword]:
    """`code=…` wherever a mistake is made, or remade as another one."""
    for tree in trees(*folders):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield from (each for each in node.keywords if each.arg == name)


def word(node: ast.expr) -> str:
    assert isinstance(node, ast.Constant), f"line {node.lineno}: a code is written where it is used"
    assert isinstance(node.value, str)
    return node.value


def number(node: ast.expr) -> int | None:
    """The status, where it is written as a number; a name stands for one that the code alone decides."""
    return node.value if isinstance(node, ast.Constant) else None
