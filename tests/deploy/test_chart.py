"""The chart: Kubernetes takes every manifest; they agree with each other and with the program."""

import re
from typing import Any

import jsonschema_rs
import kubernetes_validate
import pytest

from deploy.chart import CHART, FOLDER, GIVEN, RELEASE, SCHEMA, VALUES, manifests, merged, rendered
from deploy.commands import parses
from deploy.templates import Renderer, Unknown
from setpoint import __version__
from setpoint.settings import Settings, read_settings
from setpoint.up import DRAIN_SECONDS

AnyJson = Any
EVERY = pytest.mark.parametrize("given", GIVEN)
VERSIONS = ("1.27.0", kubernetes_validate.latest_version())
"""The oldest that the chart admits, and the newest that is known here."""
SERVICES = ("api", "scheduler", "worker")


def of_kind(given: str, kind: str) -> dict[str, AnyJson]:
    return {each["metadata"]["name"]: each for each in manifests(given) if each["kind"] == kind}


def pods(given: str) -> dict[str, AnyJson]:
    """What the Deployments and the Job run, by component."""
    owners = (*of_kind(given, "Deployment").values(), *of_kind(given, "Job").values())
    return {
        each["metadata"]["labels"]["app.kubernetes.io/component"]: each["spec"]["template"] for each in owners
    }


def environment(container: AnyJson) -> dict[str, str]:
    return {each["name"]: each.get("value", "") for each in container["env"]}


@EVERY
@pytest.mark.parametrize("version", VERSIONS)
def test_every_manifest_is_one_that_kubernetes_takes(given: str, version: str) -> None:
    for manifest in manifests(given):
        kubernetes_validate.validate(manifest, version, strict=True)


@EVERY
def test_the_values_are_allowed_by_their_schema(given: str) -> None:
    jsonschema_rs.validator_for(SCHEMA).validate(merged(VALUES, GIVEN[given]))


@pytest.mark.parametrize(
    "wrong",
    [
        {"replicas": 3},
        {"services": {"api": {"replicas": 0}}},
        {"services": {"console": VALUES["services"]["api"]}},
        {"settings": {"SETPOINT_DATABASE": "postgresql://in:the@clear/x"}},
        {"settings": {"PORT": "1"}},
        {"settings": {"SETPOINT_PASSES_AT_ONCE": 16}},
        {"database": {"secret": "Not A Name"}},
    ],
)
def test_mistakes_in_values_are_refused(wrong: AnyJson) -> None:
    assert not jsonschema_rs.validator_for(SCHEMA).is_valid(merged(VALUES, wrong))


@EVERY
def test_each_service_has_its_deployment_and_its_budget(given: str) -> None:
    names = {f"{RELEASE}-{service}" for service in SERVICES}
    assert set(of_kind(given, "Deployment")) == set(of_kind(given, "PodDisruptionBudget")) == names
    assert set(of_kind(given, "Service")) == {f"{RELEASE}-api"}
    assert set(of_kind(given, "Job")) == {f"{RELEASE}-migrate"}


@EVERY
def test_selectors_find_the_pods_of_their_service_and_no_others(given: str) -> None:
    labels = {name: pod["metadata"]["labels"] for name, pod in pods(given).items()}
    for service in SERVICES:
        deployment = of_kind(given, "Deployment")[f"{RELEASE}-{service}"]["spec"]
        spread = deployment["template"]["spec"]["topologySpreadConstraints"][0]["labelSelector"]
        budget = of_kind(given, "PodDisruptionBudget")[f"{RELEASE}-{service}"]["spec"]["selector"]
        for selector in (deployment["selector"], spread, budget):
            assert found(selector["matchLabels"], labels) == [service]
    (front,) = of_kind(given, "Service").values()
    assert found(front["spec"]["selector"], labels) == ["api"]
    for policy in of_kind(given, "NetworkPolicy").values():
        assert found(policy["spec"]["podSelector"]["matchLabels"], labels) != []


@EVERY
def test_ports_are_named_where_they_are_used(given: str) -> None:
    (front,) = of_kind(given, "Service").values()
    for service in SERVICES:
        (container,) = pods(given)[service]["spec"]["containers"]
        (port,) = container["ports"]
        assert environment(container)["SETPOINT_PORT"] == str(port["containerPort"])
        probes = [container[f"{probe}Probe"]["httpGet"] for probe in ("startup", "liveness", "readiness")]
        assert [probe["path"] for probe in probes] == ["/livez", "/livez", "/readyz"]
        assert {probe["port"] for probe in probes} == {port["name"]}
        assert front["spec"]["ports"][0]["targetPort"] == port["name"]
    for entry in of_kind(given, "Ingress").values():
        (path,) = entry["spec"]["rules"][0]["http"]["paths"]
        backend = path["backend"]["service"]
        assert backend == {
            "name": front["metadata"]["name"],
            "port": {"name": front["spec"]["ports"][0]["name"]},
        }
        assert entry["spec"]["tls"][0]["hosts"] == [entry["spec"]["rules"][0]["host"]]


@EVERY
def test_commands_and_settings_are_those_of_the_program(given: str) -> None:
    known = {f"SETPOINT_{name.upper()}" for name in Settings.__struct_fields__}
    for name, pod in pods(given).items():
        (container,) = pod["spec"]["containers"]
        assert container["args"] == [name]
        assert parses(container["args"])
        assert sorted(environment(container).keys() - known) == []
        if given != "large":
            read_settings(environment(container), {})


