"""Where a result comes from: code, packages, machine. Recorded beside the results, never inside them."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_PACKAGES = (
    "rag-runner", "bm25s", "chonkie", "chonkie-core", "hydra-core", "ir-measures", "langchain-text-splitters",
    "numkong", "numpy", "omegaconf", "onnxruntime", "polars", "pyarrow", "pydantic", "PyStemmer",
    "pytrec-eval-terrier", "semantic-text-splitter", "sentence-transformers", "tokenizers", "torch",
    "transformers", "usearch",
)  # fmt: skip
"""What computes a result, or decides how one is read; those that are not installed are left out."""


@cache
def environment() -> dict[str, Any]:
    """Code commit, package versions, platform, processor, cores.

    No host name, no user, no environment variable.
    """
    return {
        "code": _commit(),
        "packages": {p: v for p in _PACKAGES if (v := _version(p))},
        "python": platform.python_version(),
        "platform": f"{platform.system()}-{platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit() -> dict[str, Any]:
    """The commit that this code was run from; none when it was installed as a package."""
    home = Path(__file__).parent.parent
    if not (home / ".git").exists():
        return {"commit": None, "dirty": None}
    try:
        head, status = (
            subprocess.run(  # noqa: S603 - fixed arguments
                ["git", "-C", str(home), *args],  # noqa: S607 - whichever git there is
                capture_output=True, text=True, check=True, timeout=10,
            ).stdout.strip()
            for args in (("rev-parse", "HEAD"), ("status", "--porcelain", "--untracked-files=no"))
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return {"commit": None, "dirty": None}
    return {"commit": head, "dirty": bool(status)}


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
