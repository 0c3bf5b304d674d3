"""The witness that a header went into the embedding input alone: digests that runs with and without it share.

`texts` (what chunks say) and `indexes` of legs that read texts are equal with and without enrichment;
`inputs` (what the model was given) differ.
"""

from __future__ import annotations

import json
from typing import Any

from runner import artifacts, keys
from runner.keyring import Keyring
from runner.parts import Parts
from runner.session import Session
from runner.store import MANIFEST
from runner.trace import Trace


def witness(p: Parts, k: Keyring, session: Session, trace: Trace) -> dict[str, Any]:
    """Digests (64 hex characters) of chunk texts, of each leg's index that is kept, of embedding inputs.

    `inputs` is left out where no leg reads vectors.
    """
    known = artifacts.chunks(p, k, session)[1].get("texts_digest")  # not in a store of before
    texts = known or keys.digest(artifacts.texts(p, k, session))
    indexes = {}
    for name, leg in p.legs.items():
        manifest = session.store.path(f"index-{leg.name}", k.indexes[name]) / MANIFEST
        if leg.keeps_index and manifest.is_file():
            indexes[name] = keys.digest(json.loads(manifest.read_text("utf-8"))["files"])
    read = [s["inputs_digest"] for s in trace.stages if s["stage"] == "embedding"]
    return {"texts": texts, "indexes": indexes, **({"inputs": read[0]} if read else {})}
