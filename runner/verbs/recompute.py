"""Computing a recorded run again, in an empty store, and comparing the bytes of every table."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from runner import keys, plugins, record, registry
from runner.config import Runtime
from runner.errors import RequestError
from runner.pipeline import run
from runner.runs import Run
from runner.session import Session


def compare(recorded: Run) -> list[dict[str, Any]]:
    """Per recorded file `file, equal, detail`; stage keys first, since they say where a difference begins."""
    for named, origin in recorded.meta["identities"].get("plugins", {}).items():
        group, _, name = named.partition(".")
        if name not in registry.names(group):
            said = ", ".join(f"{k} {v}" for k, v in origin.items())
            raise RequestError(
                f"run {recorded.key[: keys.SHORT]} used the plugin {named} ({said}), which is not here; "
                f"name its folder in {plugins.VARIABLE}, or install its distribution"
            )
    config, outside = registry.parse_run(recorded.config)
    with tempfile.TemporaryDirectory(prefix="runner-verify-") as folder:
        _bring_answers(recorded, Path(folder))
        runtime = Runtime(**{**outside.runtime.model_dump(), "outputs": folder, "progress": False})
        outcome = run(config, Session(runtime))
        again = Run(Path(folder), outcome.run_key)
        rows = [_row("run key", recorded.key, again.key)]
        for stage, key in recorded.meta["keys"].items():
            rows.append(_row(f"key of {stage}", key, again.meta["keys"][stage]))
        for name in [*(f"{t}.parquet" for t in record.TABLES), "run.trec"]:
            rows.append(_row(name, *(keys.file_digest(r.path / name) for r in (recorded, again))))
    return rows


def _bring_answers(recorded: Run, outputs: Path) -> None:
    """What a model answered is an input of the run: asked again it would cost again, and may differ."""
    answers = recorded.outputs / "store" / "answers"
    if recorded.meta["identities"].get("enrichment") and answers.is_dir():
        shutil.copytree(answers, outputs / "store" / "answers")


def _row(name: str, recorded: Any, again: Any) -> dict[str, Any]:
    equal = recorded == again
    shown = str(recorded)[: keys.SHORT]
    return {"file": name, "equal": equal, "detail": shown if equal else f"recorded {recorded}, now {again}"}
