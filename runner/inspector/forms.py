"""The text form: blocks of a view as lines of a given width; what comes from data is shown, never obeyed."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from runner.text import visible

if TYPE_CHECKING:
    from rich.text import Text

Piece = tuple[str, str]
"""Text and the name of its style; "" for none."""
Cell = str | Sequence[Piece]
EXCERPT = 240
"""Characters shown of a text where many stand together; --json has all of it."""


@dataclass(frozen=True, slots=True)
class Title:
    """A heading."""

    text: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values, one below the other."""

    rows: Sequence[tuple[str, Cell]]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a head; the columns `right` are numbers."""

    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    right: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Prose:
    """A text, perhaps with marked places."""

    text: Cell


@dataclass(frozen=True, slots=True)
class Branch:
    """A tree."""

    label: Cell
    below: Sequence[Branch] = field(default_factory=tuple)


Block = Title | Facts | Table | Prose | Branch


def excerpt(text: str, limit: int = EXCERPT) -> str:
    """The beginning of `text` on one line, and how much is left out."""
    flat = " ".join(text[: 2 * limit].split())
    if len(flat) <= limit and len(text) <= 2 * limit:
        return flat
    return f"{flat[:limit]}… ({len(text):,} characters)" if limit >= EXCERPT else f"{flat[: limit - 1]}…"


def number(value: float | None, digits: int = 4) -> str:
    """A score or similarity; nothing where there is none."""
    return "" if value is None else f"{value:.{digits}f}"


def whole(value: int | None) -> str:
    """A rank or count; nothing where there is none."""
    return "" if value is None else str(value)


def render(blocks: Iterable[Block], *, width: int, plain: bool, color: bool) -> str:
    """The blocks as text of at most `width` cells a line.

    Args:
        blocks: what to show.
        width: of the terminal.
        plain: no boxes and no colours.
        color: write colours, as a terminal understands them.
    """
    from rich.console import Console

    out = io.StringIO()
    console = Console(
        file=out,
        width=max(width, 20),
        color_system="standard" if color and not plain else None,
        force_terminal=color and not plain,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )
    for i, block in enumerate(blocks):
        if i:
            console.print()
        console.print(_drawn(block, plain))
    lines = out.getvalue().rstrip("\n").split("\n")
    return "\n".join(line.rstrip() for line in lines)


def _drawn(block: Block, plain: bool) -> Any:
    if isinstance(block, Title):
        return _text([(block.text, "bold")])
    if isinstance(block, Facts):
        return _facts(block)
    if isinstance(block, Table):
        return _table(block, plain)
    if isinstance(block, Branch):
        return _tree(block, plain)
    return _text(block.text, keep="\n\t")


def _text(cell: Cell, keep: str = "") -> Text:
    """A cell with every hidden character made visible: no escape of the data reaches the terminal."""
    from rich.text import Text

    pieces = [(cell, "")] if isinstance(cell, str) else cell
    return Text.assemble(*((visible(t, keep=keep), style) for t, style in pieces), overflow="fold")


def _facts(block: Facts) -> Any:
    from rich.table import Table as Grid

    grid = Grid.grid(padding=(0, 2), pad_edge=False)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold", ratio=1)
    for name, value in block.rows:
        grid.add_row(_text([(name, "dim")]), _text(value))
    return grid


def _table(block: Table, plain: bool) -> Any:
    from rich import box
    from rich.table import Table as Grid

    grid = Grid(box=None if plain else box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for i, name in enumerate(block.head):
        grid.add_column(_text(name), justify="right" if i in block.right else "left", overflow="fold")
    for row in block.rows:
        grid.add_row(*map(_text, row))
    return grid


def _tree(block: Branch, plain: bool) -> Any:
    from rich.tree import Tree

    def grown(branch: Branch, onto: Tree) -> Tree:
        for inner in branch.below:
            grown(inner, onto.add(_text(inner.label)))
        return onto

    return grown(block, Tree(_text(block.label), guide_style="" if plain else "dim"))
