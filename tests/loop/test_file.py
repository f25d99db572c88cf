"""A loop file is loaded by its path; what is wrong with it is one error; one bad loop stops no other."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from setpoint.loop import Rejected
from setpoint.loop.file import load, loading, sifted, state_of

from .things import SAMPLES, Shelf

LOOP = """
from setpoint.loop import Keyed


class Flags(Keyed):
    def desired(self): return {}
    def observe(self): return {}
    def put(self, key, value): ...
    def delete(self, key): ...
"""


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """What a test loads is forgotten after it."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    here = [name for name, each in sys.modules.items() if str(tmp_path) in str(getattr(each, "__file__", ""))]
    for name in here:
        del sys.modules[name]


def written(tmp_path: Path, text: str, name: str = "a_loop_file.py") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def names(path: Path) -> list[str]:
    return [loop.name() for loop in load(path).loops]


def test_the_loop_of_the_readme_is_found() -> None:
    found = load(SAMPLES / "flags.py")
    assert [loop.name() for loop in found.loops] == ["Flags"]
    assert found.broken == ()
    assert found.folder == SAMPLES / ".setpoint" / "flags"


def test_one_broken_loop_is_named_and_the_others_go_on() -> None:
    found = load(SAMPLES / "several.py")
    assert [loop.name() for loop in found.loops] == ["Far", "Near"]
    assert [broken.name for broken in found.broken] == ["Crooked"]
    assert "loop Crooked has 2 mistakes: every: 'now and then' is not a length of time" in found.broken[0].why


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\ny = x +\n", ":2: SyntaxError: invalid syntax"),
        ("x = 1\n\nprint(nothing)\n", ":3: NameError: name 'nothing' is not defined, at: print(nothing)"),
        ("import no_such_thing_at_all\n", ":1: ModuleNotFoundError: No module named 'no_such_thing_at_all'"),
        ("def f():\n    raise OSError('no')\n\nf()\n", ":2: OSError: no, at: raise OSError('no')"),
        ("import json\njson.loads('{')\n", ":2: JSONDecodeError: "),
        ("raise SystemExit(3)\n", ":1: SystemExit: 3"),
        ("raise ValueError\n", ":1: ValueError, at: raise ValueError"),
        ("x = '\x00'\n", "does not load: "),
        (
            "",
            "has no loop; expected is a class that inherits from setpoint.loop.Keyed, with desired, observe",
        ),
        ("from setpoint.loop import Keyed\n", "has no loop; expected is"),
        (LOOP.replace("class Flags", "class _Flags"), "has no loop; expected is"),
        (
            LOOP + "\none, two = Flags(), Flags()\n",
            "two loops are called Flags; give one of them another name()",
        ),
        (LOOP + "\nclass FLAGS(Keyed):\n    pass\n", ""),
    ],
)
def test_a_file_that_cannot_be_used_says_where_and_why(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path, text)
    if not said:
        assert [broken.name for broken in load(path).broken] == ["FLAGS"]
        return
    with pytest.raises(Rejected) as caught:
        load(path)
    assert said in str(caught.value)


def test_a_file_that_does_not_load_leaves_no_module_behind(tmp_path: Path) -> None:
    path = written(tmp_path, LOOP)
    load(path)
    held = sys.modules["a_loop_file"]
    written(tmp_path, "import no_such_thing_at_all")
    with pytest.raises(Rejected):
        load(path)
    assert sys.modules["a_loop_file"] is held
    with pytest.raises(Rejected):
        load(written(tmp_path, "1 / 0", "another_loop_file.py"))
    assert "another_loop_file" not in sys.modules


@pytest.mark.parametrize(("make", "said"), [(False, "does not exist"), (True, "is not a file")])
def test_a_path_that_is_no_file_is_named(tmp_path: Path, make: bool, said: str) -> None:
    path = tmp_path / "flags.py"
    if make:
        path.mkdir()
    with pytest.raises(Rejected, match=f"flags.py {said}"):
        load(path)


