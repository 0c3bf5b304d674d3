"""The command line: every verb with good and bad words, exit codes, JSON, pipes, interrupts, bars."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import termios
from pathlib import Path

import helpers
import pytest
from command import FAST, Line

RUNNER = [sys.executable, "-m", "runner"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The outputs of a sweep of two runs and an invalid cell."""
    at = tmp_path_factory.mktemp("made")
    helpers.tiny(at / "data")
    command = [*RUNNER, *FAST, "dataset.path=data", "-m", "strategy.overlap=0,3,4"]
    assert subprocess.run(command, cwd=at, capture_output=True, check=False).returncode == 1
    return at / "outputs"


@pytest.fixture
def recorded(line: Line, made: Path) -> Line:
    """A copy of `made` to work on."""
    shutil.copytree(made, line.outputs)
    return line


WRONG = [
    ("shw", "there is no verb 'shw'; did you mean 'show'? Valid: compare, data, export, gate, inspect, ls,"),
    ("frobnicate now", "there is no verb 'frobnicate'; Valid: compare,"),
    ("ls x", "ls: 'x' is one argument too many"),
    ("ls --jsn", "there is no option '--jsn'; did you mean '--json'? Valid: --json, --outputs."),
    ("ls --outputs", "--outputs: needs a value"),
    ("show a b", "show: 'b' is one argument too many"),
    ("show zzz", "there is no run 'zzz'; Valid: "),
    ("show --outputs nowhere", "there is no run in nowhere yet; start one: python -m runner"),
    ("verify zzz", "there is no run 'zzz'"),
    ("verify --deep", "there is no option '--deep'"),
    ("report zzz", "there is no experiment 'zzz'"),
    ("report a b", "report: 'b' is one argument too many"),
    ("track zzz", "there is no experiment 'zzz'"),
    ("track a b", "track: 'b' is one argument too many"),
    ("ui x", "ui: 'x' is one argument too many"),
    ("data", "say: python -m runner data check PATH"),
    ("data chek data", "say: python -m runner data check PATH"),
    ("data check nowhere", "dataset.path: 'nowhere' is not there"),
    ("data check data/queries.jsonl", "is a file; this data set is a folder"),
    ("plan top_k=0", "top_k: Input should be greater than 0"),
    ("plan --jso", "unrecognized arguments: --jso"),
    ("-m --cfg job", "Only one of --run, --multirun, --cfg, --info and --shell_completion can be specified"),
]


@pytest.mark.parametrize(("words", "said"), WRONG, ids=[w for w, _ in WRONG])
def test_a_wrong_request_exits_with_2(recorded: Line, words: str, said: str) -> None:
    got = recorded(*words.split(" "))
    assert (got.code, got.out) == (2, "")
    assert said in got.err


RIGHT = [
    "ls",
    "show",
    "show latest",
    "verify",
    "verify latest",
    "report",
    "report default",
    "data check data",
]


@pytest.mark.parametrize("words", RIGHT)
def test_a_verb_speaks_to_people_and_to_programs(recorded: Line, words: str) -> None:
    said = recorded(*words.split(" "))
    assert (said.code, said.err) == (0, "")
    assert said.out.strip()
    as_json = recorded(*words.split(" "), "--json")
    assert as_json.code == 0
    assert json.loads(as_json.out)


