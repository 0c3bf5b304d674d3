"""`export [RUN] --format F`: the corpus of a run for a vector store, or its ranking for trec_eval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from runner import keys, named
from runner.errors import RequestError, UnknownNameError, did_you_mean
from runner.export import forms, target, trec
from runner.export.corpus import Corpus
from runner.runs import Run
from runner.text import grid, one_line, visible
from runner.verbs.arguments import Answer, Given, outputs_of, parsed

USAGE = "say: python -m runner export [RUN] --format jsonl|parquet|trec [--to FILE|FOLDER]"
_SUFFIX = {"jsonl": ".jsonl", "parquet": ".parquet", "trec": "-trec"}
"""What the name of an export ends in, where --to does not give it; `trec` makes a folder."""


def export(words: Sequence[str]) -> Answer:
    """What the words after `export` ask for."""
    plain, given = parsed(words, ["--context-columns"], ["--format", "--to"])
    if len(plain) > 1 or "--format" not in given:
        raise RequestError(USAGE)
    form = str(given["--format"])
    if form not in _SUFFIX:
        raise UnknownNameError(f"--format: '{one_line(form)}' is no choice; {did_you_mean(form, _SUFFIX)}")
    if "--context-columns" in given and form != "parquet":
        raise RequestError("--context-columns: goes with --format parquet; JSON lines always have the header")
    outputs = outputs_of(given)
    run = named.open_run(outputs, plain[0] if plain else "latest")
    path = _target(run, form, given)
    facts = target.publish(path, _writer(run, form, given))
    rows = [[k, v if isinstance(v, str) else keys.canonical(v)] for k, v in facts.items()]
    text = f"{grid(['what', 'value'], rows)}\n\nwritten: {visible(str(path), keep='')}"
    if form == "trec":
        text += f"\njudge it, in that folder: trec_eval -c {trec.QRELS} {trec.RUN}"
    return Answer(text, {"path": str(path), "format": form, **facts})


def _target(run: Run, form: str, given: Given) -> Path:
    """The name that --to gives; in the folder that it names, or without it in `exports`, a name of ours."""
    said, ours = given.get("--to"), run.short + _SUFFIX[form]
    if said is None:
        return run.outputs / "exports" / ours
    if not said:
        raise RequestError("--to: needs a value")
    path = Path(str(said))
    return path / ours if path.is_dir() else path


def _writer(run: Run, form: str, given: Given) -> Callable[[Path], dict[str, Any]]:
    """What writes the export at a path and says what it has written."""

    def corpus(path: Path) -> dict[str, Any]:
        made = Corpus(run)
        if form == "jsonl":
            forms.jsonl(made, path)
        else:
            forms.parquet(made, path, context_columns="--context-columns" in given)
        return made.facts | {"chunks_with_header": made.enriched}

    return (lambda path: trec.trec(run, path)) if form == "trec" else corpus
