"""A tiny data set, its config and its runs: what tests of pipeline, report, tracker and doors start from.

Six chunks of four different words each (tokenizer `words`, windows of four), so that every chunk is of the
average length and BM25 (lucene, k1 1.5, b 0.75) can be written out: a word that stands in one chunk of six
weighs ln(1 + (6 - 1 + 0.5) / (1 + 0.5)) · 1 / (1 + 1.5).
"""

from __future__ import annotations

import copy
import json
from math import log
from pathlib import Path
from typing import Any

import polars as pl
import yaml
from dataset.native_folders import Rows, folder

from runner import keys, pipeline, plugins, registry, tables
from runner.config import GROUPS, RunConfig, Runtime
from runner.keyring import Keyring, keyring
from runner.parts import Parts, parts
from runner.runs import Run
from runner.session import Session
from runner.store import MANIFEST

CONF = Path(__file__).parents[1] / "conf"
Raw = dict[str, Any]

DOCUMENTS: Rows = [
    {
        "doc_id": "birds",
        "text": "heron kestrel osprey plover wren finch magpie raven swift linnet dunlin avocet",
        "metadata": {"lang": "en", "year": 2020, "kind": ["animal", "wild"]},
    },
    {
        "doc_id": "metals",
        "text": "copper zinc nickel cobalt titanium chromium tungsten iridium",
        "metadata": {"lang": "en", "year": 2021},
    },
    {"doc_id": "trees", "text": "maple birch willow copper", "metadata": {"lang": "de", "year": 2020}},
]
"""birds#0000 … birds#0002, metals#0000, metals#0001, trees#0000; `copper` stands in two of them."""
QUERIES: Rows = [
    {"query_id": "q1", "text": "finch magpie"},
    {"query_id": "q2", "text": "copper"},
    {"query_id": "q3", "text": "xylophone"},
    {"query_id": "q4", "text": "the of and"},
    {"query_id": "q5", "text": "osprey raven titanium"},
]
"""q3 is in no document, q4 is made of stop words; nobody judged q4."""
GOLD: Rows = [
    {"query_id": "q1", "doc_id": "birds", "quote": "finch magpie"},
    {"query_id": "q2", "doc_id": "metals", "quote": "copper zinc"},
    {"query_id": "q2", "doc_id": "trees", "quote": "copper"},
    {"query_id": "q3", "doc_id": "trees", "quote": "birch"},
    {"query_id": "q5", "doc_id": "birds", "quote": "raven swift linnet"},
]
CHUNKS = ("birds#0000", "birds#0001", "birds#0002", "metals#0000", "metals#0001", "trees#0000")
ONCE = log(1 + (6 - 1 + 0.5) / (1 + 0.5)) / (1 + 1.5)
"""BM25 of a word that stands in one of the six chunks."""
TWICE = log(1 + (6 - 2 + 0.5) / (2 + 0.5)) / (1 + 1.5)
"""BM25 of a word that stands in two of the six chunks."""


def tiny(at: Path, *, documents: Rows = DOCUMENTS, queries: Rows = QUERIES, gold: Rows = GOLD) -> Path:
    """The tiny data set as a native folder."""
    return folder(at, documents=documents, queries=queries, gold=gold)


def choice(group: str, name: str) -> Raw:
    """What `conf/<group>/<name>.yaml` says; of a plugin the YAML beside it, else its class's defaults."""
    plugin = plugins.found(group).get(name)
    path = CONF / group / f"{name}.yaml"
    if plugin:
        path = plugin.source.with_suffix(".yaml") if isinstance(plugin.source, Path) else Path()
    if plugin and not path.is_file():
        fields = registry.component_class(group, name).model_fields.items()
        given = {k: f.get_default(call_default_factory=True) for k, f in fields if not f.is_required()}
        return given if group != "retrieval" else {"name": name, "legs": {name: given}}
    loaded: Raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    loaded.pop("defaults", None)  # what it chooses in other groups
    return loaded


def raw(data: Path, **changes: Any) -> Raw:
    """A whole config over a native folder, as `registry.parse_run` takes it: both legs, `bonus`, no reranker.

    `changes` are values by path, `__` standing for the dot (`fusion__weight=0.5`); a group may be a name
    (`fusion="rrf"`: its YAML) or a mapping.
    """
    config: Raw = {
        "dataset": {"name": "native", "path": str(data)},
        "tokenizer": choice("tokenizer", "words"),
        "strategy": {**choice("strategy", "fixed_size"), "size": 4},
        "kg": choice("kg", "given"),
        "enrichment": choice("enrichment", "none"),
        "embedding": {**choice("embedding", "hashing"), "dimensions": 64},
        "retrieval": choice("retrieval", "hybrid"),
        "fusion": choice("fusion", "bonus"),
        "reranker": choice("reranker", "none"),
        "metrics": {"name": "span", "measures": ["SpanR@3", "SpanR@3+", "Tokens@3+", "nDCG@3", "RR@3"]},
        "top_k": 3,
    }
    for path, value in changes.items():
        config = altered(config, path.replace("__", "."), value)
    return config


def altered(config: Raw, path: str, value: Any) -> Raw:
    """A copy of `config` with `value` at the dotted `path`; a name given for a whole group means its YAML."""
    out = copy.deepcopy(config)
    *way, last = path.split(".")
    node = out
    for step in way:
        node = node.setdefault(step, {})
    node[last] = choice(path, value) if path in GROUPS and isinstance(value, str) else value
    return out


def config(data: Path, **changes: Any) -> RunConfig:
    """The run that `raw` describes."""
    return registry.parse_run(raw(data, **changes))[0]


def session(outputs: Path) -> Session:
    """A fresh session over an outputs folder, as a new process would have it."""
    return Session(Runtime(outputs=str(outputs), threads=1, progress=False))


def prepared(data: Path, outputs: Path, **changes: Any) -> tuple[Parts, Keyring]:
    """Parts and keys of a run that is not computed."""
    p = parts(config(data, **changes))
    return p, keyring(p, session(outputs))


def done(data: Path, outputs: Path, **changes: Any) -> Run:
    """A finished run of the config that `raw` describes, in a session of its own."""
    outcome = pipeline.run(config(data, **changes), session(outputs))
    return Run(outputs, outcome.run_key)


def recorded(run: Run) -> dict[str, bytes]:
    """The bytes of a run that must be reproducible: every table and the TREC file."""
    return {p.name: p.read_bytes() for p in sorted(run.path.iterdir()) if p.suffix in {".parquet", ".trec"}}


def retold(run: Run, name: str, frame: pl.DataFrame) -> None:
    """A table of a run written again, as if the run had recorded it so."""
    tables.write(frame, run.path / f"{name}.parquet")
    path = run.path / MANIFEST
    body = json.loads(path.read_text("utf-8"))
    file = run.path / f"{name}.parquet"
    body["files"][file.name] = {"sha256": keys.file_digest(file), "bytes": file.stat().st_size}
    body["sha256"] = keys.digest([body["meta"], body["files"]])
    path.write_text(json.dumps(body, indent=1, sort_keys=True), "utf-8")
