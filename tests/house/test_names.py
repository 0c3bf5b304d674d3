"""One name everywhere: folder = group = config field; stem of a component = its `name` = stem of its YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from house.source import CONF, RUNNER, shown

from runner import registry
from runner.config import GROUPS, Component, Outside, RunConfig

YAMLS = sorted(CONF.rglob("*.yaml"))
CHOICES = [p for p in YAMLS if p.parent.name in GROUPS]
COMPONENTS = [(g, n) for g in GROUPS for n in registry.built_in(g)]


def body(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


def choice(path: Path) -> Any:
    """The component itself: what it chooses in other groups (`defaults`) is no field of it."""
    return {k: v for k, v in body(path).items() if k != "defaults"}


def of_several(group: str) -> bool:
    """Whether a choice of the group is made of several components (legs, measures)."""
    return hasattr(__import__(f"runner.{group}.contract", fromlist=["GROUP"]), "GROUP")


def test_folder_is_group_is_field() -> None:
    packages = {p.parent.name for p in RUNNER.glob("*/contract.py")}
    assert packages == set(GROUPS)
    assert set(GROUPS) <= set(RunConfig.model_fields)
    folders = {p.name for p in CONF.iterdir() if p.is_dir()} - {"hydra"}
    assert folders == set(GROUPS) | set(Outside.model_fields) | {"expected"}  # packs, not choices


def test_a_group_is_a_component_field_and_no_other_field_is() -> None:
    for name, field in RunConfig.model_fields.items():
        assert (field.annotation is Component) == (name in GROUPS), name


@pytest.mark.parametrize(("group", "name"), COMPONENTS, ids=lambda v: v)
def test_a_component_has_a_yaml_of_its_name(group: str, name: str) -> None:
    path = CONF / group / f"{name}.yaml"
    assert path.is_file(), f"runner/{group}/{name}.py has no {shown(path)}"
    assert body(path)["name"] == name


@pytest.mark.parametrize("path", CHOICES, ids=shown)
def test_a_yaml_is_a_choice_of_its_group(path: Path) -> None:
    group = path.parent.name
    made = registry.parse(group, choice(path))
    assert made.name == path.stem
    assert of_several(group) or path.stem in registry.built_in(group)


@pytest.mark.parametrize("path", [p for p in CHOICES if not of_several(p.parent.name)], ids=shown)
def test_a_yaml_shows_every_knob(path: Path) -> None:
    fields = set(registry.component_class(path.parent.name, path.stem).model_fields)
    assert set(choice(path)) == fields, f"{shown(path)}: a knob that is not on the screen cannot be found"


@pytest.mark.parametrize("path", YAMLS, ids=shown)
def test_a_yaml_parses_and_starts_with_a_comment(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.startswith("# "), f"{shown(path)}: say in the first line what it is"
    assert isinstance(body(path), dict)
    if path.parent.name == "experiment":
        assert text.startswith("# @package _global_\n# "), f"{shown(path)}: package first, then what it is"


def test_the_main_config_names_every_group_and_value_once() -> None:
    config = body(CONF / "config.yaml")
    named = [k.removeprefix("override ") for d in config["defaults"] if isinstance(d, dict) for k in d]
    assert config["defaults"][0] == "_self_", "last, it would overrule the values of an experiment file"
    assert {n for n in named if "/" not in n} == set(GROUPS) | set(Outside.model_fields)
    values = set(RunConfig.model_fields) - set(GROUPS)
    assert values <= set(config)
    for name in values - {"threshold", "filter"}:
        assert config[name] == RunConfig.model_fields[name].default, f"{name}: config.yaml and class differ"


def test_outside_yamls_are_the_classes() -> None:
    for group in ("tracking", "report", "runtime"):
        cls: Any = Outside.model_fields[group].annotation
        for path in (CONF / group).glob("*.yaml"):
            assert set(body(path)) == set(cls.model_fields), shown(path)
            cls.model_validate(body(path))
