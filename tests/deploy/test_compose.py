"""The compose file and the image: valid, without secrets, and made of commands and settings that exist."""

import re
from pathlib import Path
from typing import Any

import compose_spec
import pytest
import yaml

from deploy.commands import parses
from deploy.units import ROOT
from setpoint import __version__
from setpoint.settings import Settings, read_settings
from setpoint.up import DRAIN_SECONDS

AnyJson = Any
FOLDER = ROOT / "deploy" / "compose"
TEXT = (FOLDER / "compose.yaml").read_text()
DOCKERFILE = (FOLDER / "Dockerfile").read_text()
FILLED = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")
OURS = ("api", "worker", "scheduler")
GIVEN = {"POSTGRES_PASSWORD": "a-long-word"}


def filled(text: str, environment: dict[str, str]) -> str:
    """Variables put in, as compose does it: `${A:-usual}`, and `${A:?why}` for one that must be set."""

    def value(found: re.Match[str]) -> str:
        name, sign, words = found.groups()
        if environment.get(name):
            return environment[name]
        if sign == "?":
            raise KeyError(f"{name}: {words}")
        return words or ""

    return FILLED.sub(value, text)


FILE: AnyJson = yaml.safe_load(filled(TEXT, GIVEN))
SERVICES: AnyJson = FILE["services"]


def parsed(file: AnyJson) -> compose_spec.PyCompose:
    """By a parser of others, which takes nothing that is not in the specification."""
    return compose_spec.PyCompose.from_yaml(yaml.safe_dump(file))


def test_the_file_keeps_to_the_compose_specification() -> None:
    assert set(parsed(FILE).service_names()) == set(SERVICES)


@pytest.mark.parametrize(
    "wrong",
    [
        {"helthcheck": {}},
        {"stop_grace_period": "30 seconds"},
        {"depends_on": {"postgres": {"condition": "healthy"}}},
        {"deploy": {"replicas": "two"}},
    ],
)
def test_the_specification_would_have_found_a_mistake(wrong: AnyJson) -> None:
    changed = {**FILE, "services": {**SERVICES, "api": {**SERVICES["api"], **wrong}}}
    with pytest.raises(ValueError, match=next(iter(wrong))):
        parsed(changed)


def test_nothing_starts_without_a_password() -> None:
    with pytest.raises(KeyError, match=r"POSTGRES_PASSWORD: set it in \.env"):
        filled(TEXT, {})


def test_every_variable_is_in_the_example_and_the_example_holds_no_secret() -> None:
    lines = (FOLDER / "env.example").read_text().splitlines()
    named = dict(line.lstrip("#").split("=", 1) for line in lines if re.match(r"#?[A-Z_]+=", line))
    assert {name for name, _, _ in FILLED.findall(TEXT)} == set(named)
    assert named["POSTGRES_PASSWORD"] == ""
    assert {".env", "settings.env", "secrets/"} <= set((FOLDER / ".gitignore").read_text().split())


@pytest.mark.parametrize("name", [*OURS, "check"])
def test_commands_and_settings_are_those_of_the_program(name: str) -> None:
    service = SERVICES[name]
    assert service["command"][0] == name
    assert parses(service["command"])
    known = {f"SETPOINT_{field.upper()}" for field in Settings.__struct_fields__}
    assert sorted(service["environment"].keys() - known) == []
    assert read_settings(service["environment"], {}).database.startswith("postgresql://setpoint:")


@pytest.mark.parametrize("name", OURS)
def test_each_service_says_whether_it_is_ready_and_has_time_to_stop(name: str) -> None:
    service = SERVICES[name]
    test = service["healthcheck"]["test"]
    assert f"127.0.0.1:{Settings().port}/readyz" in test[-1]
    compile(test[-1], "healthcheck", "exec")
    assert test[1] == "/opt/setpoint/bin/python"
    assert int(service["stop_grace_period"].removesuffix("s")) >= Settings().call_seconds + DRAIN_SECONDS + 5
    assert service["depends_on"] == {"postgres": {"condition": "service_healthy"}}


@pytest.mark.parametrize("name", [*OURS, "check"])
def test_containers_are_closed(name: str) -> None:
    service = SERVICES[name]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["ulimits"]["core"] == 0


def test_only_this_machine_reaches_the_api_and_nobody_the_database() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"api": ["127.0.0.1:7410:7410"]}
    assert SERVICES["postgres"]["networks"] == ["store"]
    assert FILE["networks"]["store"] == {"internal": True}


def test_the_api_does_not_see_what_opens_accounts() -> None:
    mounted = {name: " ".join(SERVICES[name]["volumes"]) for name in OURS}
    assert [name for name in OURS if "/secrets" in mounted[name]] == ["worker", "scheduler"]


def test_what_is_optional_starts_only_when_asked_for() -> None:
    profiles = {name: service["profiles"] for name, service in SERVICES.items() if "profiles" in service}
    assert profiles == {"check": ["tools"], "redis": ["redis"], "temporal": ["temporal"]}
    for name in profiles:
        assert [each for each in OURS if name in SERVICES[each]["depends_on"]] == []


def test_every_volume_and_network_is_declared() -> None:
    named = {volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", ())}
    assert {name for name in named if not name.startswith(".")} == set(FILE["volumes"])
    assert {name for service in SERVICES.values() for name in service["networks"]} == set(FILE["networks"])


def test_the_image_is_of_this_version_and_built_from_here() -> None:
    assert SERVICES["api"]["image"] == f"setpoint:{__version__}"
    build = SERVICES["api"]["build"]
    context = (FOLDER / build["context"]).resolve()
    assert context == ROOT
    assert (context / build["dockerfile"]).is_file()


def test_the_image_copies_what_is_there_and_lets_in_only_that() -> None:
    lines = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    copied = [path for line in lines for path in line.split()]
    assert [path for path in copied if not (ROOT / path).exists()] == []
    admitted = re.findall(r"^!(.+)$", (FOLDER / "Dockerfile.dockerignore").read_text(), re.MULTILINE)
    assert {Path(path).parts[0] for path in copied} == set(admitted)


def test_the_image_runs_our_command_as_nobody_special() -> None:
    assert re.findall(r"^USER (.+)$", DOCKERFILE, re.MULTILINE) == ["10001:10001"]
    assert 'ENTRYPOINT ["/opt/setpoint/bin/setpoint"]' in DOCKERFILE
    assert "--require-hashes" in DOCKERFILE
    assert f"EXPOSE {Settings().port}" in DOCKERFILE
