"""Text from data as inert HTML: escaped, hidden characters as chips, gold marked, long text cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from runner.text import visible

Span = tuple[int, int]
"""Half open, in code points."""

FULL = 2_000
"""Characters shown of any one text."""
EXCERPT = 240
"""Characters shown of a chunk in a tree or a context; all of it stands once beside them."""
_LEAD = 60
"""Characters shown before the gold when an excerpt starts in the middle of a text."""
_CHIP = Markup('<span class="cp">{}</span>')
_MORE = Markup('<span class="cut">[… {} more characters]</span>')


def inert(text: str, keep: str = "\n\t") -> Markup:
    """`text` escaped; hidden characters (control, format, unassigned) outside `keep` are `U+202E` chips."""
    text = text.replace("\r\n", "\n")
    if text.translate({ord(c): " " for c in keep}).isprintable():
        return escape(text)
    return Markup("").join(escape(c) if visible(c, keep=keep) == c else _chip(c) for c in text)


def _chip(char: str) -> Markup:
    return _CHIP.format(f"U+{ord(char):04X}")


def data(value: object, limit: int = FULL) -> Markup:
    """A name, an id or a sentence from data, in `<bdi>` so that it cannot turn its surroundings round."""
    text = str(value)
    more = _MORE.format(f"{len(text) - limit:,}") if len(text) > limit else ""
    return Markup("<bdi>{}</bdi>{}").format(inert(text[:limit], keep=""), more)


def passage(text: str, gold: Sequence[Span], limit: int = FULL) -> Markup:
    """The first `limit` characters of `text`, gold marked, with the count of what was left out."""
    rest = len(text) - limit
    return Markup("<bdi>{}</bdi>{}").format(
        _marked(text, gold, 0, limit), _MORE.format(f"{rest:,}") if rest > 0 else ""
    )


def excerpt(text: str, gold: Sequence[Span], limit: int = EXCERPT) -> Markup:
    """At most `limit` characters of `text`, around its first gold if there is any."""
    if len(text) <= limit:
        return passage(text, gold, limit)
    start = max(0, min(gold[0][0] - _LEAD, len(text) - limit)) if gold else 0
    start = _word(text, start) if start else 0
    end = min(len(text), start + limit)
    left, right = ("[…] " if start else "", " […]" if end < len(text) else "")
    return Markup("{}<bdi>{}</bdi>{}").format(left, _marked(text, gold, start, end), right)


def _word(text: str, start: int) -> int:
    """The start of a word at or a little after `start`."""
    blank = text.find(" ", start - 1, start + 20)
    return start if blank < 0 else blank + 1


def _marked(text: str, gold: Sequence[Span], start: int, end: int) -> Markup:
    out, here = [], start
    end = min(end, len(text))
    for first, last in gold:
        a, b = max(first, here), min(last, end)
        if a < b:
            out += [inert(text[here:a]), Markup("<mark>{}</mark>").format(inert(text[a:b]))]
            here = b
    return Markup("").join([*out, inert(text[here:end])])


def union(spans: Iterable[Span]) -> list[Span]:
    """The spans merged where they touch, ascending."""
    out: list[Span] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def inside(spans: Iterable[Span], start: int, end: int) -> list[Span]:
    """What of `spans` lies in `[start, end)`, counted from `start`."""
    return [(max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and b > start]
