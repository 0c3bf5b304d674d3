"""Every field of every config class reaches the dump and the key; what is outside a key cannot get in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import helpers
import pytest
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from runner import keys, registry
from runner.config import (
    GROUPS,
    Component,
    Config,
    ExperimentName,
    Outside,
    Report,
    RunConfig,
    Runtime,
    Threshold,
    Tracking,
)
from runner.keyring import Keyring, keyring
from runner.parts import parts
from runner.session import Session

COMPONENTS = [(g, n) for g in GROUPS for n in registry.built_in(g)]
CLASSES: list[type[Config]] = [
    RunConfig, Threshold, Outside, Tracking, Report, Runtime, ExperimentName,
    *(registry.component_class(g, n) for g, n in COMPONENTS),
]  # fmt: skip
IN_NO_RUN_KEY = {
    "dataset.path": "a data set that moved is the same data set",
    "dataset.on_bad": "what was read decides, and it is fingerprinted",
    "questions": "as many as there are, or more, are all of them; fewer are other fingerprints",
}
"""Fields that may move without another run key, and why."""
BY_CONTENT = {
    ("tokenizer", "path"),
    *(("reranker", f) for f in ("key_env", "timeout", "retries", "requests_per_minute")),
    ("reranker", "price_per_1000_searches"),
    *(("embedding", f) for f in ("key_env", "timeout", "retries", "requests_per_minute", "batch")),
    ("embedding", "price_per_million_tokens"),
    *(("enrichment", f) for f in ("key_env", "timeout", "retries", "requests_per_minute")),
    ("enrichment", "requests_at_once"),
    *(("enrichment", f"price_per_million_{what}_tokens") for what in ("prompt", "completion")),
}
"""Fields that are no settings: where a file lies changes nothing, `identity` holds what is in it; nor does
how a service is reached."""


def moved(value: Any, info: FieldInfo | None = None) -> Any:
    """Another value of the same kind, without a look at the limits of the field."""
    choices = [a for a in _alternatives(info) if a != value]
    if choices:
        return choices[0]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1 if isinstance(value, int) else value + 0.125
    if isinstance(value, dict):
        return {**value, "moved": 1.0 if "float" in str(info) else "1"}
    if isinstance(value, list):
        return [*value, "moved"]
    return f"{value}-moved" if value is not None else _first(info)


def _alternatives(info: FieldInfo | None) -> tuple[Any, ...]:
    return get_args(info.annotation) if info and get_origin(info.annotation) is Literal else ()


def _first(info: FieldInfo | None) -> Any:
    """A value for a field that is None now: of the first type it allows."""
    kinds = get_args(info.annotation) if info else ()
    return {str: "moved", int: 7, float: 0.125}[kinds[0]]


def moves(config: BaseModel) -> Iterator[tuple[str, BaseModel]]:
    """`config` with one field moved, for every field at every depth, by its dotted path."""
    for name, info in type(config).model_fields.items():
        value = getattr(config, name)
        if isinstance(value, BaseModel):
            for path, inner in moves(value):
                yield f"{name}.{path}", config.model_copy(update={name: inner})
        elif isinstance(value, dict) and any(isinstance(v, BaseModel) for v in value.values()):
            for key, entry in value.items():
                for path, inner in moves(entry):
                    yield f"{name}.{key}.{path}", config.model_copy(update={name: {**value, key: inner}})
        else:
            yield name, config.model_copy(update={name: moved(value, info)})


def made(group: str, name: str) -> Component:
    return registry.parse(group, helpers.choice(group, name))


@pytest.fixture
def whole(tmp_path: Path) -> RunConfig:
    """A run in which everything applies: two legs, their fusion, a reranker, windows."""
    return helpers.config(helpers.tiny(tmp_path / "data"), fusion="bonus", reranker="overlap")


@pytest.mark.parametrize("cls", CLASSES, ids=lambda c: f"{c.__module__}.{c.__name__}")
def test_a_config_class_is_frozen_and_strict(cls: type[Config]) -> None:
    settings = cls.model_config
    assert settings.get("frozen")
    assert settings.get("strict")
    assert settings.get("extra") == "forbid"
    assert settings.get("allow_inf_nan") is False


@pytest.mark.parametrize(("group", "name"), COMPONENTS, ids=lambda v: v)
def test_a_component_cannot_be_changed_nor_take_more(group: str, name: str) -> None:
    component = made(group, name)
    with pytest.raises(ValidationError):
        component.name = "other"
    with pytest.raises(ValidationError):
        type(component).model_validate({**component.model_dump(), "no_such_knob": 1})


@pytest.mark.parametrize(("group", "name"), COMPONENTS, ids=lambda v: v)
def test_moving_a_field_of_a_component_moves_settings_run_and_key(
    group: str, name: str, whole: RunConfig
) -> None:
    """A field typed as its base class would drop the subclass's fields: all sizes would share one key."""
    component = made(group, name)
    before = whole.model_copy(update={group: component})
    for path, other in moves(component):
        after = before.model_copy(update={group: other})
        assert isinstance(other, Component)
        if (group, path) not in BY_CONTENT and path != "name":
            assert other.settings() != component.settings(), f"{group}.{path} is not in settings()"
        assert after.model_dump(mode="json") != before.model_dump(mode="json"), (
            f"{group}.{path} is not dumped"
        )
        if (group, path) not in BY_CONTENT:
            assert _stage(group, other) != _stage(group, component), f"{group}.{path} is not in the key"


