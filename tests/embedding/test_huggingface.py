"""`huggingface` and `minilm` without a model: identity, digests, declared prompts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from runner.embedding.huggingface import HuggingFace
from runner.embedding.minilm import MiniLM
from runner.errors import ComponentError, RequestError
from runner.registry import parse


def _stub(at: Path, weights: bytes = b"m1", **config: Any) -> str:
    """A folder that looks like a model; enough for its identity."""
    (at / "1_Pooling").mkdir(parents=True)
    (at / "config.json").write_text("{}", "utf-8")
    (at / "1_Pooling" / "config.json").write_text("{}", "utf-8")
    (at / "config_sentence_transformers.json").write_text(json.dumps(config), "utf-8")
    (at / "model.safetensors").write_bytes(weights)
    return str(at)


def test_a22_identity_moves_with_everything_that_moves_a_vector(tmp_path: Path) -> None:
    m1, m2 = _stub(tmp_path / "m1"), _stub(tmp_path / "m2", b"m2")
    same = _stub(tmp_path / "elsewhere")

    class Newer(HuggingFace):
        version = 2

    found = [
        HuggingFace(model=m1),
        HuggingFace(model=m2),
        HuggingFace(model=m1, max_length=128),
        HuggingFace(model=m1, batching="batched"),
        Newer(model=m1),
    ]
    identities = [json.dumps(h.identity(), sort_keys=True) for h in found]
    assert len(set(identities)) == len(found)
    # Not the name or place of a model, and not the prompts: these are part of the text that is embedded.
    for equal in (
        HuggingFace(model=same),
        HuggingFace(model=m1, revision="0" * 40),
        HuggingFace(model=m1, query_prompt="query: ", document_prompt="passage: "),
    ):
        assert equal.identity() == found[0].identity()


def test_identity_says_precision_normalisation_and_libraries(tmp_path: Path) -> None:
    got = HuggingFace(model=_stub(tmp_path / "m")).identity()
    assert (got["precision"], got["normalize"], got["batching"]) == ("fp32", True, "single")
    assert set(got["libraries"]) == {"sentence-transformers", "transformers", "torch"}
    assert all(v.isdigit() for v in got["libraries"].values())


def test_identity_loads_no_model_library(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom runner.embedding.huggingface import HuggingFace\n"
        f"HuggingFace(model={_stub(tmp_path / 'm')!r}).identity()\n"
        "print({'torch', 'transformers', 'sentence_transformers'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_a_digest_that_differs_is_refused(tmp_path: Path) -> None:
    model = _stub(tmp_path / "m")
    with pytest.raises(ComponentError, match=r"model\.safetensors: digest .* is not upstream's 53aa51172d14"):
        MiniLM(model=model).identity()
    with pytest.raises(ComponentError, match="is not upstream's"):
        MiniLM(model=model).load(1, "cpu")


@pytest.mark.slow
def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match="is no sentence-transformers model that loads here"):
        HuggingFace(model=_stub(tmp_path / "m")).load(1, "cpu")


def test_a19_declared_prompts_without_configured_ones_are_warned_of(tmp_path: Path) -> None:
    declared = {"prompts": {"query": "query: ", "document": ""}, "default_prompt_name": "query"}
    model = _stub(tmp_path / "m", **declared)
    (note,) = HuggingFace(model=model).notes()
    assert "the model declares prompts ({'query': 'query: '})" in note
    assert HuggingFace(model=model, query_prompt="query: ").notes() == []
    assert HuggingFace(model=_stub(tmp_path / "n", prompts={"query": ""})).notes() == []


def test_config_is_checked() -> None:
    for wrong in ({"max_length": 2}, {"batching": "many"}, {"model": None}, {"digests": ["x"]}):
        with pytest.raises(RequestError):
            parse("embedding", {"name": "huggingface", "model": "m"} | wrong)