@EVERY
def test_pods_keep_to_the_restricted_standard(given: str) -> None:
    for pod in pods(given).values():
        spec, (container,) = pod["spec"], pod["spec"]["containers"]
        assert spec["securityContext"]["runAsNonRoot"]
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert not spec["automountServiceAccountToken"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["resources"]["limits"]["memory"]


@EVERY
def test_kubernetes_adds_no_variables_that_would_pass_for_settings(given: str) -> None:
    assert {pod["spec"]["enableServiceLinks"] for pod in pods(given).values()} == {False}


@EVERY
def test_secrets_are_named_and_never_written_down(given: str) -> None:
    assert of_kind(given, "Secret") == {}
    for name, pod in pods(given).items():
        (container,) = pod["spec"]["containers"]
        (database,) = [each for each in container["env"] if each["name"] == "SETPOINT_DATABASE"]
        reference = database["valueFrom"]["secretKeyRef"]
        assert reference["key"] == VALUES["database"]["keys"][name]


def test_the_api_gets_the_token_and_no_credentials_the_others_the_reverse() -> None:
    volumes = {
        name: {each["name"] for each in pod["spec"].get("volumes", ())}
        for name, pod in pods("closed").items()
    }
    assert volumes == {
        "api": {"data", "tmp", "token"},
        "scheduler": {"data", "tmp", "credentials"},
        "worker": {"data", "tmp", "credentials"},
        "migrate": set(),
    }


@EVERY
def test_the_master_key_is_for_those_who_open_secrets(given: str) -> None:
    named = {
        name: [
            each["valueFrom"]["secretKeyRef"]
            for each in pod["spec"]["containers"][0]["env"]
            if each["name"] == "SETPOINT_MASTER_KEY"
        ]
        for name, pod in pods(given).items()
    }
    there = [{"name": VALUES["masterKey"]["secret"], "key": "key"}]
    assert named == {"api": [], "migrate": [], "worker": there, "scheduler": there}


def test_the_api_may_not_call_providers_where_policies_are_on() -> None:
    policy = of_kind("closed", "NetworkPolicy")[f"{RELEASE}-api"]["spec"]
    ports = {port["port"] for rule in policy["egress"] for port in rule["ports"]}
    assert "Egress" in policy["policyTypes"]
    assert ports == {5432, 6379, 7233, 53}


@EVERY
def test_a_stop_waits_for_the_longest_call_and_the_draining(given: str) -> None:
    longest = Settings().call_seconds + DRAIN_SECONDS
    for service in SERVICES:
        assert pods(given)[service]["spec"]["terminationGracePeriodSeconds"] >= longest + 5


def test_values_reach_the_manifests() -> None:
    large = of_kind("large", "Deployment")
    assert large[f"{RELEASE}-api"]["spec"]["replicas"] == 5
    (container,) = large[f"{RELEASE}-worker"]["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "registry.example.org/setpoint:0.1.7"
    assert environment(container)["SETPOINT_INTERVALS"] == 'host=10,dns_zone="60"'
    annotations = large[f"{RELEASE}-scheduler"]["spec"]["template"]["metadata"]["annotations"]
    assert annotations == {"prometheus.io/scrape": "true"}
    (usual,) = pods("default")["api"]["spec"]["containers"]
    assert usual["image"] == f"setpoint:{__version__}"


def test_the_chart_has_the_version_of_the_program() -> None:
    assert (CHART["version"], CHART["appVersion"]) == (__version__, __version__)


def test_every_value_is_used_and_explained() -> None:
    text = "".join(path.read_text() for path in (FOLDER / "templates").iterdir())
    assert [key for key in VALUES if f".Values.{key}" not in text] == []
    assert "RELEASE-NAME" not in rendered("default")["NOTES.txt"]
    assert f"service/{RELEASE}-api 7410" in rendered("default")["NOTES.txt"]


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("a {{- if .Values.on }} b {{- end }} c", "a b c"),
        ("{{ if .Values.off }}b{{ else if .Values.on }}c{{ else }}d{{ end }}", "c"),
        ("{{ range $k, $v := .Values.map }}{{ $k }}={{ $v | quote }};{{ end }}", 'a="1";b="2";'),
        ('{{ .Values.none | default "x" }}{{/* nothing */}}', "x"),
        (
            '{{ define "it" }}\n1: {{ .Values.on }}\n{{ end }}x:{{ include "it" . | nindent 2 }}',
            "x:\n  1: true",
        ),
    ],
)
def test_our_renderer_does_what_go_does(template: str, text: str) -> None:
    dot = {"Values": {"on": True, "off": False, "none": "", "map": {"b": 2, "a": 1}}}
    renderer = Renderer()
    assert renderer.render(renderer.add(template), {"$": dot, ".": dot}) == text


@pytest.mark.parametrize(
    "template", ["{{ lookup .Values.on }}", "{{ with .Values.on }}{{ end }}", "{{ .Values.on | upper }}"]
)
def test_our_renderer_refuses_what_it_does_not_know(template: str) -> None:
    renderer = Renderer()
    with pytest.raises((Unknown, ValueError, IndexError)):
        renderer.render(renderer.add(template), {"$": {"Values": {"on": 1}}, ".": {"Values": {"on": 1}}})


def found(selector: dict[str, str], labels: dict[str, dict[str, str]]) -> list[str]:
    """Which pods a selector finds."""
    return sorted(name for name, have in labels.items() if selector.items() <= have.items())


def test_no_template_uses_a_value_that_is_not_there() -> None:
    used = set()
    for path in (FOLDER / "templates").iterdir():
        used |= set(re.findall(r"\.Values\.([\w.]+)", path.read_text()))
    for path in sorted(used):
        value = VALUES
        for step in path.split("."):
            value = value[step]
