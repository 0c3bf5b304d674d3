"""From a command line to configs: slips are refused, values keep their type, no code runs."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from command import FAST, Line
from house.source import CONF

from runner import compose, registry
from runner.errors import RequestError
from runner.request import Request, arranged

SLIPS = [
    (
        "strategy=fixd_size",
        "strategy: there is no 'fixd_size': did you mean 'fixed_size'? Valid: cluster, document, ",
    ),
    ("neighbor_prv=1", "neighbor_prv: no such option; did you mean 'neighbor_prev'?"),
    ("+chunk.overlpa=20", "chunk: no such option; Valid: dataset, embedding,"),
    ("++typo.deep=3", "typo: no such option; "),
    ("hydra.ouput_subdir=x", "hydra.ouput_subdir: no such option; did you mean 'output_subdir'?"),
    (
        "hydra/launcher=jobli",
        "hydra/launcher: there is no 'jobli': did you mean 'joblib'?",
    ),
    (
        "strategy.sise=3",
        "strategy.sise: no such option; did you mean 'size'? Valid: name, overlap, size, unit.",
    ),
    (
        "+strategy.sise=3",
        "strategy.sise: no such option; did you mean 'size'? Valid: name, overlap, size, unit.",
    ),
    ("strateg.size=3", "strateg.size: no such option; did you mean 'strategy.size'?"),
    (
        "retrieval.legs.bm25.dept=3",
        "retrieval.legs.bm25.dept: no such option; did you mean 'depth'? Valid: b,",
    ),
    ("+retrieval.legs.bm26.k1=3", "bm26"),
    ("runtime.thread=3", "runtime.thread: no such option; did you mean 'threads'?"),
    ("reranker=overlap reranker.pol=3", "reranker.pol: no such option; did you mean 'pool'?"),
    (
        "filter.lang=en",
        "filter.lang: no such option; it is a mapping; to set an entry of it write +filter.lang=…",
    ),
    ("filter={lang:en}", "it is a mapping; to set an entry of it write +filter.NAME=…"),
    ("~strategy.name", "strategy: expected a mapping with a `name`"),
    ("experiment=nosuch", "experiment: there is no 'nosuch': Valid: chroma_minilm,"),
    ("+strategy=sentence", "Multiple values for strategy"),
    ("strategy", "missing EQUAL"),
    ("metrics.measures=[nDGC@10]", "no family of measures knows 'nDGC@10'"),
    ("dataset.path=nowhere", "dataset.path: 'nowhere' is not there"),
    ("threshold.score=9", "threshold.score: 9 is above 1.3"),
    ("hydra.job.chdir=true", "hydra.job.chdir: "),
    ("--cfg=jobb", "usage: runner"),
    ("--foo", "unrecognized arguments: --foo"),
]

TYPES = [
    (
        "embedding=huggingface embedding.model=a/b embedding.revision=1E234",
        "embedding.revision: YAML read 1e+234, ",
    ),
    ("experiment.name=1.10", "experiment.name: YAML read 1.1, not text; put it in quotes"),
    ("experiment.name=1_000", "experiment.name: YAML read 1000, not text; put it in quotes"),
    ("experiment.name=true", "experiment.name: YAML read True, not text; put it in quotes"),
    ("experiment.name=null", "experiment.name: Input should be a valid string (got None)"),
    ("top_k=.inf", "top_k: Input should be a valid integer (got '.inf')"),
    ("top_k=nan", "top_k: Input should be a valid integer (got nan)"),
    ("top_k=yes", "top_k: Input should be a valid integer (got 'yes')"),
    ("top_k=true", "top_k: Input should be a valid integer (got True)"),
    ("top_k=3.0", "top_k: Input should be a valid integer (got 3.0)"),
    ("top_k='3'", "top_k: Input should be a valid integer (got '3')"),
    ("top_k=0", "top_k: Input should be greater than 0 (got 0)"),
    ("threshold.score=inf", "threshold.score: Input should be a finite number (got inf)"),
    ("threshold.similarity=-nan", "threshold.similarity: "),
    ("retrieval.legs.bm25.k1=nan", "retrieval.legs.bm25.k1: Input should be a finite number (got nan)"),
]

YAML_TYPES = [
    ("experiment: {name: 007}", "experiment.name: YAML read 7, not text; put it in quotes"),
    ("experiment: {name: 1.10}", "experiment.name: YAML read 1.1, not text"),
    ("experiment: {name: 12:30}", "experiment.name: YAML read 750, not text"),
    ("experiment: {name: 1_000}", "experiment.name: YAML read 1000, not text"),
    ("experiment: {name: on}", "experiment.name: YAML read True, not text"),
    ("top_k: yes", "top_k: Input should be a valid integer (got True)"),
    ("top_k: .inf", "top_k: Input should be a valid integer (got inf)"),
    ("threshold: {score: .nan}", "threshold.score: Input should be a finite number (got nan)"),
    ("threshold: {similarity: .inf}", "threshold.similarity: Input should be"),
    ("neighbour_prev: 1", "neighbour_prev: no such option; did you mean 'neighbor_prev'?"),
    ("strategy: {sise: 64}", "strategy.sise: no such option; did you mean 'size'?"),
    ("top_k: [", "my/experiment/mine.yaml"),
    ("experiment: {name: '${oc.env:HOME}'}", "experiment.name: reads an environment variable"),
    ("experiment: {name: '${oc.decode:${oc.env:HOME}}'}", "experiment.name: reads an environment variable"),
    (
        "hydra: {callbacks: {x: {_target_: pathlib.Path}}}",
        "hydra.callbacks.x._target_: a config cannot call code",
    ),
    (
        "hydra: {job_logging: {handlers: {x: {'()': os.system}}}}",
        "hydra.job_logging.handlers.x.(): a config cannot call code",
    ),
    (
        "hydra: {job_logging: {handlers: {x: {class: subprocess.Popen}}}}",
        "hydra.job_logging.handlers.x.class: a config cannot call code",
    ),
    ("hydra: {launcher: {_target_: os.system}}", "hydra.launcher._target_: a config cannot call code"),
    ("embedding: {_target_: os.system}", "embedding._target_: a config cannot call code"),
]


@pytest.mark.parametrize(("words", "said"), SLIPS, ids=[w for w, _ in SLIPS])
def test_a53_a_slip_is_refused_before_any_work(line: Line, words: str, said: str) -> None:
    assert said in line.refusal(*words.split(" "))


@pytest.mark.parametrize(
    "word", ["neighbor_prv=1,2", "strategy=fixed_size,fixd_size", "+chunk.overlpa=20,30"]
)
def test_a53_a_slip_in_an_axis_is_refused_too(line: Line, word: str) -> None:
    assert "no such option" in (said := line.refusal("-m", "top_k=1,2", word)) or "there is no" in said


@pytest.mark.parametrize(("words", "said"), TYPES, ids=[w for w, _ in TYPES])
def test_a54_a_value_keeps_its_type_or_is_refused(line: Line, words: str, said: str) -> None:
    assert said in line.refusal(*words.split(" "))


@pytest.mark.parametrize("name", ["007", "no", "12:30", "1:2", "on"])
def test_a54_text_on_the_command_line_stays_as_written(line: Line, name: str) -> None:
    assert line.fast(f"experiment.name={name}").code == 0
    assert line.experiments()[-1]["name"] == name


def test_a54_numbers_may_be_written_as_numbers(line: Line) -> None:
    assert line.fast("retrieval.legs.bm25.k1=1e-3", "threshold.similarity=0").code == 0


@pytest.mark.parametrize(("body", "said"), YAML_TYPES, ids=[b for b, _ in YAML_TYPES])
def test_a_users_own_file_is_read_as_strictly(line: Line, body: str, said: str) -> None:
    own(line.at, "experiment/mine.yaml", f"# @package _global_\n# mine\n{body}\n")
    assert said in line.refusal("--config-dir", "my", "experiment=mine")


def own(at: Path, name: str, text: str) -> None:
    path = at / "my" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def test_a53_a_users_group_file_with_a_slip(line: Line) -> None:
    own(line.at, "strategy/mine.yaml", "# mine\nname: fixed_size\nsise: 64\n")
    words = [w for w in FAST if not w.startswith("strategy")]
    said = line(*words, "dataset.path=data", "--config-dir", "my", "strategy=mine")
    assert said.code == 2
    assert "strategy.sise: no such option; did you mean 'size'? Valid: name, overlap, size, unit." in said.err


def test_a_knob_that_the_chosen_file_leaves_out_can_be_added(line: Line) -> None:
    own(line.at, "strategy/mine.yaml", "# mine\nname: fixed_size\nsize: 4\n")
    words = [*FAST, "--config-dir", "my", "strategy=mine", "dataset.path=data"]
    assert (
        "strategy.overlap: no such option; the chosen YAML leaves it out"
        in line(*words, "strategy.overlap=1").err
    )
    assert line(*words, "++strategy.overlap=1").code == 0


def test_a_users_own_experiment_runs_wherever_the_flag_stands(line: Line) -> None:
    own(line.at, "experiment/mine.yaml", "# @package _global_\n# mine\nexperiment: {name: mine}\ntop_k: 2\n")
    for words in (("--config-dir", "my", "experiment=mine"), ("experiment=mine", "--config-dir", "my")):
        assert line.fast(*words).code == 0
    (run,) = line.runs()
    assert {e["name"] for e in line.experiments()} == {"mine"}
    assert yaml.safe_load((line.outputs / "runs" / run / "config.yaml").read_text("utf-8"))["top_k"] == 2


@pytest.mark.parametrize(
    "word", ["embedding._target_=os.system", "+embedding._target_=os.system", "_target_=os.system"]
)
def test_a58_nothing_is_called(line: Line, word: str, tmp_path: Path) -> None:
    said = line.refusal(word, f"+embedding._args_=['touch {tmp_path / 'touched'}']")
    assert "a config cannot call code" in said or "no such option" in said
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize("value", ["${oc.env:HOME}", "${oc.env:NO_SUCH,x}", "${hydra:job.name}"])
def test_a58_the_environment_stays_outside(line: Line, value: str) -> None:
    assert "experiment.name: reads an environment variable" in line.refusal(f"experiment.name={value}")


def test_values_may_refer_to_each_other(line: Line) -> None:
    assert line.fast("experiment.name=${strategy.name}").code == 0
    assert line.experiments()[-1]["name"] == "fixed_size"


@pytest.mark.parametrize("path", sorted((CONF / "experiment").glob("*.yaml")), ids=lambda p: p.stem)
def test_every_packaged_experiment_composes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells: list[object] = []

    def look(request: Request) -> None:
        cells.extend(c for _, c in request.cells or [])
        assert request.outside.experiment.name == path.stem
        raise SystemExit(0)

    monkeypatch.chdir("/")  # nothing may be written: the folder of the sweep is made just before the plan
    monkeypatch.setattr(Request, "open", lambda self, folder: None)
    with pytest.raises(SystemExit):
        compose.launch([f"experiment={path.stem}"], Request(look))
    assert cells
    assert not [c for c in cells if isinstance(c, RequestError)]
    expected = yaml.safe_load(path.read_text("utf-8"))
    chosen = [(k, v) for d in expected.pop("defaults", []) for k, v in d.items() if v]
    groups = {k.removeprefix("override /"): v for k, v in chosen}
    for cell in cells:
        assert all(
            getattr(cell, g).name == registry.parse(g, {**_yaml(g, n)}).name for g, n in groups.items()
        )
        if "top_k" in expected:
            assert cell.top_k == expected["top_k"], "`_self_` must come first in config.yaml"


def _yaml(group: str, name: str) -> dict[str, object]:
    loaded: dict[str, object] = yaml.safe_load((CONF / group / f"{name}.yaml").read_text("utf-8"))
    return loaded


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (["a=1", "-m", "b=2"], ["a=1", "b=2", "x=y", "-m"]),
        (["-m", "--config-dir", "my", "a=1"], ["a=1", "x=y", "-m", "--config-dir", "my"]),
        (["--cfg", "job", "a=1"], ["a=1", "x=y", "--cfg", "job"]),
        (["--info", "a=1"], ["a=1", "x=y", "--info"]),
        (["--info", "config", "~a"], ["~a", "x=y", "--info", "config"]),
        (["--config-dir"], ["x=y", "--config-dir"]),
        ([], ["x=y"]),
    ],
)
def test_overrides_are_brought_together(given: list[str], wanted: list[str]) -> None:
    assert arranged(given, ["x=y"]) == wanted
