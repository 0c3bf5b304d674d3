"""Rebuild the knowledge graph of the guide: `python tests/dataset/build_guide_kg.py [TARGET_FOLDER]`.

Run it after every edit of a page. It reads the pages and the hand-written list `guide_kg_source.json` beside
this file and writes `mentions.jsonl`, `nodes.jsonl` and `edges.jsonl`, byte for byte the same for the same
input. A name that occurs on no page, an edge without an evidence sentence and an ambiguous anchor are errors,
so a stale list cannot go unnoticed.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GUIDE = HERE.parents[1] / "runner" / "dataset" / "guide"
SOURCE = HERE / "guide_kg_source.json"

IN_CODE = 0.8
"""A name inside a fenced listing counts for less: it may be a variable rather than the concept."""
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"(\[])")
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)


class SourceError(ValueError):
    """The hand-written list and the pages no longer agree."""


@dataclass(frozen=True, slots=True)
class Name:
    """One way of writing a concept."""

    words: str
    node_id: str
    confidence: float

    def pattern(self) -> str:
        """Whole words only; lower-case names also match capitalised ones, and plain words their plural."""
        body = re.escape(self.words)
        if self.words == self.words.lower():
            plural = "s?" if re.fullmatch(r"[a-z -]+", self.words) else ""
            body = f"(?i:{body}{plural})"
        return rf"(?<!\w){body}(?!\w)"


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where a concept is named: half-open span in Unicode code points of the page."""

    doc_id: str
    start: int
    end: int
    text: str
    node_id: str
    confidence: float


def find_mentions(doc_id: str, text: str, names: list[Name]) -> list[Mention]:
    """All non-overlapping names of a page in reading order; the longest name wins."""
    ordered = sorted(names, key=lambda name: (-len(name.words), name.words, name.node_id))
    matcher = re.compile("|".join(f"(?P<n{i}>{name.pattern()})" for i, name in enumerate(ordered)))
    fences = [match.span() for match in FENCE.finditer(text)]
    found = []
    for match in matcher.finditer(text):
        name = ordered[int(str(match.lastgroup)[1:])]
        in_code = any(start <= match.start() < end for start, end in fences)
        confidence = round(name.confidence * (IN_CODE if in_code else 1.0), 3)
        found.append(Mention(doc_id, match.start(), match.end(), match.group(), name.node_id, confidence))
    return found


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans of sentences; a line break always ends one, as do table rows and list items."""
    spans = []
    for line in re.finditer(r"[^\n]+", text):
        start = line.start()
        for gap in SENTENCE_END.finditer(line.group()):
            spans.append((start, line.start() + gap.start()))
            start = line.start() + gap.end()
        spans.append((start, line.end()))
    return spans


def evidence(edge: dict[str, Any], text: str, mentions: list[Mention]) -> tuple[int, int]:
    """The sentence around the anchor or, without one, the first sentence that names both ends."""
    what = f"edge {edge['source']} -> {edge['target']} ({edge['doc']})"
    spans = sentences(text)
    if "anchor" in edge:
        if text.count(edge["anchor"]) != 1:
            raise SourceError(f"{what}: anchor {edge['anchor']!r} occurs {text.count(edge['anchor'])} times")
        at = text.index(edge["anchor"])
        return next((start, end) for start, end in spans if start <= at < end)
    for start, end in spans:
        here = {mention.node_id for mention in mentions if start <= mention.start and mention.end <= end}
        if {edge["source"], edge["target"]} <= here:
            return start, end
    raise SourceError(f"{what}: no sentence names both; give the edge an anchor")


def build(guide: Path, source: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Rows of the three files, keyed by file name."""
    nodes = sorted(source["nodes"], key=lambda node: node["node_id"])
    types = {node["node_id"]: node["type"] for node in nodes}
    names = [Name(words, node["node_id"], conf) for node in nodes for words, conf in node["names"]]
    pages = {path.name: path.read_bytes().decode("utf-8") for path in sorted((guide / "pages").glob("*.md"))}
    by_page = {doc_id: find_mentions(doc_id, text, names) for doc_id, text in pages.items()}

    rows: list[dict[str, Any]] = []
    members: dict[str, list[str]] = {node_id: [] for node_id in types}
    for number, mention in enumerate((m for found in by_page.values() for m in found), start=1):
        mention_id = f"m{number:05d}"
        members[mention.node_id].append(mention_id)
        rows.append({"mention_id": mention_id, "doc_id": mention.doc_id, "start": mention.start,
                     "end": mention.end, "text": mention.text, "entity_type": types[mention.node_id],
                     "confidence": mention.confidence})  # fmt: skip
    silent = sorted(node_id for node_id, ids in members.items() if not ids)
    if silent:
        raise SourceError(f"never named on any page: {', '.join(silent)}")

    edges: list[dict[str, Any]] = []
    for edge in sorted(source["edges"], key=lambda row: (row["source"], row["target"], row["label"])):
        doc_id = f"{edge['doc']}.md"
        for end in (edge["source"], edge["target"]):
            if end not in types:
                raise SourceError(f"edge {edge['source']} -> {edge['target']}: no node {end!r}")
        if doc_id not in pages:
            raise SourceError(f"edge {edge['source']} -> {edge['target']}: no page {doc_id!r}")
        start, stop = evidence(edge, pages[doc_id], by_page[doc_id])
        edges.append({"source": edge["source"], "label": edge["label"], "target": edge["target"],
                      "confidence": edge["confidence"],
                      "evidence": [{"doc_id": doc_id, "start": start, "end": stop}]})  # fmt: skip
    return {
        "mentions.jsonl": rows,
        "nodes.jsonl": [
            {"node_id": node["node_id"], "label": node["label"], "type": node["type"],
             "mention_ids": members[node["node_id"]], "confidence": node["confidence"]}
            for node in nodes
        ],
        "edges.jsonl": edges,
    }  # fmt: skip


def write(target: Path, guide: Path = GUIDE, source: Path = SOURCE) -> dict[str, int]:
    """Build and write the three files into the target folder; returns rows per file."""
    target.mkdir(parents=True, exist_ok=True)
    files = build(guide, json.loads(source.read_text(encoding="utf-8")))
    for name, rows in files.items():
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
        (target / name).write_bytes("".join(lines).encode("utf-8"))
    return {name: len(rows) for name, rows in files.items()}


if __name__ == "__main__":
    counts = write(Path(sys.argv[1]) if len(sys.argv) > 1 else GUIDE / "kg")
    sys.stdout.write(", ".join(f"{count} {name}" for name, count in counts.items()) + "\n")
