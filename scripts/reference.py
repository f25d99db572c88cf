"""Writes docs/reference from the tables of the source; with --check, says which of its pages are stale."""

import argparse
import ast
import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import msgspec
import yaml

from setpoint import secret_fields
from setpoint.access.permission import keys
from setpoint.access.role import SEEDED
from setpoint.api import codes, mistakes, reference
from setpoint.api.guards import FIELDS, bounds_of
from setpoint.api.reference import table
from setpoint.cli.exits import MEANINGS
from setpoint.cli.flags import VARIABLES, Parser, parser_for
from setpoint.cli.remote import LOCAL_VERBS
from setpoint.cli.remote import VERBS as REMOTE
from setpoint.engine.bounds import BOUNDS
from setpoint.engine.guards import GUARDS
from setpoint.engine.metrics import METRICS
from setpoint.kinds import ALL, by_name
from setpoint.loop.commands import new
from setpoint.loop.commands.command import VERBS
from setpoint.loop.commands.session import Place
from setpoint.loop.commands.words import help_text
from setpoint.loop.conformance import CHECKS
from setpoint.settings import PREFIX, Settings

ROOT: Final = Path(__file__).parent.parent
FOLDER: Final = ROOT / "docs" / "reference"
CONSOLE_SECRETS: Final = ROOT / "console" / "src" / "words" / "secrets.ts"
FRONT: Final = "---\nkind: reference\n---\n\n"
WITHHOLDS: Final[Mapping[str, str]] = {
    "plan": "the whole plan",
    "deletes": "the deletes",
    "items": "the items it names",
}


def kinds() -> Iterator[str]:
    yield reference.book(ALL).rstrip("\n")


def guards() -> Iterator[str]:
    yield _head("Guards", "the one table of guards, `engine/guards.py`")
    yield (
        "A guard looks at a plan and its numbers and may withhold something. What each doubts, and why, is"
        " told in [the explanation](../explanation/guards.md); its numbers are [limits](limits.md). A guard"
        " that fails withholds the whole plan."
    )
    rows = [
        (
            f"[`{guard.name}`](../explanation/guards.md#{guard.name})",
            guard.about,
            WITHHOLDS[guard.withholds],
            _command(guard.release),
            ", ".join(f"`{name}`" for name in guard.limits),
        )
        for guard in GUARDS
    ]
    yield table(("guard", "what it is for", "withholds", "let go", "limits"), rows)
    spared = ", ".join(f"`{guard.name}`" for guard in GUARDS if guard.spares)
    yield f"What a person asked to have deleted by name is not subject to {spared}."


def limits() -> Iterator[str]:
    yield _head("Limits", "the one table of limits, `engine/limits.py`")
    yield (
        "Every number behind the [guards](guards.md). A limit can be changed and cannot be turned off. For a"
        " loop file it is a class attribute: `deletes_share = 0.05`. For the control plane it is part of the"
        " setting `SETPOINT_LIMITS`, for all, for a kind or for one object."
        " [Rehearse](../how-to/rehearse-a-limit.md) a limit before you change it."
    )
    rows = [
        (f"`{name}`", f"{schema['default']:g}", bounds_of(name), schema["description"], _readers(name))
        for name, schema in FIELDS.items()
    ]
    yield table(("limit", "default", "may be", "meaning", "read by"), rows)


def bounds() -> Iterator[str]:
    yield _head("Bounds", "the one table of bounds, `engine/bounds.py`")
    yield (
        "How much one request and one object may hold. More is refused with the number that was found, and"
        " nothing is stored. How many objects an organization may have, and how many connections, streams and"
        " requests there may be, are [settings](settings.md)."
    )
    yield table(("bound", "at most", "of what"), [(f"`{b.name}`", f"{b.most:,}", b.about) for b in BOUNDS])


def asvs() -> Iterator[str]:
    yield _head("Security requirements", "`tests/attack/ASVS.md`, whose tests a test looks for")
    yield (ROOT / "tests" / "attack" / "ASVS.md").read_text().partition("\n\n")[2].rstrip()


def settings() -> Iterator[str]:
    yield _head("Settings", "the one model of settings, `settings.py`")
    yield (
        "What `setpoint up` reads when it starts. Each is an environment variable; `--data`, `--host` and"
        " `--port` are flags too, and a flag wins. All mistakes are reported together, and nothing starts."
    )
    definition = msgspec.json.schema(Settings)["$defs"]["Settings"]
    rows = [(f"`{PREFIX}{name[1:-1].upper()}`", *rest) for name, *rest in reference.fields(definition)]
    yield table(("variable", "type", "default", "meaning"), rows)


