"""Where runs are delivered: the tracking URI, what of it may be shown or stored, and the lock before it."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from filelock import FileLock

from runner import keys

OFF = "off"
DATABASE = "mlflow.db"
ARTIFACTS = "mlartifacts"
_SQLITE = "sqlite:///"
_ENVIRONMENT = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_LOGGING_LEVEL": "ERROR",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    # MLflow would try for minutes; what is not delivered now can be delivered later.
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
}
_NEXT = re.compile(r",(?=['\"]?(?:\w[\w+.-]*://|off\b))")
"""Between two values of a sweep over tracking URIs."""
_TIMEOUT = ("MLFLOW_HTTP_REQUEST_TIMEOUT", "10")
"""Seconds that a server has for its first answer; an upload has MLflow's two minutes."""


@dataclass(frozen=True, slots=True)
class Destination:
    """An MLflow store or server."""

    uri: str = field(repr=False)
    """With its credentials: for MLflow only."""
    shown: str
    """Without credentials and query: for people, markers and MLflow itself."""
    database: Path | None
    """The file of an SQLite store."""
    artifacts: str | None
    """Where artifacts of a new MLflow experiment go; None: as the server says."""

    @property
    def digest(self) -> str:
        """Names it in file names; no credential goes in, so that a new password changes nothing."""
        where = self.shown if self.database is None else self.database.as_posix()
        return keys.digest(["tracking", where])[: keys.SHORT]

    @property
    def hidden(self) -> bool:
        """Whether `shown` leaves something out."""
        return self.database is None and self.shown != self.uri

    def turn(self) -> AbstractContextManager[object]:
        """A turn at writing: SQLite takes one writer at a time and fails others; servers sort it out."""
        if self.database is None:
            return nullcontext()
        return FileLock(self.database.with_name(f".{self.database.name}.lock"), is_singleton=True)

    def scrub(self, text: str) -> str:
        """`text` (an error of whatever library) without the URI and its credentials."""
        clean = text.replace(self.uri, self.shown)
        if not self.hidden:
            return clean
        user = self.uri.partition("://")[2].rpartition("@")[0]
        password = user.partition(":")[2]
        for part in (self.uri.partition("?")[2], user, password, unquote(password)):
            clean = clean.replace(part, "***") if part else clean
        return clean


def resolve(outputs: Path, uri: str | None) -> Destination | None:
    """The destination that a config means, its path made absolute; None: off."""
    if uri == OFF:
        return None
    if not uri:
        database = outputs / DATABASE
        return _sqlite(database, f"{_SQLITE}{database.as_posix()}", "")
    if uri.startswith(_SQLITE):
        path, mark, query = uri.removeprefix(_SQLITE).partition("?")
        return _sqlite(Path(path), uri, mark + query)
    if uri.startswith(("http://", "https://", "databricks")):
        return Destination(uri, public(uri), None, None)
    # A database server holds no artifacts, and MLflow would put them below the working directory.
    return Destination(uri, public(uri), None, _artifacts(outputs))


def _sqlite(database: Path, shown: str, query: str) -> Destination:
    absolute = database.absolute()
    return Destination(f"{_SQLITE}{absolute.as_posix()}{query}", shown, absolute, _artifacts(absolute.parent))


def _artifacts(folder: Path) -> str:
    return (folder.absolute() / ARTIFACTS).as_uri()


def public(uri: str) -> str:
    """A URI without user, password, query and fragment."""
    return re.split(r"[?#]", _without_user(uri), maxsplit=1)[0]


def _without_user(text: str) -> str:
    clean = re.sub(r"://[^/?#\s,]*@", "://", text)
    # An unquoted slash in a password ends the host early: no port is such, and all up to the last @ goes.
    return re.sub(r"://[^/:\s]*:(?!\d*(?:[/?#,\s]|$)).*@", "://", clean)


def without_credentials(words: Iterable[str]) -> list[str]:
    """Command-line words, safe to store: URIs lose user and password, those of `tracking` their query too."""
    clean = []
    for word in words:
        key, mark, value = word.partition("=")
        value = _without_user(value)
        if key.lstrip("+").strip().split(".")[0] == "tracking":
            value = ",".join(map(_without_query, _NEXT.split(value)))
        clean.append(key + mark + value)
    return clean


def _without_query(text: str) -> str:
    """A tracking URI, quoted or in braces or not, without query and fragment; in SQLite's is no secret."""
    if "://" not in text or text.partition("://")[0].endswith("sqlite"):
        return text
    kept = re.split(r"[?#]", text, maxsplit=1)[0]
    closed = re.search(r"['\"}\]]*$", text)
    return kept if kept == text or closed is None else kept + closed[0]


@contextmanager
def quiet() -> Iterator[None]:
    """Within: MLflow is settled, and nobody below it reports what the one line at the end says.

    urllib3 would name the whole URL, with whatever its query holds.
    """
    settle()
    below = logging.getLogger("urllib3.connectionpool")
    before = below.level
    below.setLevel(logging.ERROR)
    try:
        yield
    finally:
        below.setLevel(before)


def settle() -> None:
    """Set what MLflow reads from the environment; what a person has set stays."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)


@contextmanager
def impatient() -> Iterator[None]:
    """Within: a server that does not answer is given up soon."""
    name, value = _TIMEOUT
    if name in os.environ:
        yield
        return
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]
