"""`huggingface`: identity without a model library, prompts from config or model, small models made here."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embedding.models import encode, stub, transformer

from runner.embedding.contract import Prompts
from runner.embedding.huggingface import HuggingFace
from runner.embedding.minilm import MiniLM
from runner.errors import ComponentError, RequestError
from runner.registry import parse


def test_a22_identity_moves_with_everything_that_moves_a_vector(tmp_path: Path) -> None:
    m1, m2 = stub(tmp_path / "m1"), stub(tmp_path / "m2", b"m2")
    same = stub(tmp_path / "elsewhere")

    class Newer(HuggingFace):
        version = 2

    found = [
        HuggingFace(model=m1),
        HuggingFace(model=m2),
        HuggingFace(model=m1, max_length=128),
        HuggingFace(model=m1, dimensions=64),
        HuggingFace(model=m1, precision="bf16"),
        HuggingFace(model=m1, batching="batched"),
        Newer(model=m1),
    ]
    identities = [json.dumps(h.identity(), sort_keys=True) for h in found]
    assert len(set(identities)) == len(found)
    # Not the name or place of a model, not its speed, and not the prompts: these are part of the text.
    for equal in (
        HuggingFace(model=same),
        HuggingFace(model=m1, revision="0" * 40),
        HuggingFace(model=m1, batch=8),
        HuggingFace(model=m1, on_truncate="error"),
        HuggingFace(model=m1, query_prompt="query: ", document_prompt="passage: "),
    ):
        assert equal.identity() == found[0].identity()


def test_identity_says_precision_normalisation_and_libraries(tmp_path: Path) -> None:
    got = HuggingFace(model=stub(tmp_path / "m")).identity()
    assert (got["precision"], got["normalize"], got["batching"]) == ("fp32", True, "single")
    assert set(got["libraries"]) == {"sentence-transformers", "transformers", "torch"}
    assert all(v.isdigit() for v in got["libraries"].values())
    assert got["trust_remote_code"] is False


def test_identity_loads_no_model_library(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom runner.embedding.huggingface import HuggingFace\n"
        f"HuggingFace(model={stub(tmp_path / 'm')!r}).identity()\n"
        "print({'torch', 'transformers', 'sentence_transformers'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_a_digest_that_differs_is_refused(tmp_path: Path) -> None:
    model = stub(tmp_path / "m")
    with pytest.raises(ComponentError, match=r"model\.safetensors: digest .* is not upstream's 53aa51172d14"):
        MiniLM(model=model).identity()
    with pytest.raises(ComponentError, match="is not upstream's"):
        MiniLM(model=model).load(1, "cpu")


@pytest.mark.slow
def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match="is no sentence-transformers model that loads here"):
        HuggingFace(model=stub(tmp_path / "m")).load(1, "cpu")


@pytest.mark.parametrize(
    ("declared", "given", "right"),
    [
        ({"query": "query: ", "passage": "passage: "}, {}, ("query: ", "passage: ")),
        ({"query": "q: ", "document": "d: ", "passage": "p: "}, {}, ("q: ", "d: ")),
        ({"corpus": "c: "}, {}, ("", "c: ")),
        ({"query": "query: ", "document": ""}, {}, ("query: ", "")),
        ({"query": "query: "}, {"query_prompt": ""}, ("", "")),
        ({"query": "query: "}, {"query_prompt": "ask: "}, ("ask: ", "")),
        ({"passage": "passage: "}, {"document_prompt": ""}, ("", "")),
        ({}, {}, ("", "")),
    ],
)
def test_a19_prompts_are_the_configs_or_the_models_own(
    declared: Mapping[str, str], given: dict[str, str], right: tuple[str, str], tmp_path: Path
) -> None:
    model = stub(tmp_path / "m", prompts=declared, default_prompt_name=None)
    assert HuggingFace(model=model, **given).prompts() == Prompts(*right)


def test_a19_declared_prompts_that_are_not_used_are_warned_of(tmp_path: Path) -> None:
    declared = {"prompts": {"query": "query: ", "document": ""}, "default_prompt_name": "query"}
    model = stub(tmp_path / "m", **declared)
    assert HuggingFace(model=model).notes() == []
    (note,) = HuggingFace(model=model, query_prompt="").notes()
    assert "the model declares prompts ({'query': 'query: '}) and none of them is used" in note
    assert HuggingFace(model=model, query_prompt="ask: ").notes() == []
    assert HuggingFace(model=stub(tmp_path / "n", prompts={"query": ""})).notes() == []
    other = stub(tmp_path / "o", prompts={"classify": "class: "}, default_prompt_name="classify")
    assert "class: " in HuggingFace(model=other).notes()[0]


def test_a_prompt_that_the_model_leaves_out_of_its_mean_is_refused(tmp_path: Path) -> None:
    model = stub(tmp_path / "m")
    (tmp_path / "m" / "1_Pooling" / "config.json").write_text('{"include_prompt": false}', "utf-8")
    assert HuggingFace(model=model).prompts() == ("", "")
    with pytest.raises(ComponentError, match="leaves its prompt out of the mean"):
        HuggingFace(model=model, query_prompt="q: ").prompts()


def test_a_model_that_goes_two_ways_is_refused(tmp_path: Path) -> None:
    model = stub(tmp_path / "m")
    parts = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Router"}]
    (tmp_path / "m" / "modules.json").write_text(json.dumps(parts), "utf-8")
    with pytest.raises(ComponentError, match="one way for queries and another for documents"):
        HuggingFace(model=model).identity()


def test_config_is_checked() -> None:
    wrong: list[dict[str, Any]] = [
        {"max_length": 2}, {"batching": "many"}, {"model": None}, {"digests": ["x"]}, {"precision": "fp16"},
        {"dimensions": 0}, {"on_truncate": "ignore"}, {"revision": "main"}, {"batch": 0},
    ]  # fmt: skip
    for one in wrong:
        with pytest.raises(RequestError):
            parse("embedding", {"name": "huggingface", "model": "m"} | one)


# --------------------------------------------------------------------- a small model, made and loaded


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> str:
    prompts = {"query": "the query ", "passage": "the passage "}
    return transformer(tmp_path_factory.mktemp("models") / "small", prompts=prompts)


TEXTS = ("the sea", "", "sep the ing", "a b c d e f g h", "the " * 40)


@pytest.mark.model
@pytest.mark.parametrize("batching", ["single", "batched"])
def test_a19_the_library_does_not_add_the_prompt_again(small: str, batching: str) -> None:
    """The model declares prompts, and the house has put them before the text already."""
    made = HuggingFace.model_validate({"model": small, "batching": batching})
    assert made.prompts() == ("the query ", "the passage ")
    got = encode(made.load(1, "cpu"), "the query sea", "sea")
    from sentence_transformers import SentenceTransformer

    theirs = SentenceTransformer(small, device="cpu")
    right = theirs.encode(["the query sea", "sea"], prompt="", normalize_embeddings=True)
    assert np.abs(got.vectors - right).max() < 1e-5
    assert (
        np.abs(got.vectors[0] - theirs.encode("sea", prompt_name="query", normalize_embeddings=True)).max()
        < 1e-5
    )
    assert np.abs(got.vectors[0] - got.vectors[1]).max() > 1e-4


@pytest.mark.model
@pytest.mark.parametrize("batch", [1, 2, 32])
def test_batched_is_one_at_a_time_but_for_the_last_bits(small: str, batch: int) -> None:
    single = encode(HuggingFace(model=small).load(2, "cpu"), *TEXTS)
    batched = encode(HuggingFace(model=small, batching="batched", batch=batch).load(1, "cpu"), *TEXTS)
    assert np.abs(single.vectors - batched.vectors).max() < 1e-5
    assert single.tokens_embedded.tolist() == batched.tokens_embedded.tolist() == [4, 0, 5, 8, 30]


@pytest.mark.model
def test_fp32_is_fp32_even_where_the_file_is_not(small: str, tmp_path: Path) -> None:
    """A checkpoint in half precision is loaded as it is stored; the identity says fp32."""
    import torch
    from sentence_transformers import SentenceTransformer

    half = SentenceTransformer(small, device="cpu").half()
    half.save(str(tmp_path / "half"))
    encoder: Any = HuggingFace(model=str(tmp_path / "half")).load(1, "cpu")
    assert {p.dtype for p in encoder._model.parameters()} == {torch.float32}


@pytest.mark.model
def test_dimensions_and_a_lone_surrogate(small: str) -> None:
    got = encode(HuggingFace(model=small, dimensions=4).load(1, "cpu"), "the \ud83d sea", "the \ufffd sea")
    assert got.vectors.shape == (2, 4)
    assert np.array_equal(got.vectors[0], got.vectors[1])
    assert np.abs(np.linalg.norm(got.vectors.astype(np.float64), axis=1) - 1).max() < 1e-6
    with pytest.raises(ComponentError, match="17 is more than the model's 16"):
        HuggingFace(model=small, dimensions=17).load(1, "cpu")
