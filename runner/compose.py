"""All there is of Hydra: from a command line to validated configs, and from configs to cells."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import hydra
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from runner import registry, sweep
from runner.config import RunConfig
from runner.errors import RequestError, UnknownNameError, did_you_mean
from runner.request import Request, cell_folder, session
from runner.session import silent

_STOP = "stop"
"""Name of the file that tells the cells of a sweep not to start any more."""


def conf_folder() -> Path:
    """The packaged `conf/`: inside the installed package, or beside it in a checkout."""
    inside = Path(__file__).parent / "conf"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "conf"


_current: Request | None = None


def launch(arguments: Sequence[str], request: Request) -> None:
    """Give a command line to Hydra and run its cells.

    Raises:
        RequestError: the request is wrong; nothing was started.
    """
    global _current  # noqa: PLW0603 - Hydra makes the callback by name and hands it nothing of ours
    _current = request
    unique = f"outputs/sweeps/{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{uuid.uuid4().hex[:6]}"
    given = [a.partition("=")[0] for a in arguments]
    extra = [f"{k}={unique}" for k in ("hydra.run.dir", "hydra.sweep.dir") if k not in given]
    # Also when the config is not ours but, say, the `config.yaml` of a recorded run.
    extra.append(f"++hydra.callbacks.runner._target_={Plan.__module__}.{Plan.__name__}")
    os.environ["HYDRA_FULL_ERROR"] = "1"  # errors come to us instead of being printed
    before = sys.argv
    # Beside the first override: argparse wants all overrides of a command line in one place.
    place = next((i for i, a in enumerate(arguments) if re.match(r"[^-].*=|~", a)), len(arguments))
    sys.argv = ["runner", *arguments[:place], *extra, *arguments[place:]]
    try:
        hydra.main(version_base="1.3", config_path=str(conf_folder().resolve()), config_name="config")(job)()
    except (HydraException, OmegaConfBaseException) as e:
        raise _explained(e) from e
    except SystemExit:
        if request.error:
            raise request.error from None
        raise
    finally:
        sys.argv = before
        _current = None


class Plan(Callback):  # type: ignore[misc] # Hydra has no types
    """Hydra's hook before the first cell: validates every cell and lets the caller show the plan."""

    def on_run_start(self, config: DictConfig, **_: Any) -> None:
        """One cell."""
        self._start(config, config.hydra.run.dir, [list(config.hydra.overrides.task)])

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Every cell of Hydra's own sweeper; other sweepers choose their cells as they go."""
        own = str(config.hydra.sweeper._target_).endswith("BasicSweeper")
        self._start(config, config.hydra.sweep.dir, _combinations(config) if own else None)

    def _start(self, config: DictConfig, folder: str, cells: list[list[str]] | None) -> None:
        request = _current
        if request is None:  # a worker process of a launcher: the parent has planned already
            return
        try:
            _, request.outside = registry.parse_run(container(config))
            request.cells = None if cells is None else [(c, _parsed(config, c)) for c in cells]
            _refuse(request.cells)
            request.axes = _axes([c for c, _ in request.cells or []])
            request.folder = Path(folder)
            try:
                request.folder.mkdir(parents=True, exist_ok=False)
            except FileExistsError:
                raise RequestError(
                    f"{folder}: this sweep folder exists already; another sweep may be using it"
                ) from None
            request.on_plan(request)
        except RequestError as e:
            request.error = e
            raise SystemExit(2) from None


def _refuse(cells: list[tuple[list[str], RunConfig | RequestError]] | None) -> None:
    """Stop the whole request when a name does not exist, or when no cell is valid."""
    if cells is None:
        return
    errors = [(c, e) for c, e in cells if isinstance(e, RequestError)]
    for _, e in errors:
        if isinstance(e, UnknownNameError):
            raise e
    if not cells:
        raise RequestError("the sweep has no cell: an axis has no value")
    if errors and len(errors) == len(cells):
        raise errors[0][1]


def _combinations(config: DictConfig) -> list[list[str]]:
    """The overrides of every cell, as Hydra's basic sweeper makes them."""
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
    from hydra.core.override_parser.overrides_parser import OverridesParser

    fixed = [f"{k}={v}" for k, v in (config.hydra.sweeper.params or {}).items()]
    overrides = OverridesParser.create().parse_overrides([*fixed, *config.hydra.overrides.task])
    return [list(c) for batch in BasicSweeper.split_arguments(overrides, None) for c in batch]


