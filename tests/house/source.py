"""The project's files as the house rules see them: where they lie and what they import."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
RUNNER = ROOT / "runner"
CONF = ROOT / "conf"
TESTS = ROOT / "tests"


@dataclass(frozen=True)
class Import:
    """One import of a module of ours in a module of ours."""

    importer: str
    imported: str
    types_only: bool
    """Under `if TYPE_CHECKING:`, so it is not there at run time."""


def python_files(*folders: Path) -> list[Path]:
    return sorted(p for folder in folders for p in folder.rglob("*.py") if "__pycache__" not in p.parts)


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def modules(package: Path) -> dict[str, Path]:
    """Every module under the folder of a package, by its dotted name; a package is its `__init__.py`."""
    found = {}
    for path in python_files(package):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def imports(package: Path) -> list[Import]:
    """All imports between modules of `package`, those inside functions and under TYPE_CHECKING included."""
    known = modules(package)
    found = []
    for name, path in known.items():
        top = tree(path)
        typed = {id(n) for n in ast.walk(top) if _is_type_checking(n) for n in _inside(n)}
        for node in ast.walk(top):
            for target in dict.fromkeys(_targets(node, known)):
                if target != name:
                    found.append(Import(name, target, id(node) in typed))
    return found


def outside_imports(path: Path, *, top_level_only: bool = False) -> set[str]:
    """The top-level packages that a file imports, by the first part of their name."""
    nodes = _at_import(tree(path)) if top_level_only else ast.walk(tree(path))
    out = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            out |= {a.name.partition(".")[0] for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            out.add(node.module.partition(".")[0])
    return out


def _at_import(top: ast.Module) -> Iterator[ast.AST]:
    """What runs when the module is imported: everything outside functions and TYPE_CHECKING."""
    waiting: list[ast.AST] = list(top.body)
    while waiting:
        node = waiting.pop()
        if _is_type_checking(node) or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        yield node
        waiting += ast.iter_child_nodes(node)


def _targets(node: ast.AST, known: dict[str, Path]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (a.name for a in node.names if a.name in known)
    elif isinstance(node, ast.ImportFrom) and node.module in known:
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            yield inner if inner in known else node.module


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    return (n for statement in getattr(node, "body", []) for n in ast.walk(statement))
