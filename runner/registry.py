"""The registry: a component is a file. Its stem is its `name`; nothing else has to be listed anywhere."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from pydantic import ValidationError

from runner import plugins
from runner.config import GROUPS, Component, Config, Outside, RunConfig
from runner.errors import ComponentError, RequestError, UnknownNameError, did_you_mean

_NOT_COMPONENTS = {"contract", "stage"}
_PACKAGE = Path(__file__).parent
T = TypeVar("T")
C = TypeVar("C", bound=Config)


@cache
def built_in(group: str) -> tuple[str, ...]:
    """The components of `group` in this package, by file stem; nothing is imported."""
    stems = (p.stem for p in (_PACKAGE / group).glob("*.py"))
    return tuple(sorted(s for s in stems if s not in _NOT_COMPONENTS and not s.startswith("_")))


@cache
def names(group: str) -> tuple[str, ...]:
    """The components of `group`, built in or plugged in; nothing is imported.

    Raises:
        RequestError: a plugin has the name of another component.
    """
    own, others = built_in(group), plugins.found(group)
    for name in own:
        if name in others:
            raise RequestError(
                f"{group}: '{name}' is both runner/{group}/{name}.py and {others[name]}; rename the plugin"
            )
    return tuple(sorted([*own, *others]))


@cache
def component_class(group: str, name: str) -> type[Component]:
    """The component class that the file of this name defines: `runner/<group>/<name>.py`, or a plugin's.

    Raises:
        UnknownNameError: there is no such component; the message lists those there are.
        RequestError: a plugin that cannot be loaded, or does not define what its name promises.
    """
    if name not in names(group):
        raise UnknownNameError(f"{group}: there is no '{name}': {did_you_mean(name, names(group))}")
    plugin = plugins.found(group).get(name)
    if not plugin:
        return _only(importlib.import_module(f"runner.{group}.{name}"), f"runner/{group}/{name}.py")
    module, code = plugins.load(plugin)
    cls = _only(module, str(plugin))
    if cls.model_fields["name"].default != name:
        raise RequestError(f'{plugin}: {cls.__name__} must say `name: Literal["{name}"] = "{name}"`')
    plugins.remember(cls, code)
    return cls


def _only(module: ModuleType, where: str) -> type[Component]:
    found = [
        c
        for _, c in inspect.getmembers(module, inspect.isclass)
        if issubclass(c, Component) and c.__module__ == module.__name__
    ]
    if len(found) != 1:
        raise RequestError(f"{where} must define exactly one Component, it defines {len(found)}")
    return found[0]


def parse(group: str, raw: object) -> Component:
    """The choice of `group` that the mapping `raw` (with a `name`) describes.

    A group whose choice is made of several components (legs, measures) names its class `GROUP` in its
    contract; elsewhere the choice is one component.

    Raises:
        RequestError: not a mapping, no or an unknown `name`, an unknown field, a refused value.
    """
    contract = importlib.import_module(f"runner.{group}.contract")
    whole: type[Component] | None = getattr(contract, "GROUP", None)
    return parse_component(group, raw, cls=whole)


def parse_component(
    group: str, raw: object, *, where: str = "", cls: type[Component] | None = None
) -> Component:
    """One component of `group`.

    `where` is its config path, `cls` its class where the name does not decide it.
    """
    where = where or group
    if isinstance(raw, Component):
        return raw
    if not isinstance(raw, Mapping) or not isinstance(raw.get("name"), str):
        raise RequestError(f"{where}: expected a mapping with a `name`. Choices: {', '.join(names(group))}")
    return validate(cls or component_class(group, raw["name"]), raw, where)


def parse_run(raw: Mapping[str, Any]) -> tuple[RunConfig, Outside]:
    """The run and the part outside its key that a whole resolved config describes.

    Raises:
        RequestError: what is wrong, where and how to mend it.
    """
    known = [*RunConfig.model_fields, *Outside.model_fields]
    for key in raw:
        if key not in known:
            raise UnknownNameError(f"{key}: no such option; {did_you_mean(str(key), known)}")
    body = dict(raw)
    outside = {k: body.pop(k) for k in Outside.model_fields if k in body}
    for group in GROUPS:
        if group not in body:
            raise RequestError(f"{group}: missing. Choices: {', '.join(names(group))}")
        body[group] = parse(group, body[group])
    return validate(RunConfig, body, ""), validate(Outside, outside, "")


def validate(cls: type[C], raw: Mapping[str, Any], where: str) -> C:
    """`raw` as a `cls`; a refusal becomes a RequestError that names each field by its config path."""
    try:
        return cls.model_validate(raw)
    except ValidationError as e:
        found = e.errors(include_url=False)
        unknown = any(err["type"] == "extra_forbidden" for err in found)
        kind = UnknownNameError if unknown else RequestError
        raise kind("\n".join(_explain(cls, err, where) for err in found)) from None


def _explain(cls: type[Config], err: Any, where: str) -> str:
    path = [str(p) for p in err["loc"]]
    shown = ".".join(([where] if where else []) + path) or "config"
    if err["type"] == "extra_forbidden":
        fields = _fields_at(cls, path[:-1])
        return f"{shown}: no such option; {did_you_mean(path[-1], fields)}"
    if err["type"] == "string_type" and isinstance(err["input"], bool | int | float):
        return f"{shown}: YAML read {err['input']!r}, not text; put it in quotes to keep it as it is written"
    message = err["msg"].removeprefix("Value error, ")
    value = "" if err["type"] in {"missing", "value_error"} else f" (got {err['input']!r})"
    return f"{shown}: {message}{value}"


def _fields_at(cls: type[Config], path: list[str]) -> list[str]:
    """The fields of the config class that `path` leads to from `cls`."""
    for step in path:
        annotation = cls.model_fields[step].annotation if step in cls.model_fields else None
        if not (inspect.isclass(annotation) and issubclass(annotation, Config)):
            return []
        cls = annotation
    return list(cls.model_fields)


def as_contract(component: object, contract: type[T]) -> T:
    """`component` typed as `contract` (a runtime-checkable Protocol or a base class).

    Raises:
        ComponentError: it lacks something the contract asks for.
    """
    if not isinstance(component, contract):
        asked = [a for a in {**contract.__annotations__, **vars(contract)} if not a.startswith("_")]
        lacks = [a for a in asked if not hasattr(component, a)] or [f"the base class {contract.__name__}"]
        code = plugins.code_of(component)
        where = code.plugin if code else type(component).__module__
        raise ComponentError(f"{where} does not fulfil {contract.__name__}: it lacks {', '.join(lacks)}")
    return component
