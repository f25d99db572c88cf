"""Organizations of any shape, for properties: every kind that people declare, with references that hold."""

import itertools
from typing import Any

from hypothesis import strategies as st

from setpoint.api.form import is_plain
from setpoint.kinds import ALL

AnyJson = Any
NOWHERE = "http://127.0.0.1:9/v1"
NAMES = st.from_regex(r"[a-z0-9]([a-z0-9._-]{0,8}[a-z0-9])?", fullmatch=True) | st.sampled_from(
    ("no", "null", "on", "1.5", "0x1f", "1e3", "2026-11-16", "true", "web-10", "web-2")
)
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=30) | st.sampled_from(
    ("", "no", "1:30", "${size}", "$${x}", "# not a comment", "a: b", " padded ", "two\nlines", "ü", "'", "-")
)
WORDS = TEXTS.filter(is_plain)
"""Names of labels are compared by people, so they are spelt in one way only."""
LABELS = st.dictionaries(WORDS, TEXTS, max_size=2)
_numbers = itertools.count(1)


def _thing(draw: Any, kind: str, name: str, spec: AnyJson, **scope: str) -> AnyJson:
    metadata: AnyJson = {"name": name, **scope}
    if draw(st.booleans()):
        metadata["labels"] = draw(LABELS)
    if draw(st.booleans()):
        metadata["protected"] = draw(st.booleans())
    return {"kind": kind, "metadata": metadata, "spec": spec}


@st.composite
def organizations(draw: Any) -> tuple[str, list[AnyJson]]:
    """A name that nobody has yet, and everything in it."""
    organization = f"org-{next(_numbers)}"
    limits = draw(st.dictionaries(st.sampled_from(("host", "dns_zone")), st.integers(50, 99), max_size=2))
    items = [
        _thing(draw, "organization", organization, {"title": draw(TEXTS), "limits": limits}),
        *_providers(draw),
        *_channels(draw),
    ]
    for project in {"shop": None, **dict.fromkeys(draw(st.lists(NAMES, unique=True, max_size=2)))}:
        items.append(_thing(draw, "project", project, {"title": draw(TEXTS)}))
        items += _zones(draw, project)
        items += _workspaces(draw, project)
        items += _watched(draw, project)
    return organization, [*items, *_others(items)]


def _providers(draw: Any) -> list[AnyJson]:
    spec = {"family": "hetzner_cloud", "credential": "secret://hetzner", "endpoint": NOWHERE}
    modes = st.sampled_from(("observe", "no-deletes"))
    return [_thing(draw, "provider", "hetzner", {**spec, "mode": draw(modes)})]


def _channels(draw: Any) -> list[AnyJson]:
    severities = st.lists(st.sampled_from(("info", "warning", "critical")), min_size=1, max_size=3)
    return [
        _thing(
            draw,
            "notification_channel",
            name,
            {"url": "http://127.0.0.1:9/", "secret": "secret://hooks", "severities": draw(severities)},
        )
        for name in draw(st.lists(NAMES, unique=True, max_size=2))
    ]


def _zones(draw: Any, project: str) -> list[AnyJson]:
    found = []
    for number in range(draw(st.integers(0, 2))):
        name = f"zone-{number}"
        spec = {"provider": "hetzner", "domain": f"zone{number}-{next(_numbers)}.example"}
        found.append(_thing(draw, "dns_zone", name, spec, project=project))
        for record in draw(st.lists(NAMES, unique=True, max_size=3)):
            value = draw(WORDS.filter(lambda text: text.strip() and not text.strip().startswith('"')))
            spec = {"zone": name, "name": f"r{len(found)}", "type": "TXT", "values": [value]}
            if draw(st.booleans()):
                spec["ttl"] = draw(st.integers(60, 9999))
            found.append(_thing(draw, "dns_record", f"{name}-{record}", spec, project=project))
    return found


def _workspaces(draw: Any, project: str) -> list[AnyJson]:
    found = []
    for name in draw(st.lists(NAMES, unique=True, max_size=2)):
        found.append(_thing(draw, "workspace", name, {"provider": "hetzner"}, project=project))
        scope = {"project": project, "workspace": name}
        for host in draw(st.lists(NAMES, unique=True, max_size=3)):
            spec = {"provider": "hetzner", "agent": draw(st.booleans())}
            found.append(_thing(draw, "host", host, spec, **scope))
        if draw(st.booleans()):
            group = {"provider": "hetzner", "desired": draw(st.integers(0, 3)), "cooldown_seconds": 0.5}
            found.append(_thing(draw, "scaling_group", "group", group, **scope))
    return found


def _watched(draw: Any, project: str) -> list[AnyJson]:
    found: list[AnyJson] = []
    for name in draw(st.lists(NAMES, unique=True, max_size=2)):
        spec: AnyJson = {"probe": "tcp", "target": "127.0.0.1:9", "timeout_seconds": 0.5}
        if draw(st.booleans()):
            limit = draw(st.floats(1, 500))
            spec["conditions"] = [{"parameter": "latency_ms", "operator": "<", "threshold": limit}]
        if found:
            spec["depends_on"] = [found[-1]["metadata"]["name"]]
        found.append(_thing(draw, "monitoring_object", name, spec, project=project))
    return found


def _others(items: list[AnyJson]) -> list[AnyJson]:
    """A kind that nobody thought of here comes by its own example; these speak of a project called shop."""
    known = {"organization", "project", "provider", "notification_channel", "dns_zone", "dns_record"}
    known |= {"workspace", "host", "scaling_group", "monitoring_object"}
    return [
        {"kind": kind.name, "metadata": {"name": "example"}, "spec": dict(kind.example)}
        for kind in ALL
        if kind.name not in known and not kind.by_machine and kind.level == "organization"
    ]
