"""A baseline: what a gate needs of a run, as a JSON file to commit; a run gives the same bytes twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator

from runner import registry
from runner.comparison.scores import lost_at, scores
from runner.comparison.standing import SEARCH, searched
from runner.config import Config
from runner.errors import RequestError
from runner.keys import SHORT
from runner.runs import Run
from runner.store import publish_file

FORMAT = 1


class Baseline(Config):
    """One run as a gate sees it."""

    format: int = FORMAT
    run: str
    """Its key."""
    fingerprints: dict[str, str]
    """Of documents, queries and judgments: another data set cannot be compared."""
    families: dict[str, str]
    """Versions of the measures, by family."""
    config: dict[str, Any]
    """The resolved config, for people."""
    seconds: dict[str, float]
    """Of the stages of a search."""
    searched: bool
    """Whether the run did all of its search itself; else its seconds say little."""
    processor: str
    packages: dict[str, str] = Field(default_factory=dict)
    """Versions of the libraries that computed it."""
    documents: dict[str, str]
    """By question, the document of its gold: questions that share one may be drawn together."""
    lost: dict[str, str]
    """By question the stage that lost its gold; empty where all of it is in the context."""
    measures: dict[str, dict[str, float]] = Field(min_length=1)
    """By measure and question."""

    @field_validator("fingerprints")
    @classmethod
    def _all_three(cls, value: dict[str, str]) -> dict[str, str]:
        if set(value) != {"documents", "queries", "judgments"}:
            raise ValueError("needs documents, queries and judgments, and no more")
        return value

    @property
    def said(self) -> str:
        """The run by its key and what it was, for people."""
        if not self.config:
            return self.run[:SHORT]
        groups = [self.config[g] for g in ("dataset", "strategy", "retrieval", "reranker")]
        about = [f"{g['name']} size={g['size']}" if "size" in g else str(g["name"]) for g in groups]
        knobs = [f"{k}={self.config[k]}" for k in ("top_k", "neighbor_prev", "neighbor_next")]
        return f"{self.run[:SHORT]} ({', '.join(about + knobs)})"


def of_run(run: Run) -> Baseline:
    """What a gate needs of `run`."""
    found = scores([run])
    values = {
        m: {q: float(v) for q, v in zip(found.queries, found.of(m)[:, 0], strict=True) if v == v}  # noqa: PLR0124 - NaN
        for m in found.measures
    }
    prints = run.meta["fingerprints"]
    return Baseline(
        run=run.key,
        fingerprints={p: prints[p] for p in ("documents", "queries", "judgments")},
        families={k: str(v) for k, v in run.meta.get("families", {}).items()},
        config=run.config,
        seconds={s: float(run.meta["seconds"].get(s, 0.0)) for s in SEARCH},
        searched=searched(run),
        processor=run.meta["environment"]["processor"],
        packages=run.meta["environment"]["packages"],
        documents=dict(zip(found.queries, found.documents, strict=True)),
        lost=lost_at(run),
        measures=values,
    )


def write(baseline: Baseline, path: Path) -> None:
    """Write the file, over one that is there."""
    text = json.dumps(baseline.model_dump(mode="json"), indent=1, ensure_ascii=False)
    publish_file(path, lambda draft: draft.write_text(f"{text}\n", "utf-8"))


def read(path: Path) -> Baseline:
    """A file that `write` wrote.

    Raises:
        RequestError: it is not one; the message says what is wrong in it.
    """
    try:
        raw = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as e:
        raise RequestError(f"--baseline: {path} cannot be read ({e}); make one with gate --save FILE") from e
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise RequestError(
            f"--baseline: {path} is no baseline of format {FORMAT}; make one with gate --save FILE"
        )
    return registry.validate(Baseline, raw, str(path))
