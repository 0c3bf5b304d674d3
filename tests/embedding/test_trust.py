"""Code that a model brings: run when a person gave leave on the command line, never because of a config."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import Line
from embedding.models import encode, stub, transformer

from runner import trust
from runner.embedding.huggingface import HuggingFace
from runner.errors import ComponentError, RequestError
from runner.registry import parse
from runner.runs import Run

CODE = """
import pathlib
import torch
pathlib.Path({marker!r}).touch()

class Own(torch.nn.Module):
    @classmethod
    def load(cls, path, **more):
        return cls()

    def forward(self, features, **more):
        features["sentence_embedding"] = features["sentence_embedding"].flip(1)
        return features
"""


@pytest.fixture(autouse=True)
def _no_leave(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv(trust.VARIABLE, "0")  # so that whatever a test sets is undone
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setitem(trust._state, "allowed", False)
    yield


def _with_code(at: Path, model: str) -> tuple[str, Path]:
    """The folder of a model that flips its vectors by code of its own, which leaves a marker when run."""
    marker = at / "it-ran"
    parts = json.loads((Path(model) / "modules.json").read_text("utf-8"))
    parts.append({"idx": 2, "name": "2", "path": "", "type": "own_code.Own"})
    (Path(model) / "modules.json").write_text(json.dumps(parts), "utf-8")
    (Path(model) / "own_code.py").write_text(CODE.format(marker=str(marker)), "utf-8")
    return model, marker


def _asked(**more: Any) -> HuggingFace:
    made = parse("embedding", {"name": "huggingface", "trust_remote_code": True, **more})
    assert isinstance(made, HuggingFace)
    return made


def test_a58_a_config_cannot_give_leave(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="then give --trust-remote-code on the command line"):
        _asked(model=stub(tmp_path / "m"))


def test_a58_a_variable_set_after_the_start_is_no_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Hydra's `hydra.job.env_set` does, in the process of a command line and in that of a worker."""
    monkeypatch.setenv(trust.VARIABLE, "1")
    assert not trust.allowed()
    code = (
        f"import runner.compose, os\nos.environ[{trust.VARIABLE!r}] = '1'\n"
        "from runner import trust\nprint(trust.allowed())"
    )
    environment = {k: v for k, v in os.environ.items() if k != trust.VARIABLE}
    for given, right in (({}, "False\n"), ({trust.VARIABLE: "1"}, "True\n")):
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment | given, capture_output=True, text=True, check=True
        )
        assert done.stdout == right


def test_a58_a_config_cannot_set_the_variable_for_a_job(line: Line) -> None:
    for variable in (trust.VARIABLE, "RUNNER_PLUGINS"):
        said = line.refusal(f"+hydra.job.env_set.{variable}=1")
        assert f"hydra.job.env_set.{variable}: a config cannot call code" in said


def test_leave_is_for_what_is_pinned(tmp_path: Path) -> None:
    trust.allow()
    assert os.environ[trust.VARIABLE] == "1"  # for the workers of a launcher
    with pytest.raises(RequestError, match="pin the code that you read"):
        _asked(model="org/name")
    assert _asked(model="org/name", revision="0" * 40).trust_remote_code
    elsewhere = stub(tmp_path / "m")
    (tmp_path / "m" / "config.json").write_text('{"auto_map": {"AutoModel": "org/other--code.Own"}}', "utf-8")
    with pytest.raises(ComponentError, match="takes code from another place"):
        _asked(model=elsewhere).identity()


def test_code_is_in_the_identity_of_a_trusted_model(tmp_path: Path) -> None:
    model = stub(tmp_path / "m")
    plain = HuggingFace(model=model).identity()
    (tmp_path / "m" / "own_code.py").write_text("one", "utf-8")
    assert HuggingFace(model=model).identity() == plain  # it is not run
    trust.allow()
    first = _asked(model=model).identity()
    assert first["trust_remote_code"] is True
    (tmp_path / "m" / "own_code.py").write_text("other", "utf-8")
    assert _asked(model=model).identity() != first


@pytest.mark.model
def test_a58_code_runs_only_with_leave(tmp_path: Path) -> None:
    plain = transformer(tmp_path / "plain")
    right = encode(HuggingFace(model=plain).load(1, "cpu"), "the sea").vectors
    model, marker = _with_code(tmp_path, transformer(tmp_path / "m"))
    for step in (
        lambda: HuggingFace(model=model).identity(),
        lambda: HuggingFace(model=model).load(1, "cpu"),
    ):
        with pytest.raises(ComponentError, match=r"brings code of its own \(own_code.Own\)"):
            step()
    forged = HuggingFace(model=model).model_copy(update={"trust_remote_code": True})
    with pytest.raises(ComponentError, match="brings code of its own"):
        forged.load(1, "cpu")
    assert not marker.exists()
    trust.allow()
    got = encode(_asked(model=model).load(1, "cpu"), "the sea").vectors
    assert marker.exists()
    assert (got == right[:, ::-1]).all()


@pytest.mark.model
def test_a58_on_the_command_line(line: Line) -> None:
    model, marker = _with_code(line.at, transformer(line.at / "m"))
    words = (
        "embedding=huggingface", f"embedding.model={model}", "embedding.trust_remote_code=true",
        "retrieval=vector", "tokenizer=words", "tracking=off", "dataset=native", "dataset.path=data",
        "strategy.size=4",
    )  # fmt: skip
    refused = line(*words)
    assert refused.code == 2, refused
    assert "--trust-remote-code" in refused.err
    assert line.runs() == []
    assert not marker.exists()
    done = line(*words, "--trust-remote-code")
    assert done.code == 0, done
    assert marker.exists()
    (key,) = line.runs()
    meta = Run(line.outputs, key).meta
    assert meta["identities"]["embedding"]["trust_remote_code"] is True
    assert meta["config"]["embedding"]["trust_remote_code"] is True
    assert line.experiments()[-1]["command"][-1] == "--trust-remote-code"
