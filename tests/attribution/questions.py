"""The tiny documents with many questions, each about one or two drawn stretches of text."""

from __future__ import annotations

import random
from pathlib import Path

from dataset.native_folders import Rows
from helpers import DOCUMENTS, tiny


def many(at: Path, n: int = 40) -> Path:
    """A native folder: `n` questions of three drawn words, gold of 1, 6, 20 or 50 code points."""
    draw = random.Random(7)
    queries: Rows = []
    gold: Rows = []
    texts = {str(d["doc_id"]): str(d["text"]) for d in DOCUMENTS}
    for i in range(n):
        words = draw.sample([w for t in texts.values() for w in t.split()], 3)
        queries.append({"query_id": f"d{i}", "text": " ".join(words)})
        for doc_id in draw.sample(sorted(texts), draw.randint(1, 2)):
            start = draw.randrange(len(texts[doc_id]) - 1)
            end = min(len(texts[doc_id]), start + draw.choice([1, 6, 20, 50]))
            if texts[doc_id][start:end].strip():
                gold.append({"query_id": f"d{i}", "doc_id": doc_id, "start": start, "end": end})
    return tiny(at, queries=queries, gold=gold)
