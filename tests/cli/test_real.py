"""The command line against the real control plane and a simulated cloud, each in a process of its own."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .conftest import Shell

ENOUGH = 90.0
ELSEWHERE = "http://127.0.0.1:9"
SHOP = """\
kind: organization
metadata: {name: acme}
spec: {title: Acme Ltd}
---
kind: project
metadata: {name: shop}
---
kind: provider
metadata: {name: hetzner}
spec: {family: hetzner_cloud, credential: secret://hetzner, endpoint: CLOUD, mode: run}
---
kind: dns_zone
metadata: {name: example-org, project: shop}
spec: {provider: hetzner, domain: example.org}
"""
RECORD = """\
---
kind: dns_record
metadata: {name: www-NUMBER, project: shop}
spec: {zone: example-org, name: www-NUMBER, type: A, values: [192.0.2.NUMBER], ttl: 300}
"""
CLASHING = """\
organizations:
  clashing: {title: Clashing}
---
organization: clashing
providers:
  cloud: {family: hetzner_cloud, credential: secret://hetzner}
projects:
  shop:
    dns_zones:
      z: {provider: cloud, domain: other.org}
    dns_records:
      a: {zone: z, name: www, type: A, values: [192.0.2.1]}
      b: {zone: z, name: www, type: A, values: [192.0.2.2]}
      c: {zone: z, name: one, type: CNAME, values: [two]}
      d: {zone: z, name: two, type: CNAME, values: [one]}
      e: {zone: z, name: x, type: A, values: [192.0.2.9]}
"""


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Shell]]:
    """Started once for this file: what one test declares does not touch the other."""
    folder = tmp_path_factory.mktemp("real")
    with _running(folder, "cloud", "sim", "hetzner", "--port", "0", "--action-seconds", "0.05") as cloud:
        secrets = folder / "data" / "secrets"
        secrets.mkdir(parents=True)
        (secrets / "hetzner").write_text(cloud["token"])
        (folder / "shop.yaml").write_text(SHOP.replace("CLOUD", cloud["url"]) + records(6))
        with _running(folder, "plane", "up", "--data", "data", "--port", "0") as plane:
            yield folder, Shell({"SETPOINT_URL": plane["url"], "SETPOINT_TOKEN": plane["token"]})


@pytest.fixture
def real(started: tuple[Path, Shell], monkeypatch: pytest.MonkeyPatch) -> Shell:
    folder, shell = started
    monkeypatch.chdir(folder)
    return shell


def test_up_says_where_it_listens_whatever_clients_are_told(started: tuple[Path, Shell]) -> None:
    folder, shell = started
    url = shell.environment["SETPOINT_URL"]
    said = (folder / "plane.log").read_text()
    assert f"setpoint is up at {url}\n" in said
    assert ELSEWHERE not in said
    assert f"next: SETPOINT_URL={url} " in said


def records(most: int) -> str:
    return "".join(RECORD.replace("NUMBER", str(number)) for number in range(1, most + 1))


def test_a_file_goes_through_its_whole_life(real: Shell) -> None:
    first = real("apply", "-f", "shop.yaml", "--yes", "--timeout", "30")
    assert (first.code, first.err.splitlines()[-1]) == (0, "All 10 objects as declared."), first.err
    assert real("plan", "-f", "shop.yaml").code == 0
    what_is_there_is_found(real)
    assert real("why", "dns_zone/example-org").out.startswith("example-org is READY")
    assert real("wait", "records", "--timeout", "5").code == 0
    assert real("audit", "verify").out.startswith("= the audit of acme is whole")

    shop = Path("shop.yaml")
    shop.write_text(shop.read_text().replace("ttl: 300", "ttl: 600"))
    changed = real("plan", "-f", "shop.yaml")
    assert (changed.code, "6 to change" in changed.out) == (3, True)
    assert "dns_zone example-org ttl 300 → 600  (www-1/A … www-6/A)" in changed.out
    assert real("apply", "-f", "shop.yaml", "--yes", "--timeout", "30").code == 0

    shop.write_text(shop.read_text().partition("---\nkind: dns_record")[0])
    held = real("apply", "-f", "shop.yaml", "--prune", "--yes", "--timeout", "30")
    assert held.code == 4, held.err
    assert "empty_intent" in held.out
    plan = real("plan", "-o", "name").out.strip()
    assert f"setpoint reject {plan}" in held.out
    assert real("describe", "plan", plan).out.count("- dns_zone example-org www-") == 6
    assert real("approve", plan, "--reason", "meant", "--yes").code == 0
    assert real("wait", "records", "--for", "deleted", "--timeout", "20").code == 0
    decisions_are_on_record(real)
    assert real("delete", "zone", "example-org", "--yes", "--wait", "--timeout", "20").code == 0
    assert json.loads(real("events", "-o", "json").out)["items"] != []


def what_is_there_is_found(real: Shell) -> None:
    assert "= READY" in real("get", "zones").out
    some = ("--filter", 'spec.ttl == 300 && name > "www-3"', "--sort", "name desc")
    found = real("get", "records", *some, "-o", "name")
    assert found.out.split() == ["dns_record/www-6", "dns_record/www-5", "dns_record/www-4"], found.err
    wrong = real("get", "records", "--filter", 'state = "READY"')
    assert (wrong.code, '  state = "READY"\n        ^\n' in wrong.err) == (2, True), wrong.err


def decisions_are_on_record(real: Shell) -> None:
    assert "generation 1  " in real("history", "zone", "example-org").out
    assert "declared by administrator" in real("history", "zone", "example-org").out
    asked = json.loads(real("operations", "-o", "json").out)["items"]
    assert {one["verb"] for one in asked} == {"plan"}
    assert real("operations", asked[0]["id"], "--wait").code == 0
    over = real("cancel", asked[0]["id"], "--reason", "too late")
    assert (over.code, "is over" in over.err) == (1, True), over.err
    again = real("replay", "--limit", "100")
    assert (again.code, "every decision is the same" in again.out) == (0, True), again.out
    tried = real("rehearse", "wave_floor=1", "wave_share=0.01", "zone", "example-org")
    assert (tried.code, "let through instead of" in tried.out) == (0, True), tried.err
    assert "empty_intent" in real("explain", "guards").out


def test_mistakes_are_found_by_the_real_server_all_at_once(real: Shell) -> None:
    Path("bad.yaml").write_text(
        SHOP.replace("domain:", "domian:").replace("name: shop", "nmae: shop").replace("acme", "wrong")
    )
    found = real("plan", "-f", "bad.yaml")
    places = [line.partition(" ")[0] for line in found.err.splitlines() if line.startswith("bad.yaml")]
    assert found.code == 2
    assert {"bad.yaml:6:12:", "bad.yaml:14:27:"} <= set(places)


@pytest.mark.parametrize("verb", ["plan", "diff", "apply"])
@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        ("domain: other.org", "domian: other.org", 10),
        ("domain: other.org", "domain: a b", 10),
        ("domain: other.org", "domain: other.org, foo: 1", 10),
        ("dns_records:", "dns_record:", 11),
        ("values: [192.0.2.9]", "values: [], ttl: 1h", 16),
    ],
)
def test_a_mistake_in_one_object_hides_none_of_the_others(
    real: Shell, verb: str, right: str, wrong: str, line: int
) -> None:
    assert right in CLASHING
    Path("clashing.yaml").write_text(CLASHING.replace(right, wrong))
    yes = ("--yes",) if verb == "apply" else ()
    found = real(verb, "-f", "clashing.yaml", *yes)
    lines = {int(told.split(":")[1]) for told in found.err.splitlines() if told.startswith("clashing.yaml:")}
    assert (found.code, lines) == (2, {line, 12, 13, 14, 15}), found.err


@contextmanager
def _running(folder: Path, name: str, *words: str) -> Iterator[dict[str, str]]:
    """A process of ours that says when it is ready; ended at the end."""
    ready, log = folder / f"{name}.json", folder / f"{name}.log"
    command = [sys.executable, "-m", "setpoint", *words, "--ready-file", str(ready)]
    with log.open("wb") as output:
        # As in a shell that talks to another one: what clients read is nothing to a service.
        around = {**os.environ, "SETPOINT_URL": ELSEWHERE}
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output, env=around)  # noqa: S603
    try:
        for _ in range(int(ENOUGH / 0.05)):
            if ready.exists() or process.poll() is not None:
                break
            time.sleep(0.05)
        assert ready.exists(), log.read_text()
        yield json.loads(ready.read_text())
    finally:
        process.terminate()
        process.wait(ENOUGH)
