"""The verb `export`: where files go, what is refused, what is left of a failure, ids that MLflow gave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import Line

from runner.errors import RequestError
from runner.export import forms, target
from runner.export.corpus import Corpus


@pytest.fixture
def recorded(line: Line) -> Line:
    """A sweep of two runs over the tiny data set: without vectors, with vectors."""
    assert line.fast("-m", "retrieval=bm25,hybrid").code == 0
    return line


def _key(line: Line, retrieval: str) -> str:
    keys = [p for p in line.runs() if _meta(line, p)["config"]["retrieval"]["name"] == retrieval]
    return keys[0]


def _meta(line: Line, key: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads((line.outputs / "runs" / key / "run.json").read_text("utf-8"))
    return body


def _files(at: Path) -> list[str]:
    return sorted(p.relative_to(at).as_posix() for p in at.rglob("*") if p.is_file())


def test_an_export_lies_in_outputs_by_the_name_of_the_run(recorded: Line) -> None:
    key = _key(recorded, "hybrid")
    for form in ("jsonl", "parquet", "trec"):
        said = recorded("export", key[:10], "--format", form)
        assert (said.code, said.err) == (0, "")
        assert f"written: outputs/exports/{key[:12]}" in said.out
    ours = recorded.outputs / "exports"
    assert _files(ours) == [
        f"{key[:12]}-trec/qrels.txt", f"{key[:12]}-trec/run.trec", f"{key[:12]}.jsonl", f"{key[:12]}.parquet",
    ]  # fmt: skip
    assert recorded("verify").code == 0  # an export is no artifact


def test_to_names_the_export_or_the_folder_it_goes_into(recorded: Line) -> None:
    (recorded.at / "mine").mkdir()
    short = _key(recorded, "hybrid")[:12]
    for where in ("new/deep/c.jsonl", "mine"):
        assert recorded("export", short, "--format=jsonl", "--to", where).code == 0
    for where in ("new/t", "mine"):
        assert recorded("export", short, "--format=trec", f"--to={where}").code == 0
    assert _files(recorded.at / "new") == ["deep/c.jsonl", "t/qrels.txt", "t/run.trec"]
    assert _files(recorded.at / "mine") == [
        f"{short}-trec/qrels.txt", f"{short}-trec/run.trec", f"{short}.jsonl",
    ]  # fmt: skip


def test_json_says_what_was_written(recorded: Line) -> None:
    key = _key(recorded, "bm25")
    said = recorded("export", key, "--format", "parquet", "--to", "c.parquet", "--json")
    assert json.loads(said.out) == {
        "path": "c.parquet", "format": "parquet", "run": key, "dataset": "native", "strategy": "fixed_size",
        "chunks": 6, "documents": 3, "chunks_with_header": 0,
    }  # fmt: skip
    said = recorded("export", key, "--format", "trec", "--json")
    assert json.loads(said.out) == {
        "path": f"outputs/exports/{key[:12]}-trec", "format": "trec",
        "unit": "chunk", "queries": 4, "judgments": 6, "hits": 6,
    }  # fmt: skip


WRONG = [
    ("", "say: python -m runner export [RUN] --format jsonl|parquet|trec"),
    ("latest latest --format jsonl", "say: python -m runner export [RUN]"),
    ("latest --format", "--format: needs a value"),
    (
        "latest --format parket",
        "--format: 'parket' is no choice; did you mean 'parquet'? Valid: jsonl, parquet",
    ),
    ("nosuchrun --format jsonl", "there is no run 'nosuchrun'; Valid: "),
    ("latest --format jsonl --context-columns", "--context-columns: goes with --format parquet"),
    ("latest --format trec --context-columns", "--context-columns: goes with --format parquet"),
    ("latest --format jsonl --to=", "--to: needs a value"),
    ("latest --format jsonl --too x", "there is no option '--too'; did you mean '--to'?"),
    ("latest --format jsonl --to there.txt", "export: 'there.txt' is there already and is not overwritten"),
    ("latest --format parquet --to there.txt", "export: 'there.txt' is there already"),
    ("latest --format trec --to there.txt", "export: 'there.txt' is there already"),
    ("latest --format trec --to dangling", "export: 'dangling' is there already"),
    (f"{'0' * 32} --format jsonl", f"there is no run '{'0' * 32}'"),
]


def test_a_wrong_request_writes_nothing(recorded: Line) -> None:
    (recorded.at / "there.txt").write_text("mine", "utf-8")
    (recorded.at / "dangling").symlink_to("nowhere")
    before = _files(recorded.at)
    for words, expected in WRONG:
        said = recorded("export", *words.split())
        assert (said.code, said.out) == (2, ""), words
        assert said.err.startswith(f"error: {expected}"), said.err
    assert _files(recorded.at) == before
    assert (recorded.at / "there.txt").read_text("utf-8") == "mine"


def test_without_any_run(line: Line) -> None:
    said = line("export", "--format", "jsonl")
    assert said.code == 2
    assert "there is no run in outputs yet" in said.err


def test_what_cannot_be_written_leaves_nothing(recorded: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    (recorded.at / "file").write_text("", "utf-8")
    before = _files(recorded.at)
    said = recorded("export", "--format", "jsonl", "--to", "file/c.jsonl")
    assert said.code == 1
    assert "file/c.jsonl: could not be written (File exists); nothing was left" in said.err

    def full(made: Corpus, path: Path) -> None:
        path.write_text("half", "utf-8")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(forms, "jsonl", full)
    said = recorded("export", "--format", "jsonl", "--to", "c.jsonl")
    assert said.code == 1
    assert "c.jsonl: could not be written (No space left on device); nothing was left" in said.err
    assert _files(recorded.at) == before


def test_a_damaged_store_leaves_nothing(recorded: Line) -> None:
    for path in recorded.outputs.glob("store/vectors/*/*/vectors.npy"):
        path.write_bytes(b"damaged")
    before = _files(recorded.at)
    said = recorded("export", _key(recorded, "hybrid"), "--format", "parquet", "--to", "c.parquet")
    assert said.code == 1
    assert "the store no longer has the vectors of its chunks" in said.err
    assert _files(recorded.at) == before


def test_somebody_who_was_faster_is_not_overwritten(tmp_path: Path) -> None:
    mine = tmp_path / "c.jsonl"

    def slow(draft: Path) -> None:
        draft.write_text("ours", "utf-8")
        mine.write_text("theirs", "utf-8")

    with pytest.raises(RequestError, match="is there already"):
        target.publish(mine, slow)
    assert _files(tmp_path) == ["c.jsonl"]
    assert mine.read_text("utf-8") == "theirs"


def test_a_run_is_found_by_the_id_that_mlflow_gave_it(recorded: Line) -> None:
    """From the marker that a delivery leaves; MLflow is not asked. A cell that failed has no run."""
    (folder,) = recorded.outputs.glob("experiments/*")
    ids = {"0": "a" * 32, "1": "b" * 32}
    body = {"uri": "sqlite:///x", "experiment_id": "1", "parent": "c" * 32, "runs": ids, "traces": 0}
    (folder / "tracked-0123.json").write_text(json.dumps(body), "utf-8")
    (folder / "tracked-zzzz.json").write_text("{", "utf-8")
    for cell in recorded.cells():
        said = recorded("show", ids[str(cell["num"])], "--json")
        assert json.loads(said.out)["run"] == cell["run"]
        said = recorded("export", ids[str(cell["num"])], "--format=trec", "--to", f"t{cell['num']}", "--json")
        assert said.code == 0
    assert recorded("show", "c" * 32).code == 2  # the parent is a sweep
