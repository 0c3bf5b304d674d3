"""Plugins: components of a person's own, from a folder the environment names or from an installed package.

No config can name one by its place, so a file of settings that somebody shared cannot run code.
"""

from __future__ import annotations

import hashlib
import os
import sys
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from runner import keys
from runner.errors import RequestError

VARIABLE = "RUNNER_PLUGINS"
_named = os.environ.get(VARIABLE, "")
"""Read once, when a command line or a worker imports this: Hydra's `job.env_set` comes later, too late."""
_CODE = {".py", ".pyc", ".so", ".pyd"}


@dataclass(frozen=True, slots=True)
class Plugin:
    """A component that is no part of this package."""

    group: str
    name: str
    source: Path | EntryPoint
    """Its file, or the entry point that names its module."""

    def __str__(self) -> str:
        """For a message: the file, or the distribution and its module."""
        if isinstance(self.source, Path):
            return str(self.source)
        return f"{_distribution(self.source)} ({self.source.value})"


@dataclass(frozen=True, slots=True)
class Code:
    """What a loaded plugin is known by."""

    plugin: Plugin
    digest: str
    """SHA-256 (64 hex characters) of its source."""

    def origin(self) -> dict[str, str]:
        """For the record: digest and file name, or digest, distribution and module."""
        source = self.plugin.source
        if isinstance(source, Path):
            return {"digest": self.digest, "file": source.name}
        return {"digest": self.digest, "distribution": _distribution(source), "module": source.value}


_codes: dict[type, Code] = {}


@cache
def found(group: str) -> dict[str, Plugin]:
    """The plugins of `group` by name, from names of files and entry points; nothing is imported.

    Raises:
        RequestError: a folder that is not there or holds nothing of ours, two plugins of one name.
    """
    out: dict[str, Plugin] = {}
    for plugin in [*_in_folders(group), *_in_packages(group)] if group in _groups() else []:
        if plugin.name in out:
            raise RequestError(
                f"{group}: two plugins are named '{plugin.name}', {out[plugin.name]} and {plugin}; rename one"
            )
        out[plugin.name] = plugin
    return out


def _groups() -> set[str]:
    """Read from the folders, for `--help` waits for no import."""
    return {p.parent.name for p in Path(__file__).parent.glob("*/contract.py")}


def _in_folders(group: str) -> Iterator[Plugin]:
    files = (f for folder in _folders() for f in sorted((folder / group).glob("*.py")))
    return (Plugin(group, f.stem, f) for f in files if not f.name.startswith("_"))


@cache
def _folders() -> tuple[Path, ...]:
    out = dict.fromkeys(Path(part).resolve() for part in _named.split(os.pathsep) if part)
    for folder in out:
        if not folder.is_dir():
            raise RequestError(f"{VARIABLE}: '{folder}' is no folder; name one, or unset the variable")
        if not any((folder / g).is_dir() for g in _groups()):
            raise RequestError(
                f"{VARIABLE}: '{folder}' holds no folder of a group ({', '.join(sorted(_groups()))}); "
                "a strategy lies in strategy/NAME.py under it"
            )
    return tuple(out)


def _in_packages(group: str) -> Iterator[Plugin]:
    return (Plugin(group, e.name, e) for e in entry_points(group=f"runner.{group}"))


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "a package"


def load(plugin: Plugin) -> tuple[ModuleType, Code]:
    """Run the module of a plugin.

    Raises:
        RequestError: it cannot be read or run; the message says what and where.
    """
    source = plugin.source
    try:
        module, digest = _of_file(plugin, source) if isinstance(source, Path) else _of_package(source)
    except (Exception, SystemExit) as e:  # whatever somebody's module does, this request is what ends
        frames = traceback.extract_tb(e.__traceback__)
        lines = [f", line {f.lineno}" for f in frames if f.filename == str(source)]
        raise RequestError(
            f"{plugin}{lines[-1] if lines else ''}: cannot be loaded: {type(e).__name__}: {e}"
        ) from e
    return module, Code(plugin, digest)


def _of_file(plugin: Plugin, path: Path) -> tuple[ModuleType, str]:
    """What runs is what was digested: the file is read once, and no bytecode of an older one is taken."""
    body = path.read_bytes()
    module = ModuleType(f"runner_plugin_{plugin.group}_{plugin.name}")  # no dot: of no package
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # where annotations of its classes are looked up
    try:
        exec(compile(body, str(path), "exec"), module.__dict__)  # noqa: S102 - a file of the user's own folder
    except BaseException:
        del sys.modules[module.__name__]
        raise
    return module, hashlib.sha256(body).hexdigest()


def _of_package(entry: EntryPoint) -> tuple[ModuleType, str]:
    """Of a module in a package the digest is of all code of the outermost package: it may call any of it."""
    if entry.attr:
        raise ValueError(f"an entry point names a module, which defines one component: {entry.module}")
    module = entry.load()
    parts = entry.module.split(".")
    outer = [sys.modules[".".join(parts[: i + 1])] for i in range(len(parts))]
    top = next(m for m in outer if m.__file__)  # a namespace package has none
    home = Path(str(top.__file__))
    if not hasattr(top, "__path__"):
        return module, keys.file_digest(home)
    files = sorted(p for p in home.parent.rglob("*") if p.suffix in _CODE and "__pycache__" not in p.parts)
    return module, keys.digest([[p.relative_to(home.parent).as_posix(), keys.file_digest(p)] for p in files])


def remember(cls: type, code: Code) -> None:
    """Note that `cls` is the component of that plugin."""
    _codes[cls] = code


def code_of(component: object) -> Code | None:
    """What the plugin of a component is known by; None: it is a part of this package."""
    return next((_codes[c] for c in type(component).__mro__ if c in _codes), None)


def edition(component: Any) -> int | str:
    """What stands for the code of a component in a key: the version, of a plugin with its digest."""
    code = code_of(component)
    version: int = component.version
    return version if code is None else f"{version}+{code.digest}"


def identity(component: Any) -> dict[str, Any]:
    """The `identity()` of a model or reranker, of a plugin with its digest."""
    code = code_of(component)
    said: dict[str, Any] = component.identity()
    return said if code is None else {**said, "plugin": code.digest}


def used(components: Iterable[object]) -> dict[str, dict[str, str]]:
    """The plugins among `components`, as `group.name`, each with its origin."""
    codes = [c for c in map(code_of, components) if c]
    return {f"{c.plugin.group}.{c.plugin.name}": c.origin() for c in codes}
