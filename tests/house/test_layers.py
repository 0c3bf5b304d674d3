"""The layers: an import points down or sideways, views never compute, components see their contract."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from house.source import ROOT, RUNNER, Import, imports, modules, outside_imports, shown

from runner.config import GROUPS

LAYERS: dict[int, str] = {
    0: "runner runner.config runner.disk runner.errors runner.fates runner.loss_records "
    "runner.records runner.text runner.trust",
    1: "runner.measure_names runner.keys runner.order runner.parents runner.plugins runner.registry "
    "runner.sentences runner.statistics runner.tables",
    # Ground. Every file of a group is here too, but for its stage: contract, components, private helpers.
    2: "runner.store runner.vectors runner.model_files runner.provenance runner.late_interaction "
    "runner.pairs runner.http_json runner.http_service runner.answers runner.ledger",
    # Stages; `<group>.stage` of every group is here too.
    3: "runner.splits runner.selection runner.expansion runner.judge runner.conservation "
    "runner.attribution runner.carriers runner.reached runner.checking runner.importing",
    4: "runner.session runner.single runner.changes runner.counterfactual runner.deeper "
    "runner.parts runner.keyring runner.artifacts runner.pipeline runner.record "
    "runner.planning runner.searching runner.sweep runner.trace runner.rescoring "
    "runner.encoding runner.enriching runner.embedded runner.witness runner.deciding",
    5: "runner.runs runner.named runner.losses runner.traces runner.tracking runner.report runner.inspector "
    "runner.gate runner.published runner.export runner.comparison runner.gating",
    # Of `verbs`, some read run folders and run the pipeline as well: `verify RUN`, `inspect query`.
    6: "runner.__main__ runner.cli runner.compose runner.request runner.complaints runner.harmless "
    "runner.help runner.usage runner.delivery runner.verbs",
}
"""Where each module stands, a folder with all its files. A new module of `runner/` needs a place here; a new
file of a group has one."""

ACROSS = {
    "runner.strategy": {"runner.tokenizer.contract"},  # sizes are counted in the run's tokens
    "runner.enrichment": {
        "runner.kg.contract",
        "runner.tokenizer.contract",
        "runner.http_json",
        "runner.http_service",
    },
    "runner.kg": {"runner.model_files"},
    "runner.embedding": {"runner.model_files", "runner.http_json", "runner.http_service"},
    "runner.tokenizer": {"runner.model_files"},
    "runner.retrieval": {"runner.late_interaction"},
    "runner.reranker": {
        "runner.late_interaction",
        "runner.model_files",
        "runner.http_json",
        "runner.http_service",
    },
}
"""What the files of a group may see beyond their own group, L0 and L1."""

VIEWS_SEE = {"runner.store", "runner.vectors"}
"""What a view may see beyond L0, L1 and other views: the ground it reads from, and nothing that computes."""


def layer(module: str) -> int | None:
    """The layer of a module; None: it has no place."""
    parts = module.split(".")
    if len(parts) > 1 and parts[1] in GROUPS:
        return 3 if parts[2:] == ["stage"] else 2
    for number, names in LAYERS.items():
        known = names.split()
        if module in known or any(module.startswith(f"{k}.") for k in known if k != "runner"):
            return number
    return None


def group(module: str) -> str | None:
    parts = module.split(".")
    return ".".join(parts[:2]) if len(parts) > 1 and parts[1] in GROUPS else None


def breaches(found: Iterable[Import], files: dict[str, Path]) -> list[str]:
    """One sentence for each import that the house does not allow; it names both files."""
    out = []
    for i in found:
        why = _refused(i.importer, i.imported)
        if why:
            out.append(f"{shown(files[i.importer])} imports {shown(files[i.imported])}: {why}")
    return out


def _refused(importer: str, imported: str) -> str | None:
    high, low = layer(importer), layer(imported)
    if high is None or low is None:
        return "one of them has no place in LAYERS"
    if low > high:
        return f"L{high} may not see L{low}"
    if high == 5 and 2 <= low <= 4 and imported not in VIEWS_SEE:
        return "a view shows what was recorded; it cannot compute"
    home = group(importer)
    if home is None or low <= 1 or group(imported) == home or imported in ACROSS.get(home, set()):
        return None
    return "a component sees its own group, L0, L1 and what ACROSS names"


def circles(found: Iterable[Import]) -> list[list[str]]:
    """The circles of imports, each as the modules on it. Type-only imports cannot make one."""
    after: dict[str, list[str]] = {}
    for i in found:
        if not i.types_only:
            after.setdefault(i.importer, []).append(i.imported)
    out: list[list[str]] = []
    done: set[str] = set()

    def walk(module: str, path: list[str]) -> None:
        if module in path:
            out.append([*path[path.index(module) :], module])
        elif module not in done:
            for step in after.get(module, []):
                walk(step, [*path, module])
            done.add(module)

    for module in after:
        walk(module, [])
    return out


def test_every_module_has_a_place() -> None:
    homeless = [shown(p) for m, p in modules(RUNNER).items() if layer(m) is None]
    assert not homeless, f"give these a layer in tests/house/test_layers.py: {', '.join(homeless)}"


def test_every_place_is_taken() -> None:
    named = {m for names in LAYERS.values() for m in names.split()}
    assert not named - set(modules(RUNNER)), "LAYERS names modules that there are not"


def test_imports_point_down_or_sideways() -> None:
    wrong = breaches(imports(RUNNER), modules(RUNNER))
    assert not wrong, "\n".join(wrong)


def test_no_circles() -> None:
    found = circles(imports(RUNNER))
    assert not found, "\n".join(" -> ".join(c) for c in found)


def test_contracts_and_stages_do_not_know_components() -> None:
    for i in imports(RUNNER):
        last, part = i.importer.rsplit(".", 1)[-1], i.imported.rsplit(".", 1)[-1]
        if group(i.importer) and last in {"contract", "stage"} and group(i.imported):
            assert part in {"contract", "_read"}, f"{i.importer} imports {i.imported}: contracts only"


def test_stages_know_neither_store_nor_clock() -> None:
    files = modules(RUNNER)
    for module in (m for m in files if layer(m) == 3):
        assert not {"time", "datetime"} & outside_imports(files[module]), f"{module} has a clock"
    for i in imports(RUNNER):
        if layer(i.importer) == 3:
            stored = {"runner.store", "runner.vectors", "runner.pairs"}
            assert i.imported not in stored, f"{i.importer} sees the store"


def test_only_the_registry_and_the_command_line_import_by_name() -> None:
    # Components, and verbs, of which a command loads one. Nothing stands above the command line.
    by_name = [m for m, p in modules(RUNNER).items() if "import_module" in p.read_text("utf-8")]
    assert by_name == ["runner.cli", "runner.registry"]


@pytest.mark.parametrize("number", LAYERS)
def test_the_table_for_contributors_names_every_module(number: int) -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    row = next(line for line in page.splitlines() if line.startswith(f"| L{number} "))
    said = {name.rstrip("/") for name in re.findall(r"`([^`]+)`", row) if "<" not in name}
    assert said == {m.removeprefix("runner.") for m in LAYERS[number].split()} - {"runner"}


@pytest.mark.parametrize(
    ("importer", "imported", "why"),
    [
        ("runner/order.py", "runner/store.py", "L1 may not see L2"),
        ("runner/fusion/rrf.py", "runner/fusion/stage.py", "L2 may not see L3"),
        ("runner/fusion/rrf.py", "runner/retrieval/contract.py", "a component sees its own group"),
        ("runner/fusion/rrf.py", "runner/store.py", "a component sees its own group"),
        ("runner/runs.py", "runner/artifacts.py", "a view shows what was recorded"),
        ("runner/report/page.py", "runner/fusion/rrf.py", "a view shows what was recorded"),
        ("runner/novel.py", "runner/keys.py", "has no place"),
    ],
)
def test_a_breach_names_both_files(tmp_path: Path, importer: str, imported: str, why: str) -> None:
    for name, body in (
        (imported, ""),
        (importer, f"def f():\n    import {imported[:-3].replace('/', '.')}\n"),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, "utf-8")
    package = tmp_path / "runner"
    (said,) = breaches(imports(package), modules(package))
    assert importer in said
    assert imported in said
    assert why in said


def test_a_circle_is_found_and_a_type_only_one_is_none(tmp_path: Path) -> None:
    package = tmp_path / "runner"
    package.mkdir()
    (package / "a.py").write_text("from runner import b\n", "utf-8")
    (package / "b.py").write_text("def f():\n    from runner.a import x\n", "utf-8")
    (package / "__init__.py").write_text("", "utf-8")
    assert ["runner.a", "runner.b", "runner.a"] in circles(imports(package))
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from runner.a import x\n"
    (package / "b.py").write_text(typed, "utf-8")
    assert circles(imports(package)) == []
