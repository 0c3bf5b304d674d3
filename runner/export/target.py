"""Where an export goes: a file or folder that was not there, written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from runner.disk import sync
from runner.errors import RequestError, StoreError
from runner.text import one_line

T = TypeVar("T")


def publish(target: Path, write: Callable[[Path], T]) -> T:
    """What `write` returns, called with a draft beside `target`, which then gets that name.

    Raises:
        RequestError: the target is there already; an export never overwrites.
        StoreError: the disk refused.
    """
    _free(target)
    draft = target.absolute().parent / f".draft-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    try:
        draft.parent.mkdir(parents=True, exist_ok=True)
        made = write(draft)
        for path in (*draft.glob("*"), draft):
            sync(path)
        _free(target)  # somebody may have been faster
        draft.rename(target)
        sync(draft.parent)
    except OSError as e:
        raise StoreError(
            f"{one_line(str(target))}: could not be written ({e.strerror or e}); nothing was left"
        ) from e
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        with contextlib.suppress(OSError):  # it was a file; or nothing was written
            draft.unlink()
    return made


def _free(target: Path) -> None:
    if target.exists() or target.is_symlink():
        raise RequestError(
            f"export: '{one_line(str(target))}' is there already and is not overwritten; remove it, or name "
            "another with --to"
        )
