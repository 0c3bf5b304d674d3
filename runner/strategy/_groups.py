"""Groups of neighboring spans (sentences, paragraphs) that together have so many tokens at most."""

from __future__ import annotations

from collections.abc import Sequence

from runner.strategy.contract import Span
from runner.tokenizer.contract import Tokens


def groups(text: str, found: Sequence[Span], tokens: Tokens, most: int, max_tokens: int) -> list[list[Span]]:
    """Neighbors of `found` joined from the left while both limits hold; one that is too long stands alone.

    Args:
        text: of the document.
        found: spans in order.
        tokens: the run's tokenizer.
        most: spans in a group; 0: any number.
        max_tokens: tokens in a group, joined as it stands in the text.
    """
    counts = tokens.counts([text[s:e] for s, e in found]).tolist() if found else []
    return _fitting(text, _packed(found, counts, most or len(found), max_tokens), tokens, max_tokens)


def _packed(found: Sequence[Span], counts: Sequence[int], most: int, max_tokens: int) -> list[list[Span]]:
    """Groups of spans whose counts add up to `max_tokens` at most; a longer one stands alone."""
    out: list[list[Span]] = []
    room, left = 0, 0
    for span, count in zip(found, counts, strict=True):
        if not out or count > room or left == 0:
            out.append([])
            room, left = max_tokens, most
        out[-1].append(span)
        room -= count
        left -= 1
    return out


def _fitting(text: str, made: list[list[Span]], tokens: Tokens, max_tokens: int) -> list[list[Span]]:
    """`made`, halved where the joined text has more tokens than its parts together."""
    several = [g for g in made if len(g) > 1]
    if not several:
        return made
    counts = tokens.counts([text[g[0][0] : g[-1][1]] for g in several])
    over = {g[0] for g, n in zip(several, counts.tolist(), strict=True) if n > max_tokens}
    if not over:
        return made
    halved: list[list[Span]] = []
    for g in made:
        middle = len(g) // 2
        halved += [g[:middle], g[middle:]] if g[0] in over else [g]
    return _fitting(text, halved, tokens, max_tokens)
