"""Spans as MLflow traces, written as finished records: one call for the trace, one for its spans, no global state.

MLflow's live tracing writes every span by itself and keeps its failures to itself; here a trace that could not be
written raises. Ids are digests of run and query, so that writing a trace twice leaves one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from runner import keys
from runner.records import QueryTrace
from runner.runs import Run
from runner.tracking import names, spans
from runner.tracking.client import Client

_PREVIEW = 200


@dataclass(frozen=True, slots=True)
class Target:
    """The MLflow run that the traces belong to."""

    experiment_id: str
    run_id: str
    start_ms: int


def send(client: Client, target: Target, run: Run, queries: list[str]) -> int:
    """Send the traces of these queries; returns how many.

    Raises:
        StoreError: the store no longer has the texts. Whatever MLflow raises.
    """
    from mlflow.tracing.client import TracingClient

    if not queries:
        return 0
    tracing = TracingClient(client.where.uri)
    recorded = list(run.traces(queries))
    found = spans.texts(run, recorded)
    for place, trace in enumerate(recorded):
        trace_id = f"tr-{keys.digest([target.run_id, trace.query_id])[:32]}"
        root = spans.root(trace, found)
        stages = spans.stages(run, trace, found)
        # The worst query is the first of the sample, and MLflow lists the newest trace first.
        start = (target.start_ms - place) * 1_000_000
        with client.where.turn():
            tracing.start_trace(_info(target, trace_id, start, root, stages, trace, run))
            tracing.log_spans(target.experiment_id, _spans(trace_id, start, root, stages, trace.text))
    return len(recorded)


def _info(
    target: Target, trace_id: str, start: int, root: spans.Span, stages: list[spans.Span], trace: QueryTrace, run: Run
) -> Any:  # noqa: ANN401
    from mlflow.entities import AssessmentSource, Feedback, TraceInfo, TraceLocation, TraceState

    by = AssessmentSource(source_type="CODE", source_id="runner")
    called = names.metrics(trace.measures)
    judged = [
        Feedback(name=called[m], value=v, source=by, trace_id=trace_id, create_time_ms=start // 1_000_000)
        for m, v in trace.measures.items()
    ]
    said = [d["metadata"]["chunk_id"] for d in root.outputs]
    return TraceInfo(
        trace_id=trace_id,
        trace_location=TraceLocation.from_experiment_id(target.experiment_id),
        request_time=start // 1_000_000,
        execution_duration=round(sum(s.seconds for s in stages) * 1000),
        state=TraceState.OK,
        request_preview=trace.text[:_PREVIEW],
        response_preview=", ".join(said)[:_PREVIEW] or "nothing",
        client_request_id=names.short(trace.query_id, 50),
        trace_metadata={"mlflow.sourceRun": target.run_id},
        tags={
            "mlflow.traceName": names.short(trace.query_id, 100),
            "runner.run": run.key,
            "runner.query_id": names.short(trace.query_id, 1000),
            "runner.badge": run.badge.text,
        },
        assessments=judged,
    )


def _spans(trace_id: str, start: int, root: spans.Span, stages: list[spans.Span], query: str) -> list[Any]:
    """The root and, one after the other below it, the stages. A stage ran once for all queries, so a span's length is
    the stage's share per query.
    """
    from mlflow.entities import Span

    at = start
    out = []
    for i, stage in enumerate(stages):
        length = max(1000, round(stage.seconds * 1e9))
        out.append(_dict(trace_id, i + 1, stage, at, at + length, query))
        at += length
    return [Span.from_dict(s) for s in (_dict(trace_id, 0, root, start, at, query), *out)]


def _dict(trace_id: str, place: int, span: spans.Span, start: int, end: int, query: str) -> dict[str, Any]:
    said = {
        "mlflow.traceRequestId": trace_id,
        "mlflow.spanType": span.kind,
        "mlflow.spanInputs": {"query": query},
        "mlflow.spanOutputs": span.outputs,
        **span.attributes,
    }
    return {
        "trace_id": trace_id,
        "span_id": keys.digest([trace_id, place])[:16],
        "parent_span_id": keys.digest([trace_id, 0])[:16] if place else None,
        "name": span.name,
        "start_time_unix_nano": start,
        "end_time_unix_nano": end,
        "attributes": {k: json.dumps(v, ensure_ascii=False) for k, v in said.items()},
        "status": {"code": "OK", "message": ""},
        "events": [],
    }
