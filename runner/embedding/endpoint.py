"""`endpoint`: an embedding service over HTTP, in the form of OpenAI's: POST {base_url}/embeddings."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field, model_validator

from runner.embedding.contract import Embedding, Encoder
from runner.http_service import Service

_REACH = Service.REACH | {"batch", "price_per_million_tokens"}
"""How the service is reached and what it costs: no vector depends on it, so it is in no key."""


class Endpoint(Service, Embedding):
    """Texts are sent to the service as they are; its vectors are brought to length 1.

    What decides a vector stays with the service. It is known here by its address, by the name of the model,
    and by the name that its answers give the model, which must not change unnoticed.
    """

    version: ClassVar[int] = 1
    remote: ClassVar[bool] = True
    name: str = Field("endpoint", pattern="^endpoint$")
    base_url: str = "https://api.openai.com/v1"
    model: str = Field(min_length=1)
    served_as: str | None = Field(None, min_length=1)
    """What the answers call the model, where that is not `model`; another name fails the cell."""
    key_env: str | None = "OPENAI_API_KEY"
    dimensions: int | None = Field(None, gt=0)
    """Asked of the service, and checked; None: as many as it gives."""
    batch: int = Field(64, gt=0)
    """Texts a request."""
    price_per_million_tokens: float | None = Field(None, ge=0)
    """So that a report can show money."""

    @model_validator(mode="after")
    def _unseen(self) -> Endpoint:
        if self.on_truncate == "error":
            raise ValueError("on_truncate: only `warn`; a service does not say what it left unread")
        return self

    def settings(self) -> dict[str, Any]:
        """All fields but those that say how to reach the service."""
        return {k: v for k, v in super().settings().items() if k not in _REACH}

    def notes(self) -> list[str]:
        """That texts leave the machine, and what cannot be known of what becomes of them."""
        return [f"embedding {self.name}: texts were sent to {self.host}; what it left unread is not known"]

    def price(self) -> float | None:
        """As the config has it."""
        return self.price_per_million_tokens

    def identity(self) -> dict[str, Any]:
        """Address, model and what the answers must call it. Nothing is asked."""
        return {
            "service": self.base_url,
            "model": self.model,
            "served_as": self.served_as or self.model,
            "dimensions": self.dimensions,
            "version": self.version,
            "normalize": True,
        }

    def load(self, threads: int, device: str) -> Encoder:
        """A client; nothing is asked yet. Raises ComponentError where the key's variable is not set."""
        from runner.embedding._service import ServiceEncoder

        return ServiceEncoder(
            self.client(),
            self.model,
            threads=threads,
            batch=self.batch,
            dimensions=self.dimensions,
            served_as=self.served_as,
        )
