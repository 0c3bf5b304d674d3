"""What `--help` says; it reads file names and imports nothing."""

from __future__ import annotations

from pathlib import Path

from runner import plugins

HELP = """runner: retrieval experiments from a config, traced stage by stage.

  python -m runner [OVERRIDE…]          one run
  python -m runner -m [OVERRIDE…]       a sweep, for instance -m strategy=fixed_size neighbor_prev=0,1,2
  python -m runner plan [-m] [--power] [OVERRIDE…]  what it would do: cached, due, seconds; what it can decide
  python -m runner ls                   runs and experiments recorded here
  python -m runner show [RUN]           one run: stages, measures, warnings
  python -m runner inspect chunks DOC | query TEXT | neighbors CHUNK | diff RUN RUN [QUERY]  stage by stage
  python -m runner why [RUN] [QUERY] [--confirm]  where gold was lost; which change brings it back
  python -m runner export [RUN] --format jsonl|parquet|trec [--to NAME]  corpus with vectors; run and qrels
  python -m runner verify [RUN]         digests of everything stored; with RUN: compute it again and compare
  python -m runner compare [EXPERIMENT | RUN RUN…]  differences with intervals, at equal tokens too
  python -m runner select EXPERIMENT --measure NAME [--halving]  choose on dev, confirm on test
  python -m runner report [EXPERIMENT] [--single-file] [--reports DIR]  write its pages again; one file
  python -m runner track [--pending] [EXPERIMENT]  deliver finished runs to MLflow
  python -m runner ui                   open the MLflow UI on the right store
  python -m runner data check PATH      is this a sound data set, and is its gold?
  python -m runner gate --baseline FILE|RUN  is a run worse, by more than chance and than matters? (CI)
  python -m runner gate --expected NAME|all [--markdown]  do the figures come out as published?
  python -m runner data import KIND SOURCE --to FOLDER  a native data set of: beir trec squad quotes folder hf

`VERB --help` has its options. RUN is a key prefix, an MLflow run id or `latest`.
Hydra's own help: --hydra-help.
--trust-remote-code: models may run their own code where a config asks for it; no config can allow it.
RUNNER_PLUGINS=DIR (environment): components of your own, DIR/<group>/<name>.py; their YAML: --config-dir.
Values: top_k neighbor_prev neighbor_next threshold.similarity threshold.score filter seed experiment.name
        split=dev|test|all questions=N
Groups (each a folder of conf/):
"""


def groups() -> str:
    """The choices of every group: file names of `conf/`, and plugins."""
    inside = Path(__file__).parent / "conf"
    root = inside if inside.is_dir() else Path(__file__).parent.parent / "conf"
    folders = sorted(p for p in root.iterdir() if p.is_dir() and p.name not in {"hydra", "expected"})
    choices = {d.name: {f.stem for f in d.glob("*.yaml")} | set(plugins.found(d.name)) for d in folders}
    return "\n".join(f"  {group:<11} {' '.join(sorted(names))}" for group, names in choices.items())
