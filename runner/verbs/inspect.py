"""`inspect chunks | query | neighbors | diff`: opens a view of a run, as text or JSON. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from runner import named
from runner.errors import RequestError, did_you_mean
from runner.inspector import chunks, diff, neighbors, query, text_chunks, text_others, text_query
from runner.inspector.forms import Block
from runner.inspector.json_form import View, value
from runner.inspector.stored import Stored
from runner.verbs import live
from runner.verbs.arguments import Answer, Given, outputs_of, parsed, rendered

USAGE = "say: python -m runner inspect chunks DOC, query TEXT, neighbors CHUNK, or diff RUN_A RUN_B [QUERY]"
_FLAGS = {
    "chunks": ["--boundaries", "--health"],
    "query": ["--explain", "--show-misses", "--execute"],
    "neighbors": ["--re-embed"],
    "diff": [],
}
_TOP = 8
"""Neighbors of each kind."""
Shown = tuple[View, Callable[[int], Iterable[Block]]]
"""A view, and its blocks for a width."""


def inspect(words: Sequence[str]) -> Answer:
    """What the words after `inspect` ask for."""
    verbs: dict[str, Callable[[Sequence[str], Given, Path], Shown]] = {
        "chunks": _chunks, "query": _query, "neighbors": _neighbors, "diff": _diff,
    }  # fmt: skip
    if not words:
        raise RequestError(USAGE)
    verb = words[0]
    if verb not in verbs:
        raise RequestError(f"there is no view '{verb}'; {did_you_mean(verb, verbs)}")
    values = [
        *([] if verb == "diff" else ["--run"]),
        *(["--top"] if verb == "neighbors" else []),
    ]
    rest, given = parsed(words[1:], ["--plain", *_FLAGS[verb]], values)
    view, blocks = verbs[verb](rest, given, outputs_of(given))
    if "--json" in given:
        return Answer("", value(view))
    return Answer(rendered(blocks, plain="--plain" in given), None)


def _chunks(words: Sequence[str], given: Given, outputs: Path) -> Shown:
    healthy = "--health" in given
    (doc_id,) = _words(words, "chunks DOC", 0 if healthy else 1, 1)
    stored = _stored(given, outputs)
    source, now = live.source(stored.run)
    borders = "--boundaries" in given
    view = chunks.view(stored, source, now, doc_id, borders=borders, healthy=healthy)
    return view, lambda width: text_chunks.blocks(view)


def _query(words: Sequence[str], given: Given, outputs: Path) -> Shown:
    (said,) = _words(words, "query TEXT", 1, 1)
    stored = _stored(given, outputs)
    text, notes = _as_text(str(said))
    known = live.asked_before(stored.run, text)
    if known is None or "--execute" in given:
        asked: dict[str, Any] = {"text": text} if known is None else {"query_id": known}
        done = live.executed(stored.run, **asked)
    else:
        done = query.recorded(stored.run, known)
    explain, misses = "--explain" in given, "--show-misses" in given
    legs = live.legs(stored.run) if explain else None
    weights = live.weights(stored, legs, done) if legs else {}
    view = query.view(stored, done, weights, misses=misses, notes=notes)
    return view, lambda width: text_query.blocks(view, width, explain=explain)


def _as_text(said: str) -> tuple[str, list[str]]:
    """What was asked, as Unicode text: a command line can hold bytes that are none."""
    text = "".join("\N{REPLACEMENT CHARACTER}" if "\ud800" <= c <= "\udfff" else c for c in said)
    n = sum(a != b for a, b in zip(said, text, strict=True))
    return text, [f"{n} characters of the query were no Unicode text; each was read as U+FFFD"] if n else []


def _neighbors(words: Sequence[str], given: Given, outputs: Path) -> Shown:
    (chunk_id,) = _words(words, "neighbors CHUNK", 1, 1)
    stored = _stored(given, outputs)
    top = _number(given.get("--top", _TOP))
    chunk_id = str(chunk_id)
    neighbors.chunk_of(stored, chunk_id)
    anew = live.embedded_anew(stored, chunk_id) if "--re-embed" in given else None
    lexical = live.lexical(stored, live.legs(stored.run), chunk_id, top)
    view = neighbors.view(stored, chunk_id, top=top, anew=anew, lexical=lexical)
    return view, lambda width: text_others.neighbors(view, width)


def _number(raw: str | bool | int) -> int:
    if str(raw).isdecimal() and int(raw) > 0:
        return int(raw)
    raise RequestError(f"--top: '{raw}' is no whole number above 0")


def _diff(words: Sequence[str], given: Given, outputs: Path) -> Shown:
    a, b, asked = _words(words, "diff RUN_A RUN_B [QUERY]", 2, 3)
    sides = [named.open_run(outputs, str(ref)) for ref in (a, b)]
    stored = [Stored(r, live.facts(live.legs(r))) for r in sides]
    view = diff.view(stored[0], stored[1], asked)
    return view, lambda width: text_others.diff(view)


def _stored(given: Given, outputs: Path) -> Stored:
    run = named.open_run(outputs, str(given.get("--run", "latest")))
    return Stored(run, live.facts(live.legs(run)))


def _words(words: Sequence[str], usage: str, least: int, most: int) -> list[str | None]:
    """The positional words, None for those left out."""
    if not least <= len(words) <= most:
        raise RequestError(f"say: python -m runner inspect {usage}")
    return [*words, *[None] * (most - len(words))]
