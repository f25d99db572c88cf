"""A whole organization as files: what is exported and applied again changes nothing, here or elsewhere."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import postgres
from setpoint.cli.source import Source
from setpoint.cli.yaml_reader import read

from .conftest import Shell
from .fake import FakeApi, thing
from .organizations import organizations
from .planes import Plane, plane

AnyJson = Any
SEVERAL = settings(
    max_examples=3, deadline=None, suppress_health_check=list(HealthCheck), print_blob=False, database=None
)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plane]:
    with plane(tmp_path_factory.mktemp("here")) as found:
        yield found


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plane]:
    with plane(tmp_path_factory.mktemp("there")) as found:
        yield found


@SEVERAL
@given(organizations())
def test_an_export_applied_again_plans_nothing(here: Plane, made: tuple[str, list[AnyJson]]) -> None:
    name, items = made
    declare(here.setpoint, name, items)
    text = exported(here.setpoint, name)
    found = here.setpoint("diff", "-f", "-", "--owner", "test", stdin=text)
    assert (found.code, "in step" in found.err) == (0, True), found
    # Some of it may be HELD by now, which a plan says too.
    planned = json.loads(here.setpoint("plan", "-f", "-", "--owner", "test", "-o", "json", stdin=text).out)
    assert (planned["actions"], planned["declared"], planned["taken_over"]) == ([], [], []), planned
    dry = here.setpoint("diff", "-f", "-", "--owner", "test", "--prune", "-o", "json", stdin=text)
    assert (dry.code, json.loads(dry.out)["items"]) == (0, [])


@SEVERAL
@given(organizations())
def test_an_organization_that_moves_is_the_same_there(
    here: Plane, there: Plane, made: tuple[str, list[AnyJson]]
) -> None:
    name, items = made
    declare(here.setpoint, name, items)
    text = exported(here.setpoint, name)
    moved = there.setpoint("apply", "-f", "-", "--yes", "--no-wait", stdin=text)
    assert moved.code == 0, moved.err
    assert exported(there.setpoint, name) == text


def test_the_same_on_postgresql(here: Plane, tmp_path: Path) -> None:
    url = asyncio.run(postgres.database())
    try:
        with plane(tmp_path, database=url, allow_unsafe_database=True) as large:
            declare(here.setpoint, "org-pg", SMALL)
            text = exported(here.setpoint, "org-pg")
            moved = large.setpoint("apply", "-f", "-", "--yes", "--no-wait", stdin=text)
            assert moved.code == 0, moved.err
            assert exported(large.setpoint, "org-pg") == text
            assert large.setpoint("plan", "-f", "-", stdin=text).code == 0
    finally:
        asyncio.run(postgres.drop(url))


SMALL = [
    {"kind": "organization", "metadata": {"name": "org-pg"}, "spec": {"title": "A & B"}},
    {"kind": "project", "metadata": {"name": "shop", "labels": {"team": "no"}}, "spec": {}},
    {
        "kind": "provider",
        "metadata": {"name": "hetzner"},
        "spec": {
            "family": "hetzner_cloud",
            "credential": "secret://hetzner",
            "endpoint": "http://127.0.0.1:9/v1",
        },
    },
    {
        "kind": "dns_zone",
        "metadata": {"name": "main", "project": "shop"},
        "spec": {"provider": "hetzner", "domain": "example.org"},
    },
]


def test_files_are_split_by_project_and_name_their_schema(here: Plane, tmp_path: Path) -> None:
    items = [{**item, "metadata": {**item["metadata"]}} for item in SMALL]
    items[0]["metadata"]["name"] = "split"
    items[-1]["spec"] = {**items[-1]["spec"], "domain": "split.example"}
    declare(here.setpoint, "split", items)
    (tmp_path / "old.yaml").write_text("")
    done = here.setpoint("export", str(tmp_path), "-O", "split")
    assert (done.code, "left as it is" in done.err) == (0, True)
    assert sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.*")) == [
        ".setpoint-schema.json",
        "old.yaml",
        "split.yaml",
        "split/shop.yaml",
    ]
    inside = (tmp_path / "split" / "shop.yaml").read_text()
    assert inside.startswith(
        "# yaml-language-server: $schema=../.setpoint-schema.json\norganization: split\n"
    )
    found = here.setpoint(
        "plan", "-f", str(tmp_path / "split.yaml"), "-f", str(tmp_path / "split"), "--owner", "test"
    )
    assert (found.code, "in step" in found.out) == (0, True), found.out


def test_what_machines_and_groups_declare_is_left_out(setpoint: Shell, api: FakeApi) -> None:
    group = thing("host", "group")
    api.objects += [
        group,
        thing("host", "web-1", owner=group["metadata"]["ref"]),
        thing("host", "going", deleting="withdrawn"),
        thing("dns_zone", "main", "acme/shop"),
    ]
    text = setpoint("export").out
    assert "web-1" not in text
    assert "going" not in text
    assert "ref:" not in text
    assert "status" not in text
    (organization, inside, rest), wrong = read(Source("export", text))
    assert not wrong
    assert list(organization.value["organizations"]) == ["acme"]
    assert inside.value == {"organization": "acme", "project": "shop", "dns_zones": {"main": {}}}
    assert rest.value["workspace"] == "prod"
    assert setpoint("diff", "-f", "-", stdin=text).code == 0


def declare(shell: Shell, organization: str, items: list[AnyJson]) -> None:
    text = json.dumps({"items": items})
    done = shell("apply", "-f", "-", "-O", organization, "--owner", "test", "--yes", "--no-wait", stdin=text)
    assert done.code == 0, done.err


def exported(shell: Shell, organization: str) -> str:
    """Without the first line, which says where this installation serves its schema."""
    found = shell("export", "-O", organization)
    assert found.code == 0, found.err
    first, _, rest = found.out.partition("\n")
    assert first.startswith("# yaml-language-server: $schema=http")
    return rest
