"""What a config may not do: call code, or carry an environment variable into records and reports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from runner import trust
from runner.errors import RequestError

_HYDRAS = ("hydra._internal.", "hydra_plugins.", "optuna.samplers.")
_READS = re.compile(r"\$\{\s*(oc\.env|hydra)\s*:")


def leaves(node: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Every plain value (and empty mapping) in nested mappings and lists, with its path (`a.b[0]`)."""
    if isinstance(node, Mapping) and node:
        for key, value in node.items():
            yield from leaves(value, f"{path}.{key}" if path else str(key))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from leaves(value, f"{path}[{i}]")
    else:
        yield path, node


def no_environment(body: object) -> None:
    """Refuse a config (unresolved, without Hydra's part) that reads the environment.

    Raises:
        RequestError: names the place.
    """
    for path, value in leaves(body):
        if isinstance(value, str) and _READS.search(value):
            raise RequestError(
                f"{path}: reads an environment variable or Hydra's own state ({value}); configs are "
                "recorded, so write the value itself"
            )


def no_code(config: object, callback: str) -> None:
    """Refuse a whole config (unresolved, with Hydra's part) from which something would be called by its name.

    Only Hydra's own launchers and sweepers, its plugins' and our `callback` may be: a file of settings that
    somebody shared must not be able to run anything.

    Raises:
        RequestError: names the place.
    """
    for path, value in leaves(config):
        if _calls(path, str(value), callback) and value is not None:
            raise RequestError(
                f"{path}: a config cannot call code (here {value}); a component is chosen by its `name`, "
                "a launcher or sweeper by its Hydra plugin"
            )


def _calls(path: str, value: str, callback: str) -> bool:
    key = path.rpartition(".")[2]
    if key == "_target_":
        return not (path.startswith("hydra.") and (value == callback or value.startswith(_HYDRAS)))
    if path.startswith(f"hydra.job.env_set.{trust.OURS}"):  # RUNNER_…: leave to run code, and from where
        return True
    if path.startswith(("hydra.job_logging.", "hydra.hydra_logging.")):
        if key == "class":
            return not value.startswith("logging.")
        if key == "()":
            return value != "colorlog.ColoredFormatter"
        return value.startswith("ext://") and not value.startswith("ext://sys.std")
    return path == "hydra.sweeper.custom_search_space"