def access() -> Iterator[str]:
    yield _head("Roles and permissions", "the roles, `access/role.py`, and the kinds")
    yield (
        "A role is a list of rules; `setpoint token create NAME --role ROLE` gives it to somebody, for the"
        " organization or for one project or workspace of it. A rule that forbids wins over every rule that"
        " allows. See [how to give access](../how-to/give-access.md)."
    )
    for role in SEEDED:
        yield f"## {role.name}"
        yield f"{role.about[0].upper()}{role.about[1:]}."
        rows = [
            (rule.effect, ", ".join(rule.verbs), ", ".join(f"`{key}`" for key in rule.keys))
            for rule in role.rules
        ]
        yield table(("effect", "verbs", "keys"), rows)
    yield "## Keys"
    yield "The verbs are read, create, update, delete and execute. `project.*` means every key below it."
    yield table(("key", "governs"), [(f"`{key}`", about) for key, about in keys(by_name(ALL))])


def errors() -> Iterator[str]:
    yield _head("Error codes", "the tables of codes, `api/codes.py` and `api/mistakes.py`")
    yield (
        "A refusal is `application/problem+json` with a `code`, a `detail` and often a `hint`. `retryable`"
        " says whether the same request may succeed later."
    )
    for code in codes.CODES:
        yield f"## {code.name}"
        yield f"Status {code.status}. {code.cause}"
        yield f"**What to do:** {code.cure}"
    yield "## Mistakes in what was sent"
    yield (
        "Some refusals list every mistake under `errors`, each with a `pointer` to its place and a `code` of"
        " its own."
    )
    rows = [(f"`{code.name}`", code.cause, code.cure) for code in mistakes.MISTAKES]
    yield table(("code", "cause", "what to do"), rows)


def metrics() -> Iterator[str]:
    yield _head("Metrics", "the one table of metrics, `engine/metrics.py`")
    yield (
        "Served at `/metrics` by the control plane, and by `setpoint run FILE --page PORT` for a loop file."
        " Labels are bounded: kinds, verbs, guards, never a name. Ratios go from 0 to 1."
    )
    rows = [(f"`{m.name}`", m.sort, ", ".join(f"`{label}`" for label in m.labels), m.help) for m in METRICS]
    yield table(("metric", "type", "labels", "meaning"), rows)
    for metric in METRICS:
        if metric.buckets:
            edges = ", ".join(f"{edge:g}" for edge in metric.buckets)
            yield f"Buckets of `{metric.name}`: {edges}."


def alerts() -> Iterator[str]:
    yield _head("Alerts", "the rules that are shipped, `drive/alerts.yml`")
    yield "`setpoint alerts` prints the rules as a file for Prometheus. Each says what to do first."
    text = files("setpoint.drive").joinpath("alerts.yml").read_text()
    for rule in yaml.safe_load(text)["groups"][0]["rules"]:
        yield from _rule(rule)


def commands() -> Iterator[str]:
    yield _head("Loop commands", "the commands themselves, `loop/commands/command.py`")
    yield (
        "Verbs for a file of your own. A file that ends with `serve(…)` knows the same verbs as"
        " `python flags.py VERB`."
    )
    yield "## new loop"
    yield _text(new.USAGE)
    for verb, (module, _) in VERBS.items():
        form = importlib.import_module(f"setpoint.loop.commands.verbs.{module}").FORMS[verb]
        called = "audit verify" if verb == "audit" else verb
        yield f"## {called}"
        yield _text(help_text(form, Place(Path("flags.py")).command(called)))
    yield "## Exit codes"
    yield table(("code", "meaning"), [(str(code.value), words) for code, words in MEANINGS.items()])


def remote_commands() -> Iterator[str]:
    yield _head("Commands", "the command line's own tables, `cli/remote.py` and `cli/verbs/`")
    yield (
        "What talks to a control plane, and what runs one. Commands for a loop file are in"
        " [Loop commands](loop-commands.md); the variables that all of these read are in"
        " [Variables of the command line](client-variables.md). `setpoint help VERB` shows the same on the"
        " screen."
    )
    yield "## Everywhere"
    common = parser_for("VERB", "", "")
    yield table(("flag", "meaning"), _arguments(common, ()))
    known = tuple(action.dest for action in common._actions)
    for verb, (module, about) in REMOTE.items():
        yield f"## {verb}"
        yield about
        found = importlib.import_module(f"setpoint.cli.verbs.{module}")
        parser = parser_for(verb, about, "")
        found.flags(parser, verb)
        if rows := _arguments(parser, known):
            yield table(("argument", "meaning"), rows)
        yield _text("\n".join(line.removeprefix("  ") for line in found.EXAMPLES[verb].splitlines()))
    yield "## What runs something here"
    yield "Each has `--help`; what a service reads besides its flags are its [settings](settings.md)."
    yield table(
        ("command", "what it does"), [(f"`setpoint {verb}`", about) for verb, about in LOCAL_VERBS.items()]
    )
    yield "## Exit codes"
    yield table(("code", "meaning"), [(str(code.value), words) for code, words in MEANINGS.items()])


def _arguments(parser: Parser, without: tuple[str, ...]) -> list[tuple[str, str]]:
    """Flags and words of a parser, but for those of every verb."""
    actions = [action for action in parser._actions if action.dest not in without]
    return [(f"`{_spelt(action)}`", action.help or "") for action in actions]


def _spelt(action: argparse.Action) -> str:
    value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else action.dest.upper())
    flags = ", ".join(action.option_strings)
    if not flags:
        return str(value)
    return flags if action.nargs == 0 else f"{flags} {value}"


