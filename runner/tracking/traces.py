"""Spans as MLflow traces, written as finished records: two calls a trace, and no global state.

MLflow's live tracing writes every span by itself and keeps its failures to itself; here a trace that could
not be written raises. Ids are digests of run and query, so that what is there already is found.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from runner import keys
from runner.records import QueryTrace
from runner.report.telling import Telling
from runner.runs import Run
from runner.traces import traces as query_traces
from runner.tracking import contents, names, spans
from runner.tracking.client import Client

_PREVIEW = 200


def send(client: Client, owner: Any, run: Run, chosen: Sequence[Telling], *, resumed: bool) -> int:
    """Send the traces of the chosen queries for the MLflow run `owner`; returns how many are there now.

    `resumed`: an earlier delivery may have sent some, which are then left alone.

    Raises:
        StoreError: the store no longer has the texts. Whatever MLflow raises.
    """
    from mlflow.tracing.client import TracingClient

    if not chosen:
        return 0
    tracing = TracingClient(client.where.uri)
    recorded = list(query_traces(run, [c.query_id for c in chosen]))
    found = spans.texts(run, recorded)
    for place, (choice, trace) in enumerate(zip(chosen, recorded, strict=True)):
        trace_id = f"tr-{keys.digest([owner.info.run_id, trace.query_id])[:32]}"
        # The most telling query is the first of the sample, and MLflow lists the newest trace first.
        start = owner.info.start_time - place
        root, stages = spans.root(trace, found), spans.stages(run, trace, found)
        info = _info(client.experiment, owner.info.run_id, trace_id, start, sum(s.seconds for s in stages))
        _describe(info, trace, choice, run, root)
        with client.where.turn():
            if not (resumed and _there(tracing, trace_id)):
                tracing.start_trace(info)
            tracing.log_spans(
                client.experiment, _spans(trace_id, start * 1_000_000, root, stages, trace.text)
            )
    return len(recorded)


def _there(tracing: Any, trace_id: str) -> bool:
    from mlflow.exceptions import MlflowException

    try:
        tracing.get_trace_info(trace_id)
    except MlflowException as e:
        if e.error_code != "RESOURCE_DOES_NOT_EXIST":
            raise
        return False
    return True


def _info(experiment: str, run_id: str, trace_id: str, start: int, seconds: float) -> Any:
    from mlflow.entities import TraceInfo, TraceLocation, TraceState

    return TraceInfo(
        trace_id=trace_id,
        trace_location=TraceLocation.from_experiment_id(experiment),
        request_time=start,
        execution_duration=round(seconds * 1000),
        state=TraceState.OK,
        trace_metadata={"mlflow.sourceRun": run_id},
    )


def _describe(info: Any, trace: QueryTrace, choice: Telling, run: Run, root: spans.Span) -> None:
    """What lists of traces show: question, answer, badge, why it was chosen, its measures as assessments."""
    from mlflow.entities import AssessmentSource, Feedback

    found = ", ".join(d["metadata"]["chunk_id"] for d in root.outputs)
    info.request_preview = trace.text[:_PREVIEW]
    info.response_preview = found[:_PREVIEW] or "nothing"
    info.tags = {
        "mlflow.traceName": names.short(trace.query_id, 100),
        "runner.run": run.key,
        "runner.query_id": names.short(trace.query_id, 1000),
        "runner.badge": contents.badge(run),
        "runner.why": choice.why,
    }
    called, by = names.metrics(trace.measures), AssessmentSource(source_type="CODE", source_id="runner")
    info.assessments = [
        Feedback(name=called[m], value=v, source=by, trace_id=info.trace_id, create_time_ms=info.request_time)
        for m, v in trace.measures.items()
    ]


def _spans(trace_id: str, start: int, root: spans.Span, stages: list[spans.Span], query: str) -> list[Any]:
    """The root and, one after the other below it, the stages, each as long as its share per query."""
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