def _stage(group: str, component: Component) -> str:
    return keys.stage_key(group, component.name, component.version, component.settings())


def test_moving_a_field_of_a_run_moves_its_dump(whole: RunConfig) -> None:
    dumped = [keys.digest(m.model_dump(mode="json")) for _, m in moves(whole)]
    assert len(set(dumped)) == len(dumped)
    assert keys.digest(whole.model_dump(mode="json")) not in dumped


def test_moving_a_field_of_a_run_moves_its_run_key(whole: RunConfig, tmp_path: Path) -> None:
    first = _keys(whole, tmp_path).run
    still = []
    for path, other in moves(whole):
        if path.endswith("name") or path in {"metrics.measures", "fusion.weights"}:
            continue  # choices, not values: another name is another component
        assert isinstance(other, RunConfig)
        try:
            valid = registry.parse_run(other.model_dump())[0]
        except Exception:  # a value beyond its limits: take one that is within
            valid = registry.parse_run(_within(other, path).model_dump())[0]
        if path == "dataset.path":
            valid = _elsewhere(whole, tmp_path)
        if _keys(valid, tmp_path).run == first:
            still.append(path)
    assert sorted(still) == sorted(IN_NO_RUN_KEY)


def _within(config: RunConfig, path: str) -> RunConfig:
    """The limits some fields have, met: a share lies in [0, 1], a stemmer exists."""
    raw = config.model_dump()
    *way, last = path.split(".")
    node = raw
    for step in way:
        node = node[step]
    node[last] = {"stemmer": "german", "b": 0.5, "language": "de", "stopwords": "de"}[last]
    return registry.parse_run(raw)[0]


def _elsewhere(config: RunConfig, tmp_path: Path) -> RunConfig:
    there = str(helpers.tiny(tmp_path / "elsewhere"))
    moved_data = config.dataset.model_copy(update={"path": there})
    return config.model_copy(update={"dataset": moved_data})


def _keys(config: RunConfig, tmp_path: Path, runtime: Runtime | None = None) -> Keyring:
    return keyring(parts(config), Session(runtime or Runtime(outputs=str(tmp_path / "outputs"))))


def test_nothing_outside_is_in_a_key(whole: RunConfig, tmp_path: Path) -> None:
    assert not set(Outside.model_fields) & set(RunConfig.model_fields)
    first = _keys(whole, tmp_path)
    for _, other in moves(Runtime(outputs=str(tmp_path / "a"), reports=str(tmp_path / "b"))):
        assert isinstance(other, Runtime)
        assert _keys(whole, tmp_path, other) == first


@pytest.mark.parametrize("cls", [Outside, Tracking, Report, Runtime, ExperimentName])
def test_the_outside_is_dumped_whole_too(cls: type[Config]) -> None:
    config = cls()
    for path, other in moves(config):
        assert other.model_dump(mode="json") != config.model_dump(mode="json"), path


def test_every_config_class_of_the_project_is_tested_here() -> None:
    def below(cls: type[Config]) -> Iterator[type[Config]]:
        for sub in cls.__subclasses__():
            if sub.__module__.startswith("runner."):
                yield sub
                yield from below(sub)

    bases = {"Component", "SpanStrategy", "TokenModel", "Embedding", "Leg", "Metrics", "Retrieval"}
    bases |= {"Enrichment", "GraphHeader", "Service", "TextHeader"}
    bases |= {"Pack", "Line", "Baseline"}  # of the gate: what is expected of a run, not what is asked
    assert {c.__name__ for c in below(Config)} - bases <= {c.__name__ for c in CLASSES}