def test_an_object_stands_for_its_class(tmp_path: Path) -> None:
    assert names(written(tmp_path, LOOP + "\nflags = Flags()\nagain = flags\n")) == ["Flags"]


def test_what_others_are_made_from_is_no_loop_itself(tmp_path: Path) -> None:
    assert names(written(tmp_path, LOOP + "\nclass Beta(Flags): pass\nclass Gamma(Beta): pass\n")) == [
        "Gamma"
    ]


def test_an_abstract_class_is_no_loop(tmp_path: Path) -> None:
    text = LOOP + (
        "\nimport abc\nclass Base(Flags, abc.ABC):\n    @abc.abstractmethod\n    def url(self): ...\n"
        "class Real(Base):\n    def url(self): return 1\n"
    )
    assert names(written(tmp_path, text)) == ["Real"]


def test_a_class_that_was_only_imported_is_not_run(tmp_path: Path) -> None:
    written(tmp_path, LOOP, "elsewhere_defined.py")
    text = "from elsewhere_defined import Flags\nclass Mine(Flags): pass\n"
    assert names(written(tmp_path, text)) == ["Mine"]


def test_what_lies_beside_the_file_can_be_imported(tmp_path: Path) -> None:
    written(tmp_path, "WANTED = {'a': 1}\n", "beside_the_file.py")
    assert names(written(tmp_path, "from beside_the_file import WANTED\n" + LOOP)) == ["Flags"]


def test_a_class_that_needs_arguments_says_how_to_be_made(tmp_path: Path) -> None:
    text = LOOP + "\n    def __init__(self, url, *, token): ...\n"
    broken = load(written(tmp_path, text)).broken
    assert [each.why for each in broken] == [
        "loop Flags needs url, token; make one at the top of the file: flags = Flags(…)"
    ]


def test_a_class_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    text = LOOP + "\n    def __init__(self): raise OSError('no token')\n"
    broken = load(written(tmp_path, text)).broken
    assert [each.why for each in broken] == ["loop Flags cannot be made: OSError: no token"]


def test_what_is_under_main_does_not_run(tmp_path: Path) -> None:
    text = LOOP + "\nif __name__ == '__main__':\n    raise SystemExit('served')\n"
    assert names(written(tmp_path, text)) == ["Flags"]


def test_whoever_serves_while_it_is_loaded_can_know(tmp_path: Path) -> None:
    text = LOOP + "\nfrom setpoint.loop.file import loading\nSEEN = loading()\n"
    path = written(tmp_path, text)
    load(path)
    assert path == sys.modules["a_loop_file"].SEEN
    assert loading() is None


def test_a_file_is_read_anew_each_time(tmp_path: Path) -> None:
    path = written(tmp_path, LOOP)
    assert names(path) == ["Flags"]
    written(tmp_path, LOOP.replace("Flags", "Hosts"))
    assert names(path) == ["Hosts"]


@pytest.mark.parametrize("name", ["json.py", "my-flags.py", "2nd.py", "msgspec.py"])
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    before = sys.modules.get(name.removesuffix(".py"))
    assert names(written(tmp_path, LOOP, name)) == ["Flags"]
    assert sys.modules.get(name.removesuffix(".py")) is before


def test_no_bytecode_is_left_beside_the_file(tmp_path: Path) -> None:
    load(written(tmp_path, LOOP))
    assert [each.name for each in tmp_path.iterdir()] == ["a_loop_file.py"]


def test_loops_that_were_made_elsewhere_are_sifted_alike() -> None:
    crooked = type("Crooked", (Shelf,), {"every": "x"})
    loops, broken = sifted([Shelf({}), crooked({})])
    assert [type(loop).__name__ for loop in loops] == ["Shelf"]
    assert [each.name for each in broken] == ["Crooked"]


def test_the_state_is_kept_beside_the_file() -> None:
    assert state_of(Path("/srv/loops/flags.py")) == Path("/srv/loops/.setpoint/flags")