def test_what_the_verbs_say(recorded: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = json.loads(recorded("ls", "--json").out)
    assert sorted(r["run"] for r in listed["runs"]) == recorded.runs()
    assert [(e["cells"], e["failed"]) for e in listed["experiments"]] == [(3, 1)]
    newest = listed["runs"][0]["run"]
    assert json.loads(recorded("show", newest[:8], "--json").out)["run"] == newest
    assert f"run {newest}" in recorded("show").out
    assert json.loads(recorded("verify", "--json").out)["damaged"] == []
    rows = json.loads(recorded("verify", newest, "--json").out)
    assert [r["file"] for r in rows if not r["equal"]] == []
    assert json.loads(recorded("data", "check", "data", "--json").out)["judgments"] == len(helpers.GOLD)
    monkeypatch.chdir("/")
    assert newest[:12] in recorded("ls", "--outputs", str(recorded.outputs)).out


def test_a_plan_starts_nothing(line: Line) -> None:
    words = ["-m", *FAST, "dataset.path=data", "top_k=1,2"]
    said = line("plan", *words)
    assert said.code == 0
    assert "plan: 2 cells, 2 distinct runs, 0 finished" in said.out
    assert not (line.outputs / "runs").exists()
    assert not (line.outputs / "sweeps").exists()
    plan = json.loads(line("plan", "--json", *words).out)
    assert (plan["plan"]["runs"], plan["hopeless"]) == ({"cached": 0, "due": 2}, [])
    assert line(*words).code == 0
    assert "2 distinct runs, 2 finished" in line("plan", "--outputs", "outputs", *words).out


def test_a_plan_says_what_cannot_work(line: Line) -> None:
    (line.at / "bad").mkdir()
    said = line("plan", "--json", "-m", *FAST, "dataset.path=data,bad,nowhere", "strategy.overlap=0,4")
    assert said.code == 1
    wrong = [(w["overrides"][-2:], w["status"]) for w in json.loads(said.out)["hopeless"]]
    assert (["dataset.path=bad", "strategy.overlap=0"], "will fail") in wrong
    assert (["dataset.path=nowhere", "strategy.overlap=0"], "invalid") in wrong
    assert (["dataset.path=data", "strategy.overlap=4"], "invalid") in wrong
    assert len(wrong) == 5


def test_damage_is_named_and_does_not_hide_the_rest(recorded: Line) -> None:
    one, other = recorded.runs()
    (recorded.outputs / "runs" / one / "run.json").write_text("{", "utf-8")
    listed = recorded("ls")
    assert listed.code == 0
    assert other[:12] in listed.out
    assert f"damaged: outputs/runs/{one}: is no whole run" in listed.out
    checked = recorded("verify")
    assert checked.code == 1
    assert f"{one}/run.json: damaged (its digest is not the one it was published with)" in checked.out
    assert recorded("show", one).code == 1
    assert recorded.fast("-m", "strategy.overlap=0,3").code == 0
    assert recorded("verify").code == 0


def test_a_broken_data_set_is_no_wrong_request(line: Line) -> None:
    (line.at / "data/queries.jsonl").write_text("{bad\n", "utf-8")
    said = line("data", "check", "data")
    assert said.code == 1
    assert "data/queries.jsonl:1: not JSON" in said.out


def test_outputs_that_cannot_be_made(line: Line) -> None:
    (line.at / "file").write_text("", "utf-8")
    said = line.fast("runtime.outputs=file/outputs")
    assert said.code == 1
    assert "cannot be made (Not a directory); runtime.outputs=… names another place" in said.err


def test_outputs_and_reports_go_where_they_are_told(line: Line) -> None:
    assert line.fast("runtime.outputs=there", "runtime.reports=pages").code == 0
    assert not line.outputs.exists()
    assert {p.name for p in (line.at / "there").iterdir()} == {"experiments", "runs", "store", "sweeps"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--cfg", "job", *FAST], "strategy:\n  name: fixed_size\n  size: 4"),
        (["--cfg", "hydra"], "hydra:\n"),
        ([*FAST, "--info"], "Config search path"),
        (["--info", "searchpath", *FAST], "Config search path"),
        (["--hydra-help"], "Hydra"),
        (["--version"], "Hydra 1."),
    ],
    ids=lambda v: " ".join(v)[:24] if isinstance(v, list) else "",
)
def test_hydras_own_flags_work(line: Line, words: list[str], said: str) -> None:
    got = line(*words)
    assert got.code == 0
    assert said in got.out
    assert not line.outputs.exists()


def test_the_config_of_a_run_is_a_config(line: Line) -> None:
    assert line.fast("top_k=2").code == 0
    (run,) = line.runs()
    said = line(
        "--config-path", str(line.outputs / "runs" / run), "--config-name", "config", "+tracking={uri:off}"
    )
    assert said.code == 0
    assert "1 found finished" in said.out


def test_no_bar_and_no_colour_where_nobody_watches(line: Line) -> None:
    done = subprocess.run(
        [*RUNNER, *FAST, "dataset.path=data"], cwd=line.at, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert not {"\r", "\x1b"} & set(done.stdout)


def test_a_bar_on_a_terminal(line: Line) -> None:
    above, below = pty.openpty()
    termios.tcsetwinsize(below, (24, 100))
    command = [*RUNNER, *FAST, "dataset.path=data"]
    subprocess.run(command, cwd=line.at, stdout=subprocess.DEVNULL, stderr=below, check=True)
    assert b"embedding with hashing" in os.read(above, 10_000)
    os.close(below)
    os.close(above)


def test_a_reader_that_goes_away_is_no_error(recorded: Line) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*RUNNER, "ls"], cwd=recorded.at, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_interrupt_says_how_to_go_on(line: Line) -> None:
    words = [w for w in FAST if not w.startswith("dataset")]
    command = [*RUNNER, "-m", *words, "seed=range(0,30)"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=line.at, text=True, **pipes)
    assert process.stdout.readline().startswith("plan:")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.count("\n")) == (130, 1)
    assert err.endswith("the same command goes on from here\n")
    assert line.experiments() == []
