"""`data check` of a data set too small to decide much: few questions, documents as short as chunks."""

from __future__ import annotations

import json

from command import Line
from dataset.native_folders import folder


def found(line: Line, questions: int, *words: str) -> dict[str, str]:
    """What is said, by lint, of one document of six words and one of twelve."""
    texts = ["one two three four five six", "a b c d e f g h i j k l"]
    folder(
        line.at / "set",
        documents=[{"doc_id": str(i), "text": t} for i, t in enumerate(texts)],
        queries=[{"query_id": f"q{i}", "text": f"What is number {i}?"} for i in range(questions)],
        gold=[{"query_id": f"q{i}", "doc_id": "0", "quote": "three"} for i in range(questions)],
    )
    said = line("data", "check", "set", "--json", *words)
    assert said.code == 0
    return {f["lint"]: f["what"] for f in json.loads(said.out)["findings"]}


def test_few_questions_are_said_to_be_few(line: Line) -> None:
    assert found(line, 29)["few questions"].startswith("29 questions have gold; with fewer than 30 only")


def test_enough_questions_are_enough(line: Line) -> None:
    assert "few questions" not in found(line, 30)


def test_documents_no_longer_than_a_chunk_are_counted(line: Line) -> None:
    said = found(line, 30)["documents as short as chunks"]
    assert said.startswith("2 of 2 documents fit a chunk of 200 units")


def test_documents_longer_than_a_chunk_are_no_matter(line: Line) -> None:
    assert "documents as short as chunks" not in found(line, 30, "--size", "6")
