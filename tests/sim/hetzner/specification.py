"""The vendor's OpenAPI document, and whether a response is what it promises."""

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

FOLDER = os.environ.get("SETPOINT_SPECS")
DOCUMENT = "hetzner-cloud.openapi.json"
WHY_NOT = "SETPOINT_SPECS does not name a folder with hetzner-cloud.openapi.json"
AVAILABLE = FOLDER is not None and (Path(FOLDER) / DOCUMENT).is_file()


def mistakes(method: str, path: str, status: int, body: bytes) -> list[str]:
    """What is wrong with a response, in the words of the specification; nothing is the hoped-for answer."""
    template = template_of(path)
    if template is None:
        return [] if status == 404 else [f"{path} is not in the specification, yet answers {status}"]
    operation = document()["paths"][template].get(method.lower())
    if operation is None:
        return [] if status == 405 else [f"{method} {template} is not specified, yet answers {status}"]
    responses = operation["responses"]
    declared = next((key for key in (str(status), f"{str(status)[0]}xx") if key in responses), None)
    if declared is None:
        return [f"{method} {template} answers {status}, which is not in {list(responses)}"]
    if "content" not in responses[declared]:
        return [f"{method} {template} has a body with {status}"] if body else []
    errors = validator(template, method.lower(), declared).iter_errors(json.loads(body))
    return [f"{method} {path} {status}: {error.message} at {error.instance_path}" for error in errors]


def template_of(path: str) -> str | None:
    """The specified path that a requested one is an instance of; the most literal one wins."""
    fitting = [template for template, form in forms().items() if form.fullmatch(path)]
    return min(fitting, key=lambda template: template.count("{"), default=None)


@cache
def document() -> Mapping[str, Any]:
    assert FOLDER is not None
    loaded: Mapping[str, Any] = translated(json.loads((Path(FOLDER) / DOCUMENT).read_text()))
    return loaded


@cache
def forms() -> Mapping[str, re.Pattern[str]]:
    return {
        template: re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template)))
        for template in document()["paths"]
    }


@cache
def validator(template: str, method: str, status: str) -> Any:
    response = document()["paths"][template][method]["responses"][status]
    schema = response["content"]["application/json"]["schema"]
    return jsonschema_rs.Draft202012Validator(
        {**schema, "components": document()["components"]}, validate_formats=True
    )


def translated(schema: Any) -> Any:
    """OpenAPI 3.0 as JSON Schema: `nullable` is a word that only the former knows."""
    if isinstance(schema, list):
        return [translated(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: translated(part) for key, part in schema.items() if key != "nullable"}
    return {"anyOf": [inner, {"type": "null"}]} if schema.get("nullable") is True else inner
