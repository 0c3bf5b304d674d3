"""What `VERB --help` says: how each verb is called, and every option it takes."""

from __future__ import annotations

USAGE: dict[str, str] = {
    "plan": """python -m runner plan [-m] [OVERRIDE…] [--power] [--json] [--outputs DIR]

What a run or sweep would do: cells, stages cached or due, seconds.
  --power    what the questions can decide, from the variance of earlier runs""",
    "ls": """python -m runner ls [--json] [--outputs DIR]

Experiments and runs, newest first, with what the newest sweep called each.""",
    "show": """python -m runner show [RUN] [--json] [--outputs DIR]

One run: its choices, stages with rows in and out, measures, warnings.""",
    "verify": """python -m runner verify [RUN] [--json] [--outputs DIR]

Compare every stored file with its digest.
With RUN: compute it again in an empty store and compare the bytes.""",
    "report": """python -m runner report [EXPERIMENT] [--single-file] [--reports DIR] [--json] [--outputs DIR]

Write the pages of an experiment again, where something changed; `reports/` beside the outputs.
  --single-file    one file to send on
  --reports DIR    the folder of the site""",
    "track": """python -m runner track [EXPERIMENT] [--pending] [--json] [--outputs DIR]

Deliver finished runs to MLflow.
  --pending    every experiment that was not delivered""",
    "ui": """python -m runner ui [--print] [--json] [--outputs DIR]

Open the MLflow UI on the store of the outputs folder.
  --print    only say the command""",
    "data": """python -m runner data check PATH [dataset.FIELD=VALUE…] [options]
python -m runner data import KIND SOURCE --to FOLDER [--licence TEXT] [options of the kind]

Check a data set, or make a native one.
  --dataset NAME    of another form than a native folder: chroma, beir, squad, …
  --size 200, --unit tokens|characters    of a chunk, for gold that no chunk can hold
  --licence TEXT    of the source
  --json, --outputs DIR    as for every verb""",
    "compare": """python -m runner compare [EXPERIMENT] [--baseline CELL] [options]
python -m runner compare RUN RUN… [--baseline RUN] [options]

Differences with intervals and verdicts, at equal top_k and at equal tokens; the latest experiment by default.
  --measure NAME,…    these measures in the table, SpanR@500t for a token budget
  --all-measures      all of them
  --all-pairs         every pair, not only with the baseline
  --margin 0.01       the difference that does not matter
  --force             numbers, without verdict, of runs that may not be compared
  --json, --outputs DIR    as for every verb""",
    "select": """python -m runner select EXPERIMENT --measure NAME [OVERRIDE…] [options]

Choose among the cells of a preset or of a recorded experiment on the dev half; confirm it once on test.
  --budget TOKENS     contexts of at most so many tokens, on average
  --baseline CELL     what the choice is compared with; the first cell
  --halving           few questions for all cells first, all questions for few
  --margin 0.01       the difference that does not matter
  --json, --outputs DIR    as for every verb""",
    "gate": """python -m runner gate --baseline FILE|RUN [RUN] [options]
python -m runner gate --save FILE [RUN]
python -m runner gate --expected NAME|all [--markdown]

Is a run (the latest by default) worse than a baseline, by more than chance and than matters?
Exit code 0: no, 1: yes, 2: they cannot be compared.
  --measure NAME,…    what is judged; the first of the baseline
  --budget-tokens N   recall of gold text in the first N tokens instead
  --margin 0.01       the difference that does not matter
  --max-latency-ratio R    fails where the search takes more than R times as long
  --strict            fails also where it is not shown to be within the margin
  --candidate RUN     the same as RUN
  --save FILE         write a baseline; with --baseline where the gate opens
  --junit FILE, --summary FILE, --markdown    JUnit XML; Markdown as a file or instead of the text
  --json, --outputs DIR    as for every verb""",
    "inspect": """python -m runner inspect chunks DOC | query TEXT|ID | neighbors CHUNK [--run RUN] [options]
python -m runner inspect diff RUN_A RUN_B [QUERY]

What each stage did: docs/inspector.md.
  chunks       --boundaries: where and why it is cut; --health: tiny, cut, duplicated chunks of all
  query        --explain: scores in parts; --show-misses: what was found and dropped; --execute: again
  neighbors    --top 8; --re-embed: with a vector made now
  --plain      no lines, no colour
  --json, --outputs DIR    as for every verb""",
    "why": """python -m runner why [RUN] [QUERY] [options]

At which stage gold was lost: of a run, or of one question.
  --deeper     how deep the legs would have had to look
  --confirm    which single change brings the gold of QUERY back; --all: dear changes too
  --plain      no lines, no colour
  --json, --outputs DIR    as for every verb""",
    "export": """python -m runner export [RUN] --format jsonl|parquet|trec [--to NAME] [--context-columns]

The corpus with its vectors as a store would take it, or ranking and qrels for trec_eval.
  --to NAME            file or folder; else in outputs/exports
  --context-columns    the headers too, in Parquet
  --json, --outputs DIR    as for every verb""",
}
