"""The Markdown of our own pages as HTML: headings, paragraphs, lists, tables, code, pictures, nothing raw."""

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Final

from msgspec import Struct

Linked = Callable[[str], str]
"""Where a link of a page leads, from what stands in its brackets."""
FENCE: Final = re.compile(r"```(\w*)\s*$")
HEADING: Final = re.compile(r"(#{1,6}) (.+)$")
ITEM: Final = re.compile(r"(-|\d+\.) (.*)$")
ROW: Final = re.compile(r"\|.*\|\s*$")
CELL: Final = re.compile(r"(?<!\\)\|")
INLINE: Final = re.compile(
    r"`(?P<code>[^`]+)`"
    r"|!\[(?P<shows>[^\]]*)\]\((?P<picture>[^)\s]+)\)"
    r"|\[(?P<text>[^\]]+)\]\((?P<to>[^)\s]+)\)"
    r"|\*\*(?P<bold>.+?)\*\*"
    r"|\*(?P<slanted>[^*\s][^*]*)\*"
)
FRONT: Final = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


class Section(Struct, frozen=True):
    """What stands under one heading."""

    heading: str
    anchor: str
    text: str


def html(text: str, linked: Linked = str) -> str:
    """The page without what stands before its title."""
    return "\n".join(_blocks(FRONT.sub("", text).splitlines(), linked))


def sections(text: str) -> Iterator[Section]:
    """A page in the parts by which it is found."""
    heading, body, fenced = "", [], False
    for line in FRONT.sub("", text).splitlines():
        fenced ^= bool(FENCE.match(line.strip()))
        found = None if fenced else HEADING.match(line)
        if found is None:
            body.append(line)
            continue
        if heading:
            yield Section(heading, anchor(heading), "\n".join(body).strip())
        heading, body = plain(found[2]), []
    if heading:
        yield Section(heading, anchor(heading), "\n".join(body).strip())


def anchor(heading: str) -> str:
    """As links to a part of a page write it."""
    kept = re.sub(r"[^\w\- ]", "", plain(heading).lower())
    return re.sub(r"\s+", "-", kept.strip())


def plain(text: str) -> str:
    """A line without its marks."""
    return INLINE.sub(
        lambda found: next(filter(None, found.group("code", "shows", "text", "bold", "slanted")), ""), text
    )


def inline(text: str, linked: Linked = str) -> str:
    """Code, links and emphasis inside a line; everything else is text."""
    parts, at = [], 0
    for found in INLINE.finditer(text):
        parts += [escape(text[at : found.start()]), _marked(found, linked)]
        at = found.end()
    return "".join([*parts, escape(text[at:])])


def _marked(found: re.Match[str], linked: Linked) -> str:
    if found["code"] is not None:
        return f"<code>{escape(found['code'])}</code>"
    if found["picture"] is not None:
        return f'<img src="{escape(linked(found["picture"]))}" alt="{escape(found["shows"])}" loading="lazy">'
    if found["text"] is not None:
        return f'<a href="{escape(linked(found["to"]))}">{inline(found["text"], linked)}</a>'
    if found["bold"] is not None:
        return f"<strong>{inline(found['bold'], linked)}</strong>"
    return f"<em>{inline(found['slanted'], linked)}</em>"


def _blocks(lines: Sequence[str], linked: Linked) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif FENCE.match(line.strip()):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].strip() == "```"), len(lines))
            yield _code(lines[at + 1 : end], len(line) - len(line.lstrip()))
            at = end + 1
        elif heading := HEADING.match(line):
            level = len(heading[1])
            yield f'<h{level} id="{anchor(heading[2])}">{inline(heading[2], linked)}</h{level}>'
            at += 1
        else:
            end = _end(lines, at)
            yield _group(lines[at:end], linked)
            at = end


def _code(lines: Sequence[str], indent: int) -> str:
    body = "\n".join(line[indent:] if line[:indent].isspace() or not indent else line for line in lines)
    return f"<pre><code>{escape(body)}</code></pre>"


def _end(lines: Sequence[str], start: int) -> int:
    """Where a paragraph, a table or a whole list ends."""
    listed = bool(ITEM.match(lines[start]))
    for at in range(start + 1, len(lines)):
        line = lines[at]
        if HEADING.match(line) or (FENCE.match(line.strip()) and not (listed and line.startswith(" "))):
            return at
        if not line.strip() and not (listed and _goes_on(lines, at + 1)):
            return at
        if not listed and ITEM.match(line):
            return at
    return len(lines)


def _goes_on(lines: Sequence[str], at: int) -> bool:
    """Whether what follows an empty line still belongs to the list."""
    return at < len(lines) and (lines[at].startswith("  ") or bool(ITEM.match(lines[at])))


def _group(lines: Sequence[str], linked: Linked) -> str:
    if all(ROW.match(line) for line in lines) and len(lines) > 1:
        return _table(lines, linked)
    if ITEM.match(lines[0]):
        return _list(lines, linked)
    return f"<p>{inline(' '.join(line.strip() for line in lines), linked)}</p>"


def _table(lines: Sequence[str], linked: Linked) -> str:
    head, _, *rows = (
        [cell.strip().replace("\\|", "|") for cell in CELL.split(line.strip()[1:-1])] for line in lines
    )
    top = "".join(f"<th>{inline(cell, linked)}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(f'<td>{inline(cell, linked)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _list(lines: Sequence[str], linked: Linked) -> str:
    """Items with all that is written under them."""
    items: list[list[str]] = []
    for line in lines:
        found = ITEM.match(line)
        if found:
            items.append([found[2]])
        else:
            items[-1].append(line)
    tag = "ul" if lines[0].startswith("-") else "ol"
    return f"<{tag}>{''.join(f'<li>{_item(each, linked)}</li>' for each in items)}</{tag}>"


def _item(lines: Sequence[str], linked: Linked) -> str:
    width = min((len(each) - len(each.lstrip()) for each in lines[1:] if each.strip()), default=0)
    inner = "\n".join(_blocks([lines[0], *(line[width:] for line in lines[1:])], linked))
    single = inner.count("<p>") == 1 and inner.startswith("<p>")
    return inner.replace("<p>", "", 1).replace("</p>", "", 1) if single else inner
