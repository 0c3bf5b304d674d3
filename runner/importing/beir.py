"""Kind `beir`: a BEIR folder, or a .zip archive of one as the BEIR project publishes them."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from runner.dataset.contract import OnBad
from runner.errors import DataError, RequestError
from runner.importing import archive
from runner.importing.loaded import Loaded, through

_GIB = 1 << 30
_LINES = {f"{part}.jsonl{packed}" for part in ("corpus", "queries") for packed in ("", ".gz")}


@dataclass(frozen=True, slots=True)
class BeirFolder:
    """`corpus.jsonl`, `queries.jsonl` (each also `.gz`), `qrels/<split>.tsv`, read as `dataset=beir` does."""

    source: Path
    split: str = "test"
    title: Literal["prepend", "separate"] = "prepend"
    sha256: str = ""
    """The digest the archive must have."""
    max_gib: int = 4
    """What an archive may unpack to."""
    on_bad: OnBad = "error"

    def load(self) -> Loaded:
        """Read and check everything.

        Raises:
            RequestError: no such split; `--sha256` for a folder.
            DataError: the archive is not the one of the digest, hostile or damaged; bad rows.
        """
        if self.source.is_dir():
            if self.sha256:
                raise RequestError("--sha256: is the digest of an archive, SOURCE is a folder")
            return self._read(self.source)
        if self.sha256:
            archive.check_digest(self.source, self.sha256)
        with tempfile.TemporaryDirectory(prefix="runner-import-") as made:
            inside = Path(made)
            files = archive.unpack(self.source, inside, _wanted, self.max_gib * _GIB)
            try:
                loaded = self._read(_folder(files, self.source))
            except (DataError, RequestError) as e:  # with the archive's name for that of a folder soon gone
                kind = RequestError if isinstance(e, RequestError) else DataError
                raise kind(str(e).replace(f"{inside}/", f"{self.source}/")) from None
        return Loaded(loaded.corpus, (self.source,))

    def _read(self, folder: Path) -> Loaded:
        return through("beir", folder.absolute(), split=self.split, title=self.title, on_bad=self.on_bad)


def _wanted(path: PurePosixPath) -> bool:
    return path.name in _LINES or (path.parent.name == "qrels" and path.suffix == ".tsv")


def _folder(files: list[Path], source: Path) -> Path:
    """The one folder that holds a corpus."""
    found = sorted({p.parent for p in files if p.name.startswith("corpus.jsonl")})
    if len(found) != 1:
        raise DataError(f"{source}: holds {len(found)} folders with a corpus.jsonl, one is needed")
    return found[0]
