"""Counterfactuals: one question asked again with one thing changed at a time, and what that brings back.

Each is an execution of the pipeline over the run's store (`single`): no run is recorded. Another chunking and
the vectors and indexes that it needs are kept there by their keys, as those of such a run would be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runner import artifacts, embedded, encoding
from runner.changes import UNDOES, Changed, changes
from runner.config import RunConfig
from runner.errors import RunnerError
from runner.fates import FOUND, Stage
from runner.keyring import keyring
from runner.loss_records import Change, Confirmation, Verdict
from runner.parts import parts
from runner.session import Session
from runner.single import execute_single

AFFORDED = 2_000
"""Texts that another chunking may embed anew; of a service none, for it may charge for them."""
_BEYOND = "beyond top_k"


def confirm(config: RunConfig, session: Session, query_id: str, *, all_of_them: bool = False) -> Confirmation:
    """What each single change to `config` makes of the gold of one question.

    Args:
        config: of the run.
        session: over the store that it left.
        query_id: a question with gold.
        all_of_them: also try what has to embed more than `AFFORDED` texts.
    """
    before = execute_single(config, session, query_id=query_id).tables()
    stages: list[Stage] = before["attribution"]["stage"].to_list()
    tokens = int(before["context"]["tokens"].sum())
    cut = before["attribution"].filter(drop_reason=_BEYOND)
    places = [int(v) for v in cut.filter(~cut["stage"].is_in(FOUND))["drop_value"]]
    chunks = artifacts.chunks(parts(config), keyring(parts(config), session), session)[0].height
    tried: list[Change] = []
    not_tried: list[str] = []
    for changed in changes(config, places, chunks):
        try:
            why_not = None if all_of_them else _too_dear(changed, session)
            if why_not is None:
                tried.append(_tried(changed, session, query_id, stages, tokens))
            else:
                not_tried.append(f"{changed.says}: {why_not}")
        except RunnerError as e:  # it does not go with the rest of the config, or a model is not here
            not_tried.append(f"{changed.says}: {e}")
    return Confirmation(tokens, tuple(tried), tuple(not_tried), tuple(_verdicts(stages, tried)))


def _too_dear(changed: Changed, session: Session) -> str | None:
    """Why a change is not tried unasked; only another chunking can be dear, for it needs other vectors."""
    if changed.kind != "chunking":
        return None
    p = parts(changed.config)
    if not p.reads_vectors:
        return None
    k = keyring(p, session)
    if p.enrichment.asks and session.store.find("enrichment", str(k.enrichment)) is None:
        return "would ask a service for headers; --all tries it"
    documents, _ = embedded.inputs(p, k, session)
    due = len(encoding.vectors(p, session).missing(documents))
    afforded = 0 if p.embedding.remote else AFFORDED
    return None if due <= afforded else f"would embed {due:,} texts; --all tries it"


def _tried(changed: Changed, session: Session, query_id: str, before: Sequence[Stage], tokens: int) -> Change:
    after = execute_single(changed.config, session, query_id=query_id).tables()
    stages: list[Stage] = after["attribution"]["stage"].to_list()
    cost = int(after["context"]["tokens"].sum())
    was, now = ([s in FOUND for s in some] for some in (before, stages))
    return Change(
        kind=changed.kind,
        says=changed.says,
        stages=tuple(stages),
        brings_back=sum(n and not w for w, n in zip(was, now, strict=True)),
        loses=sum(w and not n for w, n in zip(was, now, strict=True)),
        tokens=cost,
        tokens_added=cost - tokens,
    )


def _verdicts(stages: Sequence[Stage], tried: Sequence[Change]) -> Iterator[Verdict]:
    for item, stage in enumerate(stages):
        if stage in FOUND:
            continue
        back = [c for c in tried if c.stages[item] in FOUND]
        undone = [c for c in tried if c.kind in UNDOES.get(stage, ())]
        by = tuple(c.says for c in undone if c.stages[item] in FOUND)
        then = dict.fromkeys(c.stages[item] for c in undone if c.stages[item] not in FOUND)
        cheapest = min(back, key=lambda c: (c.loses, c.tokens)).says if back else None
        yield Verdict(item, stage, bool(by), by, tuple(then), cheapest)
