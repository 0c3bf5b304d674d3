"""Answers on disk: kept at once, found by any process, apart by identity; a damaged segment is no answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from runner.answers import StoredAnswers
from runner.enrichment.contract import Answer
from runner.store import Store

ONE, TWO = Answer("Über Eulen.", "m", 10, 3), Answer("", "", 0, 0)


def _quiet(due: int) -> Callable[[int], object]:
    return lambda done: None


def _answers(
    at: Path, model: str = "m", progress: Callable[[int], Callable[[int], object]] = _quiet
) -> StoredAnswers:
    return StoredAnswers(Store(at), {"model": model}, progress)


def test_what_was_kept_is_found_by_another_process_of_the_same_identity(tmp_path: Path) -> None:
    here = _answers(tmp_path)
    assert here.known(["a", "b"]) == {}
    here.keep({"a": ONE})
    here.keep({"b": TWO})
    assert here.known(["a", "b", "c"]) == {"a": ONE, "b": TWO}
    assert _answers(tmp_path).known(["b", "c", "a"]) == {"a": ONE, "b": TWO}
    assert _answers(tmp_path, "other").known(["a"]) == {}


def test_books(tmp_path: Path) -> None:
    _answers(tmp_path).keep({"a": ONE})
    here = _answers(tmp_path)
    here.known(["a", "b"])
    here.keep({"b": Answer("x", "m", 5, 2)})
    assert here.facts() == {
        "deterministic": False, "answers": 2, "answers_new": 1, "prompt_tokens": 15, "completion_tokens": 5,
        "prompt_tokens_billed": 5, "completion_tokens_billed": 2,
    }  # fmt: skip
    assert here.billed == 7


def test_a_bar_counts_what_is_due(tmp_path: Path) -> None:
    _answers(tmp_path).keep({"a": ONE})
    opened: list[int] = []
    done: list[int] = []

    def progress(due: int) -> Callable[[int], object]:
        opened.append(due)
        return done.append

    here = _answers(tmp_path, progress=progress)
    here.known(["a", "b", "c", "b"])
    here.keep({"b": ONE})
    here.keep({"c": ONE})
    assert (opened, done) == ([2], [1, 1])
    _answers(tmp_path, progress=progress).known(["a"])
    assert opened == [2]  # nothing is due, no bar


def test_a_damaged_segment_is_set_aside(tmp_path: Path) -> None:
    _answers(tmp_path).keep({"a": ONE})
    (path,) = tmp_path.rglob("answers.json")
    path.write_text("{}", "utf-8")
    assert _answers(tmp_path).known(["a"]) == {}
    assert list((tmp_path / "damaged").iterdir())
