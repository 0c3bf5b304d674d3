"""Small models of every form, made in a moment: they load, and give vectors that can be checked."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tokenizer.toys import wordpiece_json

from runner.embedding.contract import Encoded, Encoder

Floats = npt.NDArray[np.float32]


def stub(at: Path, weights: bytes = b"m1", **config: Any) -> str:
    """A folder that looks like a model; enough for its identity."""
    (at / "1_Pooling").mkdir(parents=True)
    (at / "config.json").write_text("{}", "utf-8")
    (at / "1_Pooling" / "config.json").write_text("{}", "utf-8")
    (at / "config_sentence_transformers.json").write_text(json.dumps(config), "utf-8")
    (at / "model.safetensors").write_bytes(weights)
    return str(at)


def transformer(at: Path, pooling: str = "mean", prompts: dict[str, str] | None = None) -> str:
    """A sentence-transformers folder: one BERT layer of 16 dimensions with random weights, 32 places."""
    import torch
    from sentence_transformers import SentenceTransformer, models
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    inner = at.with_name(at.name + "-parts")
    inner.mkdir(parents=True)
    special = {"unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]"}
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(wordpiece_json(inner)), model_max_length=32, **special
    )
    tokenizer.save_pretrained(inner)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=32,
    )  # fmt: skip
    BertModel(config).save_pretrained(inner)
    parts = [models.Transformer(str(inner), max_seq_length=32), models.Pooling(16, pooling_mode=pooling)]
    SentenceTransformer(modules=parts, prompts=prompts, device="cpu").save(str(at))
    return str(at)


def static(at: Path, table: Floats | None = None, **more: npt.NDArray[Any]) -> str:
    """A folder in model2vec's form. Without a `table`, each token has a random vector of 8 dimensions."""
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer

    at.mkdir(parents=True)
    path = wordpiece_json(at).rename(at / "tokenizer.json")
    size = Tokenizer.from_file(str(path)).get_vocab_size()
    made = np.random.default_rng(3).normal(size=(size, 8)).astype(np.float32)
    save_file({"embeddings": made if table is None else table, **more}, at / "model.safetensors")
    return str(at)


def onnx(at: Path, table: Floats) -> str:
    """A folder with a `model.onnx` that looks up the row of each token in `table`, and nothing else."""
    at.mkdir(parents=True)
    wordpiece_json(at).rename(at / "tokenizer.json")
    (at / "model.onnx").write_bytes(lookup_graph(table))
    return str(at)


def lookup_graph(table: Floats) -> bytes:
    """ONNX's protobuf of `last_hidden_state = Gather(table, input_ids)`, written out by hand."""
    data = _field(1, table.shape[0]) + _field(1, table.shape[1]) + _field(2, 1)  # dims, FLOAT
    initializer = data + _field(8, b"table") + _field(9, table.astype("<f4").tobytes())
    node = (
        _field(1, b"table") + _field(1, b"input_ids") + _field(2, b"last_hidden_state") + _field(4, b"Gather")
    )
    graph = _field(1, node) + _field(2, b"lookup") + _field(5, initializer)
    graph += b"".join(_field(11, _value(n, 7, ["b", "t"])) for n in (b"input_ids", b"attention_mask"))
    graph += _field(12, _value(b"last_hidden_state", 1, ["b", "t", table.shape[1]]))
    return _field(1, 8) + _field(7, graph) + _field(8, _field(1, b"") + _field(2, 13))


def _value(name: bytes, kind: int, shape: list[str | int]) -> bytes:
    dims = b"".join(_field(1, _field(2, d.encode()) if isinstance(d, str) else _field(1, d)) for d in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, dims)))


def _field(number: int, value: bytes | int) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(n: int) -> bytes:
    out = b""
    while n > 127:
        out += struct.pack("B", n & 127 | 128)
        n >>= 7
    return out + struct.pack("B", n)


def encode(encoder: Encoder, *texts: str) -> Encoded:
    return encoder.encode(list(texts), lambda done: None)


def packaged(package: str, inside: str, install: str) -> Path:
    """A folder of a package that is not required, or the test is skipped with the line that installs it."""
    from runner.model_files import folder_in_package

    folder = folder_in_package(package, inside)
    if folder is None:
        pytest.skip(f"{package} is not installed: {install}")
    return folder
