"""What only an execution can tell the inspector: the data set now, term weights, searches, new vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from runner import keys, registry
from runner.dataset import stage as dataset_stage
from runner.dataset.contract import Dataset
from runner.embedding import stage as embedding_stage
from runner.embedding.contract import Embedding
from runner.errors import RunnerError, StoreError
from runner.inspector import neighbors
from runner.inspector.chunks import Digests, digests
from runner.inspector.query import Execution, Weights
from runner.inspector.query_records import TermWeight
from runner.inspector.records import LegFacts, NearList, Source
from runner.inspector.stored import Stored
from runner.retrieval import stage as retrieval_stage
from runner.retrieval.contract import Leg, Retrieval, Side
from runner.runs import Run

Arrays = Mapping[str, npt.NDArray[Any]]


def legs(run: Run) -> dict[str, Leg] | None:
    """The components of the run's legs; None: they are not here (a plugin that is gone)."""
    try:
        return registry.as_contract(registry.parse("retrieval", run.config["retrieval"]), Retrieval).legs
    except RunnerError:
        return None


def facts(found: Mapping[str, Leg] | None) -> tuple[LegFacts, ...] | None:
    """What the components say of themselves."""
    if found is None:
        return None
    return tuple(
        LegFacts(name, leg.name, leg.reads, leg.similarity, leg.keeps_index) for name, leg in found.items()
    )


def source(run: Run) -> tuple[Source, Digests | None]:
    """The data set where the run read it, as it is now, with the digest of each text (None: not known).

    It is read anew only if its files have changed.
    """
    try:
        dataset = registry.parse("dataset", run.config["dataset"])
        if dataset_stage.source_key(dataset) == run.meta["keys"]["corpus"]:
            same = Source("unchanged", "the files of the data set are those that the run read")
            return same, digests(run.corpus("documents"))
        documents = registry.as_contract(dataset, Dataset).load().documents
    except (RunnerError, OSError) as e:
        return Source("unreadable", f"the data set cannot be read now: {e}"), None
    return Source("changed", "the files of the data set are not those that the run read"), digests(documents)


def weights(stored: Stored, found: Mapping[str, Leg], execution: Execution) -> Weights:
    """For every leg whose scores are sums over terms, the parts of each candidate's score."""
    out: dict[str, dict[str, tuple[TermWeight, ...]]] = {}
    text = execution.tables["queries"]["text"].item()
    for name, leg in found.items():
        mine = execution.tables["candidates"].drop_nulls(f"{name}_rank")["chunk_id"].to_list()
        index = _index(stored, name, leg) if leg.reads == "texts" else None
        parts = index and leg.contributions(index, text, [stored.rows[c]["place"] for c in mine])
        if parts:
            out[name] = {
                c: tuple(TermWeight(p.term, p.asked, p.in_chunk, p.weight) for p in some)
                for c, some in zip(mine, parts, strict=True)
            }
    return out


def lexical(stored: Stored, found: Mapping[str, Leg] | None, chunk_id: str, top: int) -> NearList | str:
    """The nearest chunks by the first leg that reads texts, asked with the chunk's own text."""
    reading = [(n, leg) for n, leg in (found or {}).items() if leg.reads == "texts"]
    if not reading:
        return "lexical: no leg of this run reads texts"
    name, leg = reading[0]
    index = _index(stored, name, leg)
    if index is None:
        return f"lexical: the index of {name} is gone from the store"
    place = stored.rows[chunk_id]["place"]
    deep = leg.model_copy(update={"depth": top + 1})  # itself is one of them
    hits = retrieval_stage.search(deep, index, Side(), Side(texts=[stored.texts[place]])).frame
    near = neighbors.near(stored, hits["chunk"].to_list(), hits["score"].to_list(), place, top)
    return NearList(f"{name}, asked with the chunk's own text", f"{leg.name} score", tuple(near))


def _index(stored: Stored, name: str, leg: Leg) -> Arrays | None:
    folder = stored.path(f"index-{leg.name}", stored.keys["indexes"][name])
    if not folder.is_dir():
        return None
    return {f.stem: np.load(f, allow_pickle=False) for f in sorted(folder.glob("*.npy"))}


def embedded_anew(stored: Stored, chunk_id: str) -> tuple[neighbors.Vector, str]:
    """The vector of a chunk's embedding input, made now by the run's model; nothing is stored.

    Raises:
        StoreError: it was never embedded. And whatever loading and asking the model raises.
    """
    told, row = (stored.embedded or {}).get(chunk_id), stored.rows[chunk_id]
    if told is None:
        raise StoreError(f"{chunk_id}: the record of what was embedded of it is gone from the store")
    model = registry.as_contract(registry.parse("embedding", stored.run.config["embedding"]), Embedding)
    header = stored.headers.get(chunk_id)
    lines = [header["text"] if header else ""]
    (text,) = embedding_stage.inputs([stored.texts[row["place"]]], model.prompts().document, lines)
    made = embedding_stage.checked([text], model.load(1, "cpu").encode([text], lambda done: None), model.name)
    same = (
        "the stored input" if keys.text_keys([text]) == [told["input_key"]] else "ANOTHER input than stored"
    )
    label = f"exact cosine to a vector embedded anew ({same}"
    if stored.vectors.segment(told["input_key"]):
        old = stored.vectors.by_key([told["input_key"]]).vectors[0].astype(np.float64)
        label += f"; cosine to the stored vector {float(old @ made.vectors[0].astype(np.float64)):.6f}"
    return made.vectors[0], label + ")"


def executed(run: Run, *, text: str | None = None, query_id: str | None = None) -> Execution:
    """The pipeline of the run, on its own artifacts, for a new text or for one of its questions."""
    from runner import single

    config, session = single.reopened(run.meta, run.outputs)
    done = single.execute_single(config, session, text=text, query_id=query_id)
    return Execution(done.query_id, done.tables(), done.meta(), "executed")


def asked_before(run: Run, said: str) -> str | None:
    """The id of the question that `said` is, by its text or its id; None: it is none of the run's."""
    known: Sequence[tuple[str, str]] = run.table("queries").select("query_id", "text").rows()
    return next((q for q, text in known if text == said), next((q for q, _ in known if q == said), None))