def variables() -> Iterator[str]:
    yield _head("Variables of the command line", "the one table of them, `cli/flags.py`")
    yield (
        "What commands read from the environment. A flag wins over its variable, a variable over the context"
        " in use (`setpoint contexts`), and that over the data folder here. A context that is named on the"
        " command line wins over variables too. None of them is a [setting](settings.md) of a service: a"
        " control plane may be started in a shell that talks to another one."
    )
    yield table(("variable", "meaning"), [(f"`{name}`", about) for name, about in VARIABLES.items()])


def checks() -> Iterator[str]:
    yield _head("Conformance checks", "the one table of checks, `loop/conformance/checks.py`")
    yield (
        "What `assert_loop` plays through with your loop. It names the [guarantees](guarantees.md) that no"
        " longer hold."
    )
    for check in CHECKS:
        yield f"## {check.name}"
        yield check.sentence
        numbers = f" (guarantee {', '.join(map(str, check.guarantees))})" if check.guarantees else ""
        yield f"**Why it matters:** {check.breaks}{numbers}"
        yield f"**Cure:** {check.cure}"


def guarantees() -> Iterator[str]:
    yield _head("Guarantees", "the tests that prove them, `tests/guarantees`")
    yield "What the engine promises, and where it is proved. Messages and checks name them by number."
    tests = sorted((ROOT / "tests" / "guarantees").glob("test_g[0-9]*.py"))
    told = [(ast.get_docstring(ast.parse(test.read_text())) or "").splitlines()[0] for test in tests]
    rows = [(*said.split(". ", 1), f"`{test.name}`") for said, test in zip(told, tests, strict=True)]
    yield table(("number", "guarantee", "test"), rows)


PAGES: Final[Mapping[str, Callable[[], Iterator[str]]]] = {
    "access.md": access,
    "alerts.md": alerts,
    "asvs.md": asvs,
    "bounds.md": bounds,
    "client-variables.md": variables,
    "commands.md": remote_commands,
    "conformance-checks.md": checks,
    "error-codes.md": errors,
    "guarantees.md": guarantees,
    "guards.md": guards,
    "kinds.md": kinds,
    "limits.md": limits,
    "loop-commands.md": commands,
    "metrics.md": metrics,
    "settings.md": settings,
}


def written() -> dict[str, str]:
    """File name -> the whole page."""
    return {name: FRONT + "\n\n".join(page()) + "\n" for name, page in PAGES.items()}


def secrets() -> str:
    """The rule for what is secret, as the console has it."""
    steps = "".join(f'\n      .replace(/{hump}/g, "$1_$2")' for hump in secret_fields.HUMPS)
    return (
        "// The one rule for what is secret. Written by `scripts/docs` from secret_fields.py; do not edit.\n"
        f"const SECRET =\n  /{secret_fields.SECRET}/;\n\n"
        "/** Whether a field of this name holds a secret. */\n"
        "export const isSecret = (field: string) =>\n"
        f"  SECRET.test(\n    field\n      .slice(-{secret_fields.LONGEST}){steps}\n"
        f'      .replace(/{secret_fields.BETWEEN}/g, "_")\n      .toLowerCase(),\n  );\n'
    )


def main(arguments: list[str]) -> int:
    found = {FOLDER / name: text for name, text in written().items()}
    found[CONSOLE_SECRETS] = secrets()
    if "--check" in arguments:
        stale = [path for path, text in found.items() if not path.exists() or path.read_text() != text]
        sys.stderr.writelines(f"{path.relative_to(ROOT)} is stale; run scripts/docs\n" for path in stale)
        return 1 if stale else 0
    for path, text in found.items():
        path.write_text(text)
    return 0


def _head(title: str, source: str) -> str:
    return f"# {title}\n\nWritten by `scripts/docs` from {source}; do not edit."


def _text(words: str) -> str:
    return f"```text\n{words}\n```"


def _command(release: str) -> str:
    """A command as code; anything else as it is."""
    command, comma, rest = release.partition(", ")
    return f"`{command}`{comma}{rest}" if command.startswith("setpoint ") else release


def _readers(limit: str) -> str:
    readers = [f"`{guard.name}`" for guard in GUARDS if limit in guard.limits]
    return ", ".join(readers) or "no guard"


def _rule(rule: Mapping[str, Any]) -> Iterator[str]:
    said = rule["annotations"]
    lasting = f", for {rule['for']}" if "for" in rule else ""
    yield f"## {rule['alert']}"
    yield f"{rule['labels']['severity'].capitalize()}: {_labelled(said['summary'])}."
    yield _text(f"{rule['expr'].strip()}{lasting}")
    yield f"**What to do first:** {_labelled(said['next'])}"


def _labelled(words: str) -> str:
    """`{{ $labels.kind }}` as a reader says it: KIND."""
    for name in ("kind", "budget"):
        words = words.replace(f"{{{{ $labels.{name} }}}}", name.upper())
    head, opening, rest = words.partition("{{ $value")
    return words if not opening else f"{head}N{rest.partition('}}')[2]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
