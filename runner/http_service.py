"""A service over HTTP, as a config names it: its address, the name of its key, and how patiently to ask."""

from __future__ import annotations

import urllib.parse
from typing import ClassVar

from pydantic import Field, field_validator

from runner.config import Config
from runner.http_json import HttpJson, safe_url, variable_name


class Service(Config):
    """Fields that every component has which asks a service. Those of `REACH` are in no key."""

    REACH: ClassVar[frozenset[str]] = frozenset({"key_env", "timeout", "retries", "requests_per_minute"})
    """How the service is reached: nothing that it answers depends on it."""
    base_url: str
    """https, up to and without the path of the request; http is for this machine only."""
    key_env: str | None
    """NAME (`…_API_KEY`) of the environment variable with the key, which stands nowhere; None: no key."""
    timeout: float = Field(60.0, gt=0)
    retries: int = Field(5, ge=0)
    requests_per_minute: float | None = Field(None, gt=0)

    @field_validator("base_url")
    @classmethod
    def _safe(cls, value: str) -> str:
        return safe_url(value)

    @field_validator("key_env")
    @classmethod
    def _named(cls, value: str | None) -> str | None:
        return None if value is None else variable_name(value)

    @property
    def host(self) -> str:
        """Where texts are sent, for people."""
        return urllib.parse.urlsplit(self.base_url).netloc

    def client(self) -> HttpJson:
        """A client; nothing is asked yet. Raises ComponentError where the key's variable is not set."""
        return HttpJson(
            self.base_url,
            key_env=self.key_env,
            timeout=self.timeout,
            retries=self.retries,
            requests_per_minute=self.requests_per_minute,
        )
