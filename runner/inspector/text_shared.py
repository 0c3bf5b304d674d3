"""What the text of every view begins and ends with: the run and its identities, and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runner import keys
from runner.inspector.forms import Block, Facts, Prose
from runner.inspector.records import EmbeddingIdentity, IndexIdentity, RunCard


def card(run: RunCard) -> str:
    """A run on one line."""
    return (
        f"{run.run[: keys.SHORT]} of {run.created}: {run.data_set} ({run.corpus[: keys.SHORT]}), "
        f"{run.strategy} ({run.chunking[: keys.SHORT]}, {run.chunks:,} chunks) {run.badge}"
    )


def model(embedding: EmbeddingIdentity | None) -> str:
    """A model on one line."""
    return (
        f"{embedding.name} ({embedding.model[: keys.SHORT]})" if embedding else "none: no leg reads vectors"
    )


def about(
    run: RunCard, embedding: EmbeddingIdentity | None, indexes: Sequence[IndexIdentity] = ()
) -> Iterator[Block]:
    """The run, its model and its indexes."""
    rows = [("run", card(run)), ("embedding", model(embedding))]
    for index in indexes:
        kept = {True: "stored", False: "GONE FROM THE STORE", None: "nothing kept"}[index.stored]
        named = f"{index.component} {index.index[: keys.SHORT]}, {kept}"
        rows.append((f"index {index.leg}", named))
    yield Facts(rows)


def notes(said: Sequence[str]) -> Iterator[Block]:
    """What a reader must know."""
    for note in said:
        yield Prose([("note: ", "yellow"), (note, "")])
