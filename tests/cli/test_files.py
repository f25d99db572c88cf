"""Files against the real server: two forms of one thing, templates, schemas, and every mistake at once."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings

from setpoint.cli.source import Source
from setpoint.cli.yaml_reader import read
from setpoint.kinds import ALL

from .conftest import Shell
from .organizations import organizations
from .planes import Plane, plane

AnyJson = Any
KEY = "setpoint_pat_1m7gdpak09v07r7ywcr6_3zqk4S7QmB2vX9pL5tWcY8nRfGhJdK1a_0a1b2c3d"
SHORT = """\
organizations:
  acme:
    providers:
      hetzner: {family: hetzner_cloud, credential: secret://hetzner, endpoint: "http://127.0.0.1:9/v1"}
    projects:
      shop:
        labels: {team: no}
        dns_zones:
          main: {provider: hetzner, domain: shop.example}
        dns_records:
          www: {zone: main, name: www, type: A, values: [192.0.2.1]}
        workspaces:
          prod:
            provider: hetzner
            hosts:
              web-1: {provider: hetzner, size: cx32}
"""
KUBERNETES = """\
apiVersion: setpoint.dev/v1
kind: Organization
metadata: {name: acme}
---
apiVersion: setpoint.dev/v1
kind: List
items:
  - {kind: project, metadata: {name: shop, organization: acme, labels: {team: "no"}}}
  - kind: provider
    metadata: {name: hetzner, organization: acme}
    spec: {family: hetzner_cloud, credential: "secret://hetzner", endpoint: "http://127.0.0.1:9/v1"}
---
apiVersion: setpoint.dev/v1
kind: DnsZone
metadata: {name: main, organization: acme, project: shop}
spec: {provider: hetzner, domain: shop.example}
---
apiVersion: setpoint.dev/v1
kind: DnsRecord
metadata: {name: www, organization: acme, project: shop}
spec: {zone: main, name: www, type: A, values: [192.0.2.1]}
---
apiVersion: setpoint.dev/v1
kind: Workspace
metadata: {name: prod, organization: acme, project: shop}
spec: {provider: hetzner}
---
apiVersion: setpoint.dev/v1
kind: Host
metadata: {name: web-1, organization: acme, project: shop, workspace: prod}
spec: {provider: hetzner, size: cx32}
"""
WRONG = f"""\
organization: acme
variables: {{size: cx22}}
projects:
  shop:
    title: one
    title: two
    dns_record: {{}}
    dns_zones:
      Main: {{provider: hetzner, domian: example.org, domain: example.org}}
    dns_records:
      www: {{zone: nowhere, name: www, type: A, values: [192.0.2.1], ttl: soon}}
    monitoring_objects:
      one: {{probe: tcp, target: "a:1", depends_on: [two]}}
      two: {{probe: tcp, target: "a:1", depends_on: [one]}}
    workspaces:
      prod:
        hosts:
          web-1: {{provider: hetzner, size: "${{sise}}"}}
providers:
  hetzner: {{family: hetzner_cloud, credential: {KEY}}}
hsots: {{}}
"""
GOLDEN = """\
wrong.yaml:6:5: title is here twice
  6 |     title: two
    |     ^^^^^
    = the first one is at wrong.yaml:5:5

wrong.yaml:7:5: dns_record is nothing that is in a project
  7 |     dns_record: {}
    |     ^^^^^^^^^^
    = did you mean dns_records?

wrong.yaml:9:7: 'Main' is no name: up to 63 of a-z 0-9 . _ -, a letter or digit at each end
  9 |       Main: {provider: hetzner, domian: example.org, domain: example.org}
    |       ^^^^

wrong.yaml:9:33: domian is not a field here
  9 |       Main: {provider: hetzner, domian: example.org, domain: example.org}
    |                                 ^^^^^^
    = did you mean domain?

wrong.yaml:11:19: dns_zone 'nowhere' is not declared in acme/shop
  11 |       www: {zone: nowhere, name: www, type: A, values: [192.0.2.1], ttl: soon}
     |                   ^^^^^^^

wrong.yaml:11:74: a whole number or nothing was expected, not "soon"
  11 |       www: {zone: nowhere, name: www, type: A, values: [192.0.2.1], ttl: soon}
     |                                                                          ^^^^
     = Seconds, 60 to 2147483647; the zone's default if left out.

wrong.yaml:13:7: cycle: monitoring_object one → monitoring_object two → monitoring_object one
  13 |       one: {probe: tcp, target: "a:1", depends_on: [two]}
     |       ^^^

wrong.yaml:14:7: cycle: monitoring_object two → monitoring_object one → monitoring_object two
  14 |       two: {probe: tcp, target: "a:1", depends_on: [one]}
     |       ^^^

wrong.yaml:16:7: provider is needed
  16 |       prod:
     |       ^^^^

wrong.yaml:18:44: there is no variable sise
  18 |           web-1: {provider: hetzner, size: "${sise}"}
     |                                            ^^^^^^^^^
     = did you mean size?; known are size

wrong.yaml:20:48: a credential of Setpoint is written here; declarations name secrets and never hold them
  20 |   hetzner: {family: hetzner_cloud, credential: (hidden)
     |                                                ^^^^^^^^
     = keep it with: setpoint secret set NAME, and write secret://NAME here

wrong.yaml:21:1: hsots is nothing that a file can hold
  21 | hsots: {}
     | ^^^^^
     = did you mean hosts?

error: 12 mistakes; nothing was changed
"""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plane]:
    with plane(tmp_path_factory.mktemp("here")) as found:
        yield found


@pytest.fixture
def real(here: Plane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return here.setpoint


def test_every_mistake_of_a_file_is_shown_at_once_with_its_caret(real: Shell) -> None:
    real("apply", "-f", "-", "--yes", "--no-wait", stdin="organizations: {acme: {}}")
    Path("wrong.yaml").write_text(WRONG)
    for verb in ("plan", "diff", "apply"):
        found = real(verb, "-f", "wrong.yaml")
        assert (found.code, found.out) == (2, "")
        assert found.err == GOLDEN
        assert KEY not in found.err


DNS = """\
organization: acme
project: web
projects: {web: {}}
providers:
  hetzner: {family: hetzner_cloud, credential: secret://hetzner}
dns_zones:
  main: {provider: hetzner, domain: records.example}
dns_records:
  a1: {zone: main, name: www, type: A, values: [192.0.2.1, 300.1.2.3], ttl: 5}
  spf: {zone: main, name: "@", type: TXT, values: ["v=spf1 -all"]}
  www: {zone: main, name: WWW, type: CNAME, values: [web.example.net]}
"""


def test_values_of_records_are_judged_in_files_at_their_place(real: Shell) -> None:
    real("apply", "-f", "-", "--yes", "--no-wait", stdin="organizations: {acme: {}}")
    Path("dns.yaml").write_text(DNS)
    for verb in ("plan", "diff", "apply"):
        found = real(verb, "-f", "dns.yaml")
        assert (found.code, found.out) == (2, "")
        assert [line.split(": ")[0] for line in found.err.splitlines() if line.startswith("dns.yaml")] == [
            "dns.yaml:9:26",
            "dns.yaml:9:60",
            "dns.yaml:9:77",
            "dns.yaml:11:27",
            "dns.yaml:11:54",
        ], found.err
        assert "300.1.2.3 is not an IPv4 address; write four numbers from 0 to 255" in found.err
        assert "dns_record a1" in found.err


def test_both_forms_and_the_kubernetes_envelope_ask_for_the_same(real: Shell) -> None:
    Path("short.yaml").write_text(SHORT)
    Path("long.yaml").write_text(KUBERNETES)
    forms = [json.loads(real("fmt", "-f", name, "-o", "json").out) for name in ("short.yaml", "long.yaml")]
    assert forms[0] == forms[1]
    assert len(forms[0]["items"]) == 7
    assert real("apply", "-f", "short.yaml", "--yes", "--no-wait", "--owner", "x").code == 0
    assert real("diff", "-f", "long.yaml", "--owner", "x", "--prune").code == 0
    assert real("fmt", "-f", "long.yaml", "--short").out == real("fmt", "-f", "short.yaml", "--short").out


@settings(
    max_examples=10, deadline=None, suppress_health_check=list(HealthCheck), print_blob=False, database=None
)
@given(organizations())
def test_the_long_form_of_a_short_form_is_what_it_was(here: Plane, made: tuple[str, list[AnyJson]]) -> None:
    name, items = made
    for item in items[1:]:
        item["metadata"]["organization"] = name
    text = json.dumps({"items": items})
    long = here.setpoint("fmt", "-f", "-", stdin=text).out
    short = here.setpoint("fmt", "-f", "-", "--short", stdin=text).out
    assert here.setpoint("fmt", "-f", "-", stdin=short).out == long
    assert here.setpoint("fmt", "-f", "-", "--short", stdin=long).out == short


def test_variables_and_for_each_make_plain_declarations(real: Shell) -> None:
    Path("fleet.yaml").write_text(
        """\
organization: acme
project: shop
workspace: prod
variables: {size: cx22, racks: [1, 2], site: null}
hosts:
  web-${each}:
    for_each: ${racks}
    provider: hetzner
    size: ${size}
    labels: {rack: "r${each}", site: "${site}", note: "$${kept} ${size:-x}"}
  db-${each.key}:
    for_each: {a: cx32, b: cx42}
    provider: hetzner
    size: ${each.value}
    location: ${each.place:-nbg1}
"""
    )
    missing = real("fmt", "-f", "fleet.yaml")
    assert missing.code == 2
    assert "site has no value" in missing.err
    assert "--var site=VALUE" in missing.err
    assert "fleet.yaml:10:38:" in missing.err
    chosen = ("--var", "site=fsn", "--var", "size=cx52")
    made = json.loads(real("fmt", "-f", "fleet.yaml", *chosen, "-o", "json").out)
    by_name = {item["metadata"]["name"]: item for item in made["items"]}
    assert sorted(by_name) == ["db-a", "db-b", "web-1", "web-2"]
    assert by_name["web-2"]["spec"] == {"provider": "hetzner", "size": "cx52"}
    assert by_name["web-2"]["metadata"]["labels"] == {"rack": "r2", "site": "fsn", "note": "${kept} cx52"}
    assert by_name["db-b"]["spec"] == {"provider": "hetzner", "size": "cx42", "location": "nbg1"}
    unknown = real("fmt", "-f", "fleet.yaml", "--var", "sze=x")
    assert (unknown.code, "did you mean size?" in unknown.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("variables: [a]\nhosts: {}", "1:1: variables are values by name"),
        ("variables: {Each: 1}\nhosts: {}", "'Each' cannot name a variable"),
        ("hosts: {a: {for_each: 3}}", "for_each needs a list or a mapping"),
        ("hosts: {a: {for_each: [{x: 1}], size: 'b${each}'}}", "is a mapping, and cannot be part of a text"),
        ("hosts: {a: {for_each: [1], size: 'b${each.x y}'}}", "is no name"),
        ("hosts: [a]", "hosts are written by name"),
        ("hosts: {a: 1}", "the fields of host a were expected here"),
        ("items: [1]", "a declaration was expected here"),
        ("kind: hsot\nmetadata: {name: a}", "there is no such kind"),
    ],
)
def test_a_template_is_mended_where_it_is_wrong(real: Shell, text: str, says: str) -> None:
    found = real("fmt", "-f", "-", stdin=text)
    assert (found.code, says in found.err) == (2, True), found.err
    assert "stdin:" in found.err


def test_a_file_without_variables_is_taken_as_it_is(real: Shell) -> None:
    found = json.loads(
        real("fmt", "-f", "-", "-o", "json", stdin="organizations: {acme: {title: '${not} $${x}'}}").out
    )
    assert found["items"][0]["spec"]["title"] == "${not} $${x}"


def test_the_schema_knows_every_example_in_either_form(real: Shell) -> None:
    Path("out").mkdir()
    real("apply", "-f", "-", "--yes", "--no-wait", "--owner", "x", stdin=SHORT)
    assert real("export", "out", "-O", "acme").code == 0
    checker = jsonschema_rs.validator_for(json.loads(Path("out/.setpoint-schema.json").read_text()))
    for text in (SHORT, Path("out/acme.yaml").read_text(), Path("out/acme/shop.yaml").read_text()):
        (document,), _ = read(Source("file", text))
        assert [error.message for error in checker.iter_errors(document.value)] == []
    for kind in (kind for kind in ALL if not kind.by_machine):
        own = jsonschema_rs.validator_for(json.loads(real("explain", kind.name, "--schema").out))
        body = {"kind": kind.name, "metadata": {"name": "example"}, "spec": dict(kind.example)}
        assert own.is_valid(body)
        assert checker.is_valid(body)
        assert not own.is_valid({**body, "sepc": {}})
    assert not checker.is_valid({"hsots": {}})


def test_no_kind_has_a_field_that_the_short_form_means_otherwise() -> None:
    for kind in ALL:
        within = {each.plural for each in ALL if each.level == kind.name}
        assert {"labels", "protected", "for_each", *within}.isdisjoint(kind.spec.__struct_fields__)


def test_the_owner_of_a_folder_is_the_folder(real: Shell) -> None:
    real("apply", "-f", "-", "--yes", "--no-wait", stdin="organizations: {acme: {}}")
    for name in ("b", "a"):
        Path("dns").mkdir(exist_ok=True)
        Path(f"dns/{name}.yaml").write_text(f"organization: acme\nprojects: {{{name}: {{}}}}\n")
        assert real("apply", "-f", "dns", "--prune", "--yes", "--no-wait").code == 0
    shown = json.loads(real("get", "projects", "-O", "acme", "-o", "json").out)["items"]
    assert {each["metadata"]["owner"] for each in shown if each["metadata"]["name"] in "ab"} == {"dns"}


def test_every_field_of_every_kind_is_explained(real: Shell) -> None:
    catalogue = json.loads(real("kinds", "-o", "json").out)["items"]
    assert {kind["name"] for kind in catalogue} == {kind.name for kind in ALL}
    fields = [
        (kind["name"], field)
        for kind in catalogue
        for field in json.loads(real("explain", kind["name"], "-o", "json").out)["fields"]
    ]
    assert len(fields) > 30
    assert ("monitoring_object", "conditions.threshold") in [(kind, field["path"]) for kind, field in fields]
    for kind, field in fields:
        assert field["about"], (kind, field)
        assert field["type"] not in ("", "anything"), (kind, field)
        assert field["default"], (kind, field)
        told = real("explain", f"{kind}.{field['path']}").out
        assert field["about"] in told
        assert "  example  " in told, told
    mistyped = real("explain", "monitoring_object.conditions.treshold").err
    assert "did you mean conditions.threshold?" in mistyped


def test_a_name_that_was_almost_right_is_told(real: Shell) -> None:
    near = "organizations: {acme: {projects: {shop: {dns_zones: {main: {provider: hetzer, domain: a.org}}}}}}"
    provider = "hetzner: {family: hetzner_cloud, credential: 'secret://hetzner'}"
    text = f"{near}\n---\norganization: acme\nproviders: {{{provider}}}\n"
    assert "= did you mean hetzner?" in real("plan", "-f", "-", stdin=text).err
    for words, meant in (
        (("get", "hsots"), "hosts"),
        (("gte", "hosts"), "get"),
        (("get", "hosts", "--labls", "a=b"), "--labels"),
    ):
        assert f"did you mean {meant}?" in real(*words).err