def _parsed(config: DictConfig, overrides: list[str]) -> RunConfig | RequestError:
    try:
        loader = GlobalHydra.instance().config_loader()
        return registry.parse_run(container(loader.load_sweep_config(config, overrides)))[0]
    except RequestError as e:
        return e
    except (HydraException, OmegaConfBaseException) as e:
        return _explained(e)


def _axes(cells: list[list[str]]) -> dict[str, list[str]]:
    """The values that each override takes over the cells, for those that take more than one."""
    values: dict[str, dict[str, None]] = {}
    for overrides in cells:
        for override in overrides:
            key, _, value = override.partition("=")
            values.setdefault(key, {})[value] = None
    return {k: list(v) for k, v in values.items() if len(v) > 1}


def container(config: DictConfig) -> dict[str, Any]:
    """The resolved config without Hydra's own part.

    Raises:
        RequestError: a value is missing, or reads the environment (which must not reach reports or trackers).
    """
    body = OmegaConf.masked_copy(config, [k for k in config if k != "hydra"])
    for path, value in _leaves(OmegaConf.to_container(body, resolve=False)):
        if isinstance(value, str) and "${oc.env" in value.replace(" ", ""):
            raise RequestError(
                f"{path}: reads an environment variable; configs are recorded, so write the value itself"
            )
    try:
        resolved: dict[str, Any] = OmegaConf.to_container(body, resolve=True, throw_on_missing=True)
    except OmegaConfBaseException as e:
        raise _explained(e) from e
    return resolved


def _leaves(node: object, path: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from _leaves(value, f"{path}[{i}]")
    else:
        yield path, node


def job(config: DictConfig) -> float | None:
    """One cell, as Hydra (or a launcher's worker) calls it. Never raises: the status file says what happened.

    Returns:
        The mean of the first measure, for sweepers that optimise.
    """
    settings = HydraConfig.get()
    multirun = settings.mode is not None and settings.mode.name == "MULTIRUN"
    num = int(settings.job.num) if multirun else 0
    overrides = list(settings.overrides.task)
    folder = cell_folder(Path(settings.sweep.dir if multirun else settings.run.dir), num)
    try:
        if (folder.parent / _STOP).exists():
            return None
        parsed, outside = registry.parse_run(container(config))
    except RequestError as e:
        sweep.write_status(folder, sweep.failed_cell(num, overrides, e, folder))
        return None
    own = session(outside, _current.progress if _current else silent)
    cell = sweep.run_cell(num, overrides, parsed, folder, own)
    if outside.runtime.stop_at_first_failure and cell.run is None:
        (folder.parent / _STOP).touch()
    return sweep.objective(own, cell)


def _explained(error: Exception) -> RequestError:
    """Hydra's complaint in one sentence, with the nearest valid name."""
    text = str(error)
    choice = re.search(r"Could not find '([^']+)/([^'/]+)'", text)
    if choice:
        group, name = choice.groups()
        options = list(getattr(error, "options", None) or [])
        return UnknownNameError(f"{group}: there is no '{name}': {did_you_mean(name, options)}")
    key = re.search(r"Could not override '([^']+)'", text) or re.search(
        r"Key '([^']+)' is not in struct", text
    )
    if key:
        return UnknownNameError(f"{key[1]}: no such option; {_near(key[1])}")
    missing = re.search(r"Missing mandatory value: (\S+)", text)
    if missing:
        return RequestError(f"{missing[1]}: needs a value, for instance {missing[1]}=…")
    return RequestError(text.strip())


def _near(key: str) -> str:
    """The option nearest to `key` in the default config, Hydra's own among them."""
    with contextlib.suppress(HydraException, OmegaConfBaseException, ValueError):
        GlobalHydra.instance().clear()
        with hydra.initialize_config_dir(str(conf_folder().resolve()), version_base="1.3"):
            config = hydra.compose("config", return_hydra_config=True)
        names = {p.split("[")[0] for p, _ in _leaves(OmegaConf.to_container(config, resolve=False))}
        names |= {n.rsplit(".", i)[0] for n in names for i in range(1, n.count(".") + 1)}
        if not key.startswith("hydra"):
            names = {n for n in names if not n.startswith("hydra")}
        if key in names:
            return f"the config you chose does not have it; to add it write ++{key}=…"
        beside = key.rpartition(".")[0]
        same = [n for n in names if n.rpartition(".")[0] == beside]
        return did_you_mean(key, names, same or [n for n in names if "." not in n])
    return "see `python -m runner --cfg job`"
