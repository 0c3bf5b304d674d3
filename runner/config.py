"""What was asked: frozen, strict config classes. Every field here is in a key, but for those of `Outside`."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, model_validator

LARGEST = 2**31 - 1
"""Above it the libraries underneath overflow, or ask for more memory than there is."""


class Config(BaseModel):
    """Base of every config: frozen, no unknown field, no NaN or infinity, no silent change of type.

    Fields use JSON's own types (list, not tuple; str, not Path), since strict validation changes none.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, protected_namespaces=()
    )

    @model_validator(mode="after")
    def _numbers_of_this_world(self) -> Self:
        for name, value in self:
            if isinstance(value, int) and abs(value) > LARGEST:
                raise ValueError(
                    f"{name}: {value} is above {LARGEST}, the largest whole number a config may hold"
                )
        return self


class Component(Config):
    """One choice of a group: its fields are its config, its methods are what it computes.

    `version` rises whenever the output moves on the golden corpus; it is part of every key.
    """

    version: ClassVar[int] = 1
    name: str

    def settings(self) -> dict[str, Any]:
        """The fields that change results, as JSON values."""
        return self.model_dump(mode="json", exclude={"name"})


class Threshold(Config):
    """Cut-offs that mark candidates. Both compare with >=."""

    similarity: float | None = Field(None, ge=-1, le=1)
    """Least cosine similarity for a vector hit to count, applied before fusion."""
    score: float | None = None
    """Least fused score, applied after fusion."""


class RunConfig(Config):
    """One run: one value of every axis over one data set."""

    dataset: SerializeAsAny[Component]
    tokenizer: SerializeAsAny[Component]
    strategy: SerializeAsAny[Component]
    kg: SerializeAsAny[Component]
    enrichment: SerializeAsAny[Component]
    embedding: SerializeAsAny[Component]
    retrieval: SerializeAsAny[Component]
    fusion: SerializeAsAny[Component]
    reranker: SerializeAsAny[Component]
    metrics: SerializeAsAny[Component]
    top_k: int = Field(5, gt=0)
    neighbor_prev: int = Field(0, ge=0, le=1000)
    neighbor_next: int = Field(0, ge=0, le=1000)
    threshold: Threshold = Threshold()
    filter: dict[str, str | int | bool | list[str]] = Field(default_factory=dict)
    """Equality (`lang: en`) or membership (`lang: [en, de]`) on document metadata."""
    split: Literal["all", "dev", "test"] = "all"
    """Which questions: all, those for choosing, or those for confirming what was chosen."""
    questions: int | None = Field(None, gt=0)
    """At most so many of them, the first of the draw; None: all."""
    seed: int = Field(0, ge=0)
    """Of the draw."""


GROUPS = (
    "dataset", "tokenizer", "strategy", "kg", "enrichment", "embedding",
    "retrieval", "fusion", "reranker", "metrics",
)  # fmt: skip
"""The groups of components, in pipeline order; each is a folder of `conf/` and a field of `RunConfig`."""


class Tracking(Config):
    """Where finished runs are delivered; outside every key."""

    uri: str | None = None
    """MLflow tracking URI; None: `sqlite:///<outputs>/mlflow.db`; `off`: nowhere."""
    traces: int = Field(3, ge=-1)
    """Query traces a run sends: 0 none, -1 all."""


class Report(Config):
    """What the HTML report shows; outside every key."""

    questions: int = Field(30, ge=0)
    """Questions shown with tree and context."""


class Runtime(Config):
    """What changes speed and nothing else; outside every key."""

    outputs: str = Field("outputs", min_length=1)
    reports: str = Field("reports", min_length=1)
    threads: int = Field(0, ge=0)
    """Threads of the embedding pool; 0: as many as cores."""
    device: str = "cpu"
    progress: bool = True
    stop_at_first_failure: bool = False


class ExperimentName(Config):
    """What a sweep is called.

    Presets in `conf/experiment` carry a version, raised when their cells change.
    """

    name: str = Field("default", min_length=1, max_length=100)
    version: int = Field(1, gt=0)


class Outside(Config):
    """The part of a request that is in no key."""

    experiment: ExperimentName = ExperimentName()
    tracking: Tracking = Tracking()
    report: Report = Report()
    runtime: Runtime = Runtime()
