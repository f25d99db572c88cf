"""The chart, rendered with values as somebody would give them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from deploy.templates import Renderer
from deploy.units import ROOT

AnyJson = Any
FOLDER = ROOT / "deploy" / "helm" / "setpoint"
CHART: AnyJson = yaml.safe_load((FOLDER / "Chart.yaml").read_text())
VALUES: AnyJson = yaml.safe_load((FOLDER / "values.yaml").read_text())
SCHEMA: AnyJson = json.loads((FOLDER / "values.schema.json").read_text())
RELEASE = "control"

GIVEN: dict[str, AnyJson] = {
    "default": {},
    "reached": {
        "ingress": {
            "enabled": True,
            "className": "nginx",
            "host": "setpoint.example.org",
            "annotations": {"example.org/body-size": "4m"},
        }
    },
    "closed": {"networkPolicy": {"enabled": True}, "credentials": {"secret": "accounts"}},
    "large": {
        "image": {"repository": "registry.example.org/setpoint", "tag": "0.1.7"},
        "services": {
            "api": {"replicas": 5},
            "scheduler": {"podAnnotations": {"prometheus.io/scrape": "true"}},
        },
        "settings": {"SETPOINT_HEARTBEAT_SECONDS": "30", "SETPOINT_INTERVALS": 'host=10,dns_zone="60"'},
    },
}


def merged(usual: AnyJson, given: AnyJson) -> AnyJson:
    """Maps are merged, all else replaced: as Helm does it."""
    if not isinstance(usual, dict) or not isinstance(given, dict):
        return given
    return {**usual, **{key: merged(usual.get(key), value) for key, value in given.items()}}


@cache
def _files() -> tuple[Renderer, dict[str, Any]]:
    renderer = Renderer()
    paths = sorted(path for path in (FOLDER / "templates").iterdir())
    return renderer, {path.name: renderer.add(path.read_text()) for path in paths}


def rendered(name: str) -> dict[str, str]:
    """Every file, as text."""
    renderer, files = _files()
    dot = {
        "Values": merged(VALUES, GIVEN[name]),
        "Chart": {"Name": CHART["name"], "AppVersion": CHART["appVersion"]},
        "Release": {"Name": RELEASE, "Namespace": "operations"},
    }
    shown = {file: block for file, block in files.items() if not file.startswith("_")}
    return {file: renderer.render(block, {"$": dot, ".": dot}) for file, block in shown.items()}


@cache
def manifests(name: str) -> tuple[AnyJson, ...]:
    """Every object, to be looked at and not to be changed."""
    texts = (text for file, text in rendered(name).items() if Path(file).suffix == ".yaml")
    return tuple(found for text in texts for found in yaml.safe_load_all(text) if found)
