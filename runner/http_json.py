"""JSON over HTTPS: one POST that retries, keeps to a rate, and lets no key out.

    client = HttpJson("https://api.example.org/v1", key_env="EXAMPLE_API_KEY", requests_per_minute=60)
    answer = client.post("/rerank", {"model": "m", "query": "q", "documents": ["a", "b"]})

`client.requests` and `client.retried` count. Use `safe_url` and `variable_name` to validate config fields:
a config may name the environment variable that holds a key, never the key. Every failure is a ComponentError
whose text holds no key.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import os
import random
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from runner import text
from runner.errors import ComponentError

_LOCAL = {"localhost", "127.0.0.1", "::1"}
_AGAIN = {408, 425, 429, 500, 502, 503, 504, 529}
"""Answers that another try may mend: asked too often or too slowly, or the service is ill."""
_LONGEST = 120.0
"""Seconds that a service may make us wait before it counts as down."""
_BIGGEST = 256 << 20
"""Bytes of an answer; more is no list of scores or vectors."""


def safe_url(url: str) -> str:
    """`url` without a slash at its end, if a key may be sent there and the URL itself may be written down.

    Raises:
        ValueError: not https (http is for this machine only), or it holds a user, a query or a fragment.
    """
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOCAL):
        raise ValueError("needs https://…; http:// is for this machine only")
    if not parts.hostname or "@" in parts.netloc or re.search(r"[?#\s]", url):
        raise ValueError("is recorded with every run: host and path only, no user, password, query, fragment")
    return url.rstrip("/")


def variable_name(name: str) -> str:
    """`name`, if a shared config may name it: an environment variable made to hold a service's key.

    A key pasted in its place is refused unseen, and so is a variable that may hold some other secret, which
    the config would send to an address of its choice.

    Raises:
        ValueError: it does not look like one.
    """
    if not re.fullmatch(r"[A-Z][A-Z0-9_]{1,63}", name):
        raise ValueError("the NAME of an environment variable (A-Z, 0-9, _) that holds the key, not the key")
    if not name.endswith("_API_KEY"):
        raise ValueError("the name must end in _API_KEY: a config must not send other secrets away")
    return name


class _Stay(urllib.request.HTTPRedirectHandler):
    """No redirects: urllib would send the key on to wherever they point."""

    def redirect_request(self, *args: Any) -> None:
        """None: the answer stays an error."""


class HttpJson:
    """One service. May be used from several threads; requests keep to one common rate."""

    def __init__(
        self,
        base_url: str,
        *,
        key_env: str | None = None,
        timeout: float = 60.0,
        retries: int = 5,
        requests_per_minute: float | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """No request is made yet.

        Args:
            base_url: see `safe_url`.
            key_env: the environment variable that holds the key, sent as a bearer token; None: no key.
            timeout: seconds without a byte before a try counts as failed.
            retries: further tries after the first, each after a longer wait.
            requests_per_minute: the most requests to begin within a minute, evenly spaced; None: no limit.
            sleep: how to wait; tests replace it.

        Raises:
            ComponentError: the URL is not safe, or the variable is not set.
        """
        try:
            self._base = safe_url(base_url)
        except ValueError as e:
            raise ComponentError(f"the service's URL {e}") from None
        self._key = _key(key_env)
        self._key_env = key_env
        self._timeout, self._retries, self._sleep = timeout, retries, sleep
        self._gap = 60 / requests_per_minute if requests_per_minute else 0.0
        self._next = 0.0
        self._lock = threading.Lock()
        handlers: list[urllib.request.BaseHandler] = [_Stay()]
        if urllib.parse.urlsplit(self._base).hostname in _LOCAL:
            handlers.append(urllib.request.ProxyHandler({}))
        self._open = urllib.request.build_opener(*handlers).open
        self.requests = self.retried = 0

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """What the service answers to `body`, parsed.

        Raises:
            ComponentError: refused, or still failing after all retries; says what was answered.
        """
        data = json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
        tries = 0
        while True:
            tries += 1
            self._keep_to_rate()
            try:
                return self._once(path, data)
            except _PassingError as e:
                wait = _back_off(tries) if e.wait is None else e.wait
                if wait > _LONGEST:
                    self._fail(path, f"{e}; it asks to be left alone for {wait:.0f} s")
                if tries > self._retries:
                    self._fail(path, f"failed {tries} times, at last: {e}")
            with self._lock:
                self.retried += 1
            self._sleep(wait)

    def _once(self, path: str, data: bytes) -> Any:
        headers = {"Content-Type": "application/json", "User-Agent": "rag-runner"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        # The scheme was checked by `safe_url`.
        request = urllib.request.Request(self._base + path, data, headers, method="POST")  # noqa: S310
        try:
            with self._open(request, timeout=self._timeout) as answer:
                raw = answer.read(_BIGGEST + 1)
        except urllib.error.HTTPError as e:
            self._refused(path, e)
        except (OSError, http.client.HTTPException) as e:  # no connection, cut off, timed out
            raise _PassingError(str(getattr(e, "reason", e)) or type(e).__name__) from None
        if len(raw) > _BIGGEST:
            self._fail(path, f"answered with more than {_BIGGEST >> 20} MB")
        try:
            return json.loads(raw, parse_constant=_no_number)
        except (ValueError, RecursionError) as e:
            raise _PassingError(f"the answer is no JSON ({e})") from None

    def _refused(self, path: str, e: urllib.error.HTTPError) -> NoReturn:
        with e:
            try:
                said = e.read(2000).decode("utf-8", "replace")
            except (OSError, http.client.HTTPException):
                said = ""
        what = f"HTTP {e.code} {text.one_line(self._redacted(said), 200)}".rstrip()  # before it is cut
        if e.code in _AGAIN:
            raise _PassingError(what, _asked_wait(e.headers.get("Retry-After")))
        if e.code in {401, 403}:
            what += f"; is the key in {self._key_env} right?" if self._key_env else "; it may want a key_env"
        self._fail(path, what)

    def _fail(self, path: str, what: str) -> NoReturn:
        raise ComponentError(f"{self._base}{path}: {self._redacted(what)}")

    def _redacted(self, said: str) -> str:
        return said.replace(self._key, "[key]") if self._key else said

    def _keep_to_rate(self) -> None:
        """Wait for this request's turn."""
        with self._lock:
            self.requests += 1
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._gap
        if turn > now:
            self._sleep(turn - now)


class _PassingError(Exception):
    """A failure that another try may mend; `wait`: seconds that the service asked for."""

    def __init__(self, what: str, wait: float | None = None) -> None:
        super().__init__(what)
        self.wait = wait


def _key(variable: str | None) -> str:
    """The value of the variable, which must be set if it is named."""
    if variable is None:
        return ""
    value = os.environ.get(variable, "").strip()
    if not value:
        raise ComponentError(f"the environment variable {variable}, to hold the service's key, is not set")
    if not value.isascii() or not value.isprintable():
        raise ComponentError(f"the key in {variable} has characters that no header can carry")
    return value


def _back_off(tries: int) -> float:
    """1, 2, 4 … 60 seconds, less up to half at random: many clients must not come back at once."""
    return float(min(60.0, 2.0 ** (tries - 1)) * (1 - random.random() / 2))  # noqa: S311 - no secret


def _asked_wait(said: str | None) -> float | None:
    """Seconds from a Retry-After header: a number, or a date."""
    if not said:
        return None
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", said.strip()):
        return float(said)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(said).timestamp() - time.time())
    except ValueError:
        return None


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")
