"""`setpoint new loop NAME`: a loop of a few lines, its test, and what to do with both."""

import keyword
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Final

from setpoint.cli.exits import Exit, Stop
from setpoint.cli.screen import Screen
from setpoint.cli.suggest import did_you_mean

USAGE: Final = """\
usage: setpoint new loop NAME

Write a loop of your own, with a test that passes: NAME/NAME.py, NAME/NAME.json,
NAME/test_NAME.py, NAME/README.md.

examples:
  setpoint new loop flags
  cd flags && setpoint plan flags.py"""

LOOP: Final = Template('''\
"""Holds the ${name} in ${name}.json at what is declared here: replace both by something of your own."""

import json
from pathlib import Path

from setpoint.loop import Keyed, serve

# Key -> value: what should be there. Keys and values are yours; anything that JSON can say is a value.
WANTED = {"${name}-1": {"size": 1}, "${name}-2": {"size": 2}, "${name}-3": {"size": 3}}


class ${title}(Keyed):
    """The ${name} in ${name}.json are exactly the ones in WANTED."""

    file = Path(__file__).with_name("${name}.json")
    every = "30s"

    async def desired(self): return WANTED
    async def observe(self): return json.loads(self.file.read_text())  # all of it, or it raises
    async def put(self, key, value): self.save({**await self.observe(), key: value})
    async def delete(self, key): self.save({k: v for k, v in (await self.observe()).items() if k != key})

    def save(self, found):
        draft = self.file.with_suffix(".new")
        draft.write_text(json.dumps(found, indent=1))
        draft.replace(self.file)  # whole or not at all


if __name__ == "__main__":
    serve(${title}())
''')

THERE: Final = Template("{}\n")

TEST: Final = Template('''\
"""${title} keeps its promises: run with `pytest`."""

from ${name} import ${title}
from setpoint.loop import assert_loop


def test_${name}_is_a_sound_loop(tmp_path):
    class Scratch(${title}):
        file = tmp_path / "${name}.json"

    Scratch.file.write_text("{}")
    assert_loop(Scratch)
''')

README: Final = Template("""\
# ${name}

`${name}.py` holds `${name}.json` at what is declared in `WANTED`. Change `desired`, `observe`, `put` and
`delete` to hold something of your own.

| command | what it does |
|---|---|
| `setpoint plan ${name}.py` | shows what would change; changes nothing |
| `setpoint run ${name}.py` | looks again and again; changes nothing |
| `setpoint run ${name}.py --enforce` | makes it so, and keeps it so |
| `setpoint run ${name}.py --enforce --page 8080` | the same, with a page at http://127.0.0.1:8080 |
| `setpoint why ${name}.py` | says why it is as it is, and what to do next |
| `setpoint pause ${name}.py --all --reason WHY` | stops every change at once |
| `pytest` | checks that the loop is idempotent, survives crashes, and more |

What would delete everything, or far more than usual, is held until you approve it. State is kept in
`.setpoint/`.
""")

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")


def run(argv: Sequence[str], screen: Screen, folder: Path) -> int:
    """Writes the files into a new folder, or says why not."""
    if {"-h", "--help"} & set(argv) or not argv:
        screen.data(USAGE)
        return Exit.DONE if argv else Exit.USAGE
    wrong = mistakes(argv)
    if wrong:
        raise Stop("; ".join(wrong), Exit.USAGE, ("setpoint new loop flags",))
    name = argv[1]
    place = folder / name
    try:
        write(place, files(name))
    except FileExistsError as error:
        raise Stop(f"{place} is there already; nothing was written", Exit.FAILED) from error
    except OSError as error:
        raise Stop(f"{place} cannot be written: {error.strerror}", Exit.FAILED) from error
    screen.data(f"wrote {', '.join(str(Path(name) / file) for file in files(name))}")
    for step in (f"cd {name}", f"setpoint plan {name}.py", f"setpoint run {name}.py --enforce"):
        screen.say(f"  next: {step}")
    return Exit.DONE


def mistakes(argv: Sequence[str]) -> list[str]:
    """Everything that is wrong with these words."""
    sort, *names = argv
    near = "".join(f"; {hint}" for hint in did_you_mean(sort, ("loop",)))
    wrong = [] if sort == "loop" else [f"there is nothing called {sort!r} to write, only loop{near}"]
    if len(names) != 1:
        return [*wrong, f"give it one name, not {len(names)}: setpoint new loop NAME"]
    name = names[0]
    if not _NAME.fullmatch(name):
        wrong.append(f"{name!r} is no name for a Python file: small letters, digits and _, a letter first")
    elif keyword.iskeyword(name) or name in ("keyed", "setpoint") or name in sys.stdlib_module_names:
        wrong.append(f"{name!r} means something else to Python; choose another name")
    return wrong


def files(name: str) -> Mapping[str, str]:
    """File name -> its text."""
    title = "".join(part.capitalize() for part in name.split("_"))
    texts = {f"{name}.py": LOOP, f"{name}.json": THERE, f"test_{name}.py": TEST, "README.md": README}
    return {file: text.substitute(name=name, title=title) for file, text in texts.items()}


def write(place: Path, texts: Mapping[str, str]) -> None:
    """A folder that was not there; nothing is overwritten, ever."""
    place.mkdir(parents=True)
    for file, text in texts.items():
        with (place / file).open("x", encoding="utf-8") as new:
            new.write(text)
