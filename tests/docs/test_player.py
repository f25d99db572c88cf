"""The player believes what is true, and says where a page is not."""

from pathlib import Path

import pytest

from docs.manual import Page
from docs.player import matches, play

GOOD = """
```python
# hello.py
print("hello")
```

```console
$ mkdir inside && cd inside
$ export WHO=you
$ python ../hello.py && echo $WHO > /dev/null
hello
$ ls nothing
…
# exit 2
$ (echo late; sleep 30) &
late
$ pwd
…/place/inside
```

```python
assert __import__("os").getcwd().endswith("inside")
```

```yaml
kind: project
metadata: {name: shop}
spec: {title: The shop}
```
"""
BAD = {
    "another output": "```console\n$ echo one\ntwo\n```\n",
    "more output": "```console\n$ printf 'one\\ntwo'\none\n```\n",
    "another exit code": "```console\n$ exit_with() { return 3; }; exit_with\n# exit 4\n```\n",
    "a failing block": "```python\nassert 1 == 2\n```\n",
    "an unknown field": "```yaml\nkind: project\nmetadata: {name: shop}\nspec: {titel: The shop}\n```\n",
    "an unknown kind": "```yaml\nkind: projekt\nmetadata: {name: shop}\n```\n",
}


def page(folder: Path, text: str) -> Page:
    path = folder / "page.md"
    path.write_text(text)
    return Page(path)


def test_a_page_that_is_true_is_believed(tmp_path: Path) -> None:
    play(page(tmp_path, GOOD), tmp_path)


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_a_page_that_is_not_true_is_told_with_its_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(AssertionError, match=r"page\.md:2: "):
        play(page(tmp_path, "\n" + text), tmp_path)


@pytest.mark.parametrize(
    ("expected", "seen"),
    [
        (["READY since 3 s: all"], ["READY since 41 s: all"]),
        (["0s ago  done"], ["12s ago      done"]),
        (["plan 1m7gtpwaq00bkr5wdc36 is held"], ["plan 1m7gtve1200qvveskacc is held"]),
        (["at http://127.0.0.1:7410/v1"], ["at http://127.0.0.1:39999/v1"]),
        (["by ana, owner of sites.py"], ["by root, owner of sites.py"]),
        (["a long line that was", "    broken"], ["a long line that was broken"]),
        (["first", "…", "last"], ["first", "and", "so", "on", "last"]),
        (["(pid …)"], ["(pid 4711)"]),
    ],
)
def test_what_varies_makes_no_difference(expected: list[str], seen: list[str]) -> None:
    assert matches(expected, seen)


@pytest.mark.parametrize(
    ("expected", "seen"),
    [
        (["3 deletes of 3"], ["2 deletes of 3"]),
        (["5 s apart"], ["6 s apart"]),
        ([], ["something"]),
        (["something"], []),
        (["(pid …)", "next"], ["(pid 1)", "other", "next"]),
    ],
)
def test_what_does_not_vary_does(expected: list[str], seen: list[str]) -> None:
    assert not matches(expected, seen)
