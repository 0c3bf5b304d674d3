"""What a cell leaves in its folder, and what the end of a sweep reads there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from command import Line

from runner import delivery, sweep
from runner.config import Outside, Tracking
from runner.errors import ComponentError, DataError, RequestError
from runner.request import Request
from runner.session import Clock


def test_a_sweeper_that_chooses_its_cells_as_it_goes(line: Line) -> None:
    request = Request(lambda _: None, folder=line.at / "sweep", outside=Outside(tracking=Tracking(uri="off")))
    assert delivery.plan_of(request) is None
    for num in (0, 10, 2):
        sweep.write_status(line.at / "sweep" / "cells" / str(num), sweep.Cell(num, [f"a={num}"], "failed"))
    assert [c.num for c in delivery.finish(request, ["python"]).sweep.cells] == [0, 2, 10]


def test_a_status_that_nobody_left_is_not_started(tmp_path: Path) -> None:
    ran = sweep.Cell(0, ["a=1"], "finished", "r", counters={"texts_embedded": 3})
    sweep.write_status(tmp_path / "0", ran)
    sweep.write_status(tmp_path / "2", replace(ran, num=2, status="found"))
    found = sweep.read_cells({n: (tmp_path / str(n), [f"a={n}"]) for n in (2, 1, 0)})
    assert [(c.num, c.status, c.same_as) for c in found] == [
        (0, "finished", None),
        (1, "not started", None),
        (2, "found", 0),
    ]
    assert found[1].overrides == ["a=1"]
    done = sweep.record(tmp_path, "x", {"a": ["0", "1"]}, found, ["python"])
    assert done.failed
    assert done.totals() == {
        "cells_run": 1, "cells_found": 0, "cells_same": 1, "cells_failed": 1, "texts_embedded": 6
    }  # fmt: skip
    assert sweep.record(tmp_path, "x", {"a": ["0", "1"]}, found, ["python"]).key == done.key
    assert sweep.record(tmp_path, "y", {"a": ["0", "1"]}, found, ["python"]).key != done.key


@pytest.mark.parametrize(
    ("error", "status", "stage", "reason"),
    [
        (RequestError("no"), "invalid", None, "no"),
        (DataError("line 3"), "failed", "dataset", "line 3"),
        (ComponentError("broken"), "failed", None, "broken"),
        (KeyError("x"), "failed", None, "KeyError: 'x'"),
    ],
)
def test_what_becomes_of_an_error(
    tmp_path: Path, error: Exception, status: str, stage: str | None, reason: str
) -> None:
    cell = sweep.failed_cell(3, ["a=1"], error, tmp_path / "3")
    assert (cell.status, cell.stage, cell.reason, cell.run) == (status, stage, reason, None)
    assert type(error).__name__ in (tmp_path / "3" / "traceback.txt").read_text("utf-8")


def test_the_stage_of_an_error_is_the_innermost(tmp_path: Path) -> None:
    clock = Clock()
    with pytest.raises(DataError) as caught, clock.stage("outer"), clock.stage("inner"):
        raise DataError("no chunk")
    assert sweep.failed_cell(0, [], caught.value, tmp_path).stage == "inner"
