"""All there is of Hydra: from a command line to validated configs, and from configs to cells."""

from __future__ import annotations

import contextlib
import copy
import logging
import os
import re
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import hydra
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from runner import harmless, registry, sweep
from runner.complaints import Options, explained
from runner.config import GROUPS, Outside, RunConfig
from runner.errors import RequestError, RunnerError
from runner.parts import parts
from runner.request import Request, arranged, axes, cell_folder, conf_folder, session
from runner.session import silent
from runner.tracking import without_credentials

_KEPT = 256
"""Composed configs that are kept at most; each takes a fifth of a megabyte."""
log = logging.getLogger(__name__)
_CALLBACK = "runner.compose.Plan"
_STOP = "stop"
"""Name of the file that tells the cells of a sweep not to start any more."""
_current: Request | None = None


def launch(arguments: Sequence[str], request: Request) -> None:
    """Give a command line to Hydra and run its cells.

    Raises:
        RequestError: the request is wrong; nothing was started.
        StoreError: the folder of the sweep cannot be made.
    """
    global _current  # noqa: PLW0603 - Hydra makes the callback by name and hands it nothing of ours
    _current = request
    unique = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{uuid.uuid4().hex[:6]}"
    place = "${oc.select:runtime.outputs,outputs}/sweeps/" + unique
    given = [a.partition("=")[0] for a in arguments]
    extra = [f"{k}={place}" for k in ("hydra.run.dir", "hydra.sweep.dir") if k not in given]
    # Also when the config is not ours but, say, the `config.yaml` of a recorded run.
    extra.append(f"++hydra.callbacks.runner._target_={_CALLBACK}")
    os.environ["HYDRA_FULL_ERROR"] = "1"  # errors come to us instead of being printed
    before = sys.argv
    sys.argv = ["runner", *arranged(arguments, extra)]
    try:
        with _guarded():
            conf = str(conf_folder().resolve())
            hydra.main(version_base="1.3", config_path=conf, config_name="config")(job)()
    except (HydraException, OmegaConfBaseException, YAMLError) as e:
        raise explained(e, lambda: _options(arguments)) from e
    except Exception as e:
        if str(e).startswith(("Only one of --run", "The --resolve flag")):
            raise RequestError(str(e)) from None
        if request.folder is None:  # Hydra's own checks of the command line raise ValueError
            raise RequestError(str(e)) if isinstance(e, ValueError) else e from e
        request.stop(request.folder, e)
    except SystemExit:
        if request.error:
            raise request.error from None
        raise
    finally:
        sys.argv = before
        _current = None
        _tidy(request.folder)


def _tidy(folder: Path | None) -> None:
    """Remove Hydra's record of the sweep (ours has no credentials), and a folder nothing was left in."""
    if folder:
        (folder / "multirun.yaml").unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # not empty
        for empty in [folder, folder.parent] if folder else []:
            if empty is folder or empty.name == "sweeps":
                empty.rmdir()


@contextlib.contextmanager
def _guarded() -> Iterator[None]:
    """While it lasts, no config is composed that would call code: Hydra does so right after composing.

    Each config is composed once (60 to 120 ms); Hydra asks for that of every cell three times.
    """
    compose = ConfigLoaderImpl.load_configuration
    made: dict[tuple[Any, str], DictConfig] = {}

    def load(loader: ConfigLoaderImpl, *args: Any, **named: Any) -> DictConfig:
        key = (loader, repr((args, named)))
        config: DictConfig = made[key] if key in made else compose(loader, *args, **named)
        harmless.no_code(OmegaConf.to_container(config, resolve=False), _CALLBACK)
        if len(made) < _KEPT:
            made[key] = config
        return copy.deepcopy(config)

    ConfigLoaderImpl.load_configuration = load
    try:
        yield
    finally:
        ConfigLoaderImpl.load_configuration = compose


class Plan(Callback):  # type: ignore[misc] # Hydra has no types
    """Hydra's hook before the first cell: validates every cell and lets the caller show the plan."""

    def on_run_start(self, config: DictConfig, **_: Any) -> None:
        """One cell."""
        self._start(config, config.hydra.run, lambda: [_overrides(config.hydra)])

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Every cell of Hydra's own sweeper; other sweepers choose their cells as they go."""
        own = str(config.hydra.sweeper._target_).endswith("BasicSweeper")
        if _current and not own:
            with contextlib.suppress(HydraException):  # an interval has no number of values
                _current.grid = len(_combinations(config))
        self._start(config, config.hydra.sweep, lambda: _combinations(config) if own else None)

    def _start(self, config: DictConfig, place: Any, cells: Callable[[], list[list[str]] | None]) -> None:
        request = _current
        if request is None:  # a worker process of a launcher: the parent has planned already
            return
        try:
            _prepare(request, config, Path(place.dir), cells())
            request.on_plan(request)
        except Exception as e:  # Hydra would make a warning of it and go on
            request.error = e
            raise SystemExit(2) from None


