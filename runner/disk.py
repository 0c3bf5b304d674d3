"""The disk: what was written is there after a power cut, and what was half-written goes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def sync(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def drop_drafts(root: Path) -> None:
    """Remove the drafts of processes that no longer live (a killed sweep leaves them behind)."""
    for folder, folders, files in os.walk(root):  # passes over what another process removes meanwhile
        drafts = [n for n in (*folders, *files) if n.startswith(".draft-")]
        folders[:] = [n for n in folders if n not in drafts]
        for name in drafts:
            pid, draft = name.split("-")[1], Path(folder) / name
            if pid.isdigit() and _alive(int(pid)):
                continue
            if draft.is_dir():
                shutil.rmtree(draft, ignore_errors=True)
            else:
                draft.unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
