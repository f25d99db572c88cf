"""Objects and plans described in full: headings, indented values, small tables."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from setpoint.cli.listing import SYMBOLS, brief, symbol_of
from setpoint.cli.outline import lines as outlined
from setpoint.cli.outline import outline_of
from setpoint.cli.redact import redacted
from setpoint.cli.screen import Screen
from setpoint.cli.table import Column, lines
from setpoint.cli.text import clean, duration, folded, plural
from setpoint.cli.yaml_writer import dumped
from setpoint.client.resource import Object, seconds_of

AnyJson = Any
Body = Mapping[str, AnyJson]
LABEL: Final = 14


def described(found: Object, told: Body, screen: Screen, now: float) -> list[str]:
    """One object: what it is, what is wanted, how it stands, what happened last."""
    evidence = told.get("evidence") or {}
    return [
        screen.paint(f"{found.title}", "heading") + (f"  in {found.scope}" if str(found.scope) else ""),
        *_fields(screen, _metadata(found, now)),
        *_section(screen, "Spec", _yaml(found.spec)),
        *_section(screen, "Conditions", _conditions(found, screen, now)),
        *_section(screen, "Facts", _yaml(found.status.get("facts") or {})),
        *_section(screen, "Why", _chain(told, screen)),
        *_section(screen, "Last events", events(evidence.get("events") or (), screen, now)),
    ]


def described_plan(plan: Body, screen: Screen, now: float) -> list[str]:
    """One plan: everything it would do, and how it stands."""
    made = seconds_of(plan.get("created_at"))
    scope = "/".join(str(part) for part in (plan.get("metadata") or {}).values())
    about = f"{plan.get('kind')} {plan.get('name')}" if plan.get("kind") != "plan" else "a dry run"
    facts = {
        "state": str(plan.get("state", "")).upper(),
        "about": f"{about}" + (f"  in {scope}" if scope else ""),
        "wanted": f"{plan.get('desired', 0)} declared, {plan.get('actual', 0)} there now",
        "made": f"{duration(now - made)} ago" if made is not None else "",
        "decided by": brief(plan.get("decided_by")),
        "approved": _approved_in_part(plan),
        "note": brief(plan.get("note")) if plan.get("kind") != "plan" else "",
        "digest": brief(plan.get("digest")),
    }
    body = outlined(outline_of("Plan", plan), screen, full=True)
    return [screen.paint(f"plan {plan.get('id')}", "heading"), *_fields(screen, facts), "", *body]


def _approved_in_part(plan: Body) -> str:
    """How much of it a person said yes to, where something was left out."""
    agreed, asked = int(plan.get("agreed_count") or 0), int(plan.get("asked_count") or 0)
    if not 0 < agreed < asked:
        return ""
    later = "; the rest is asked about when that is done" if plan.get("state") == "approved" else ""
    return f"{agreed:,} of {plural(asked, 'item')}, {asked - agreed:,} left out{later}"


def events(found: Sequence[Body], screen: Screen, now: float) -> list[str]:
    """Newest last; each with its age, its sort and its sentence."""
    rows = [
        (_ago(event.get("at"), now), str(event.get("type", "")), str(event.get("message", "")))
        for event in sorted(found, key=lambda event: int(event.get("revision") or 0))
    ]
    room = None if screen.columns is None else screen.columns - 2
    return lines([Column("AGO"), Column("EVENT"), Column("MESSAGE", gives=True)], rows, room) if rows else []


def _metadata(found: Object, now: float) -> dict[str, str]:
    since = _ago(found.status.get("since"), now)
    behind = "" if found.observed_generation == found.generation else f", seen {found.observed_generation}"
    return {
        "state": f"{symbol_of(found)} {found.state}" + (f" since {since}" if since else ""),
        "reason": found.reason,
        "observed": _observed(found, now),
        "generation": f"{found.generation}{behind}",
        "labels": brief(found.metadata.get("labels") or {}),
        "protected": "yes" if found.metadata.get("protected") else "",
        "deleting": brief(found.metadata.get("deleting") or ""),
        "owner": found.owner,
        "age": _ago(found.metadata.get("created_at"), now),
        "ref": found.ref,
    }


def _observed(found: Object, now: float) -> str:
    """`3s ago, next in 27s`; empty for what no loop looks at."""
    last, due = (
        _ago(found.status.get("observed_at"), now),
        seconds_of(found.status.get("next_observation_at")),
    )
    if not last and due is None and not found.stale:
        return ""
    words = found.stale or (f"{last} ago" if last else "not yet")
    coming = "" if due is None else f", next in {duration(due - now)}" if due > now else ", next look due now"
    return words + coming


def _fields(screen: Screen, fields: Mapping[str, str]) -> list[str]:
    room = None if screen.columns is None else screen.columns - LABEL - 2
    shown = []
    for label, value in fields.items():
        first, *rest = folded(clean(value), room)
        if value:
            shown.append(f"  {screen.paint(f'{label:<{LABEL}}', 'dim')}{_stated(screen, first)}")
            shown += [" " * (LABEL + 2) + line for line in rest]
    return shown


def _stated(screen: Screen, value: str) -> str:
    word = next((word for word in value.split(" ")[:2] if word in SYMBOLS), "")
    return screen.paint(value, word) if word else value


def _section(screen: Screen, heading: str, body: Sequence[str]) -> list[str]:
    return ["", screen.paint(heading, "heading"), *(f"  {line}" for line in body)] if body else []


def _chain(told: Body, screen: Screen) -> list[str]:
    room = None if screen.columns is None else screen.columns - 2
    return [line for link in told.get("chain") or () for line in folded(clean(str(link)), room, 2)]


def _yaml(value: Body) -> list[str]:
    return dumped([redacted(dict(value))]).splitlines() if value else []


def _conditions(found: Object, screen: Screen, now: float) -> list[str]:
    rows = [
        (
            *(str(condition.get(key) or "") for key in ("type", "status", "reason")),
            _ago(condition.get("since"), now),
            str(condition.get("message") or ""),
        )
        for condition in found.status.get("conditions") or ()
    ]
    headings = ("TYPE", "STATUS", "REASON", "SINCE", "MESSAGE")
    columns = [Column(heading, gives=heading in ("REASON", "MESSAGE")) for heading in headings]
    room = None if screen.columns is None else screen.columns - 2
    return lines(columns, rows, room) if rows else []


def _ago(moment: AnyJson, now: float) -> str:
    at = seconds_of(moment)
    return duration(now - at) if at is not None else ""
