"""Archives: a .zip is unpacked only if every name in it stays inside, and up to a limit of bytes."""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from runner.errors import DataError
from runner.keys import file_digest
from runner.text import one_line

_BLOCK = 1 << 20


def check_digest(path: Path, wanted: str) -> None:
    """Raise DataError unless the SHA-256 of the file is `wanted` (hex, upper or lower case)."""
    found = file_digest(path)
    if found != wanted.strip().lower():
        raise DataError(
            f"{path}: its SHA-256 is {found}, --sha256 says {one_line(wanted)}; fetch the archive again"
        )


def unpack(archive: Path, into: Path, wanted: Callable[[PurePosixPath], bool], limit: int) -> list[Path]:
    """Unpack the `wanted` members of a zip file; one hostile name refuses the whole archive.

    Args:
        archive: the file.
        into: an empty folder.
        wanted: asked for the path of each member that is a file.
        limit: bytes that may be written in all; what the members really hold counts, not what they say.

    Raises:
        DataError: it is no zip file, damaged, encrypted, leaves the folder, or is too big.
    """
    written: list[Path] = []
    try:
        with zipfile.ZipFile(archive) as z:
            members = [(_safe(archive, m), m) for m in z.infolist()]
            chosen = [(p, m) for p, m in members if not m.is_dir() and wanted(p)]
            if len({p for p, _ in chosen}) < len(chosen):
                raise DataError(f"{archive}: holds the same name twice")
            for path, member in chosen:
                target = into.joinpath(*path.parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                with z.open(member) as source, target.open("xb") as out:
                    while block := source.read(_BLOCK):
                        limit -= len(block)
                        if limit < 0:
                            raise DataError(f"{archive}: unpacks to more than --max-gib allows")
                        out.write(block)
                written.append(target)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as e:
        raise DataError(f"{archive}: cannot be unpacked ({e})") from None
    return written


def _safe(archive: Path, member: zipfile.ZipInfo) -> PurePosixPath:
    """The path of a member, which must be relative, go nowhere up and be neither link nor encrypted."""
    name = member.orig_filename
    path = PurePosixPath(name)
    kind = stat.S_IFMT(member.external_attr >> 16)
    hostile = path.is_absolute() or ".." in path.parts or any(c in name for c in "\\:\0")
    if hostile or kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise DataError(
            f"{archive}: '{one_line(name)}' would leave the folder or is a link; nothing was unpacked"
        )
    if member.flag_bits & 1:
        raise DataError(f"{archive}: '{one_line(name)}' is encrypted; unpack it yourself")
    return path