def _prepare(request: Request, config: DictConfig, folder: Path, cells: list[list[str]] | None) -> None:
    """Everything that can be known to be wrong before the first cell; then the folder of the sweep."""
    if config.hydra.job.chdir:
        raise RequestError("hydra.job.chdir: paths of a config start where you are; leave it off")
    body = container(config, partial=True)  # an axis may give what is missing here
    request.outside = registry.validate(Outside, {k: body[k] for k in Outside.model_fields if k in body}, "")
    request.cells = None if cells is None else [(c, _parsed(config, c)) for c in cells]
    request.refuse()
    request.axes = axes([c for c, _ in request.cells or []])
    if "runtime.outputs" in request.axes:
        raise RequestError("runtime.outputs: a sweep has one outputs folder; it cannot be an axis")
    request.open(folder)


def _overrides(settings: Any) -> list[str]:
    """The overrides of a cell as they were written: nothing in them is resolved, least of all `oc.env`."""
    found: list[str] = OmegaConf.to_container(settings.overrides.task, resolve=False)
    return found


def _combinations(config: DictConfig) -> list[list[str]]:
    """The overrides of every cell, as Hydra's basic sweeper makes them."""
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
    from hydra.core.override_parser.overrides_parser import OverridesParser

    fixed = [f"{k}={v}" for k, v in (config.hydra.sweeper.params or {}).items()]
    parser = OverridesParser.create(GlobalHydra.instance().config_loader())  # which expands glob()
    overrides = parser.parse_overrides([*fixed, *_overrides(config.hydra)])
    return [list(c) for batch in BasicSweeper.split_arguments(overrides, None) for c in batch]


def _parsed(config: DictConfig, overrides: list[str]) -> RunConfig | RunnerError:
    try:
        loader = GlobalHydra.instance().config_loader()
        parsed = registry.parse_run(container(loader.load_sweep_config(config, overrides)))[0]
        parts(parsed)  # choices that do not fit each other
        return parsed
    except RunnerError as e:
        return e
    except (HydraException, OmegaConfBaseException) as e:
        return explained(e, lambda: _options(overrides))


def container(config: DictConfig, *, partial: bool = False) -> dict[str, Any]:
    """The resolved config without Hydra's own part; with `partial`, what is missing stays `???`.

    Raises:
        RequestError: a value is missing, or reads the environment (which must not reach reports or trackers).
    """
    body = OmegaConf.masked_copy(config, [k for k in config if k != "hydra"])
    harmless.no_environment(OmegaConf.to_container(body, resolve=False))
    try:
        resolved: dict[str, Any] = OmegaConf.to_container(body, resolve=True, throw_on_missing=not partial)
    except OmegaConfBaseException as e:
        raise explained(e, Options) from e
    return resolved


def job(config: DictConfig) -> float | tuple[float, float] | None:
    """One cell, as Hydra (or a launcher's worker) calls it. Never raises: the status file says what happened.

    Returns:
        For sweepers that optimise: the mean of the first measure; tokens beside it if they ask for two.
    """
    settings = HydraConfig.get()
    multirun = settings.mode is not None and settings.mode.name == "MULTIRUN"
    num = int(settings.job.num) if multirun else 0
    overrides = without_credentials(_overrides(settings))
    folder = cell_folder(Path(settings.sweep.dir if multirun else settings.run.dir), num)
    try:
        if (folder.parent / _STOP).exists():
            return None
        parsed, outside = registry.parse_run(container(config))
    except RunnerError as e:
        sweep.write_status(folder, sweep.failed_cell(num, overrides, e, folder))
        return None
    own = session(outside, _current.progress if _current else silent)
    cell = sweep.run_cell(num, overrides, parsed, folder, own)
    if outside.runtime.stop_at_first_failure and cell.run is None:
        (folder.parent / _STOP).touch()
    return sweep.objective(own, cell, several=OmegaConf.is_list(settings.sweeper.get("direction")))


def _options(words: Sequence[str]) -> Options:
    """What can be set in the config that the group choices of a command line make."""
    chosen = [w for w in words if re.fullmatch(rf"({'|'.join((*GROUPS, *Outside.model_fields))})=[\w-]+", w)]
    folders = [words[i + 1] for i, w in enumerate(words[:-1]) if w in {"--config-dir", "-cd"}]
    places = [f"hydra.searchpath=['file://{Path(f).absolute()}']" for f in folders]
    kept = GlobalHydra.instance().hydra
    config: dict[str, Any] = {}
    for tried in ([*places, *chosen], []):
        with contextlib.suppress(HydraException, OmegaConfBaseException, YAMLError):
            GlobalHydra.instance().clear()
            with hydra.initialize_config_dir(str(conf_folder().resolve()), version_base="1.3"):
                composed = hydra.compose("config", tried, return_hydra_config=True)
            config = OmegaConf.to_container(composed, resolve=False)
            break
    GlobalHydra.instance().hydra = kept
    found = [(p.split("[")[0], v) for p, v in harmless.leaves(config)]
    names = {p for p, _ in found}
    names |= {n.rsplit(".", i)[0] for n in names for i in range(1, n.count(".") + 1)}
    known = [(g, config[g]["name"]) for g in GROUPS if config and config[g]["name"] in registry.names(g)]
    fields = {f"{g}.{f}" for g, n in known for f in registry.component_class(g, n).model_fields}
    return Options(names, fields - names, {p for p, v in found if v == {}})
