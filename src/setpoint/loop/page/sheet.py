"""The page of a running loop file, as HTML: pure, from values; whatever comes from outside is escaped."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from setpoint.cli.listing import SYMBOLS
from setpoint.cli.text import duration
from setpoint.loop.commands.outlook import Outlook, one_way, told
from setpoint.loop.page.style import CSS

REFRESH_SECONDS: Final = 3
RUNNING: Final = "run"


@dataclass(frozen=True, slots=True)
class Decision:
    """One pass on record: when, and what came of it."""

    at: float
    said: str


@dataclass(frozen=True, slots=True)
class Deed:
    """One act: when, what, and how it ended."""

    at: float
    what: str
    ended: str
    said: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """One loop as the page shows it."""

    about: str
    state: str
    reason: str
    since: float
    outlook: Outlook
    decisions: tuple[Decision, ...] = ()
    deeds: tuple[Deed, ...] = ()
    mode: str = RUNNING
    paused: str = ""
    """By whom and why."""

    @property
    def name(self) -> str:
        return self.outlook.loop


@dataclass(frozen=True, slots=True)
class Sheet:
    """The whole page."""

    file: str
    enforce: str
    """The command that makes it act; empty while it does."""
    now: float
    cards: tuple[Card, ...]
    token: str
    mode: str = RUNNING
    paused: str = ""


def html(sheet: Sheet) -> str:
    """The document. It works without scripts: it reloads itself, and its buttons are forms."""
    return "".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="refresh" content="{REFRESH_SECONDS}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(_title(sheet))}</title><style>{CSS}</style></head><body>",
            _header(sheet),
            "<main>",
            *(_card(card, sheet) for card in sheet.cards),
            "</main>",
            '<footer><a href="/metrics">metrics</a> · <a href="/livez">livez</a> · looks again every ',
            f"{REFRESH_SECONDS} s</footer></body></html>",
        ]
    )


def _title(sheet: Sheet) -> str:
    """The worst state first: it can be read from the tab."""
    states = [card.state for card in sheet.cards]
    worst = next((word for word in ("FAILED", "HELD", "DEGRADED", "PENDING") if word in states), "READY")
    return f"{SYMBOLS[worst]} {worst} · {sheet.file}"


def _header(sheet: Sheet) -> str:
    chip = '<span class="chip">enforcing</span>'
    if sheet.enforce:
        chip = '<span class="chip watch">observe only</span>'
    note = ""
    if sheet.mode != RUNNING:
        note = (
            f'<p class="banner">! everything is paused ({escape(sheet.mode)}) by {escape(sheet.paused)}</p>'
        )
    elif sheet.enforce:
        note = f'<p class="note">Nothing is changed. To let it act: <code>{escape(sheet.enforce)}</code></p>'
    button = _button(sheet, "", sheet.mode, "everything")
    return f"<header><h1>{escape(sheet.file)}</h1>{chip}<span class=grow></span>{button}</header>{note}"


def _card(card: Card, sheet: Sheet) -> str:
    age = duration(sheet.now - card.since) if card.since else ""
    since = f" <small>for {age}</small>" if age else ""
    paused = ""
    if card.mode != RUNNING:
        paused = f'<p class="banner">! paused ({escape(card.mode)}) by {escape(card.paused)}</p>'
    return "".join(
        [
            f'<section><div class="head"><h2>{escape(card.name)}</h2>',
            f'<span class="state {escape(card.state)}">{SYMBOLS.get(card.state, "?")} {escape(card.state)}',
            f"</span>{since}<span class=grow></span>{_button(sheet, card.name, card.mode, card.name)}</div>",
            f'<p class="about">{escape(card.about)}</p>' if card.about else "",
            paused,
            f'<p class="reason">{escape(card.reason)}</p>',
            _held(card.outlook),
            _diff(card.outlook),
            _table("Last passes that decided something", [(d.at, d.said) for d in card.decisions], sheet.now),
            _table("Last acts", [(d.at, d.what, d.ended, d.said) for d in card.deeds], sheet.now),
            "</section>",
        ]
    )


def _button(sheet: Sheet, loop: str, mode: str, called: str) -> str:
    verb = "pause" if mode == RUNNING else "resume"
    return (
        f'<form method="post" action="/{verb}">'
        f'<input type="hidden" name="token" value="{escape(sheet.token)}">'
        f'<input type="hidden" name="loop" value="{escape(loop)}">'
        f'<button class="{verb}">{verb.capitalize()} {escape(called)}</button></form>'
    )


def _held(outlook: Outlook) -> str:
    if not outlook.held:
        return ""
    rows = []
    for together in one_way(outlook.held):
        said = "<br>".join(f"<b>! {escape(each.guard)}</b> {escape(each.message)}" for each in together)
        commands = "".join(f"<code>{escape(command)}</code>" for command in together[-1].commands)
        rows.append(f"<li>{said}<span>{escape(together[-1].onward)}</span>{commands}</li>")
    return f'<h3>Held</h3><ul class="held">{"".join(rows)}</ul>'


def _diff(outlook: Outlook) -> str:
    gone, rest = told(outlook.actions)
    if not gone and not rest:
        return ""
    lines = "".join(_line(line) for line in (*gone, *rest))
    return f'<h3>Difference</h3><div class="diff" tabindex="0">{lines}</div>'


def _line(line: str) -> str:
    sort = {"+": "add", "~": "change", "±": "gone", "-": "gone"}.get(line[0], "")
    return f'<div class="{sort}">{escape(line)}</div>'


def _table(title: str, rows: Sequence[tuple[float, *tuple[str, ...]]], now: float) -> str:
    if not rows:
        return ""
    body = "".join(_row((f"{duration(now - at)} ago", *cells)) for at, *cells in rows)
    return f"<h3>{escape(title)}</h3><table>{body}</table>"


def _row(cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
