"""The text form: blocks of a view as lines of a given width; what comes from data is shown, never obeyed."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from runner.text import visible

if TYPE_CHECKING:
    from rich.console import Console
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
        if isinstance(block, Facts):
            for line in _facts(block, console):
                console.print(line, no_wrap=True, crop=False, overflow="ignore")
        else:
            console.print(_drawn(block, plain))
    lines = out.getvalue().rstrip("\n").split("\n")
    return "\n".join(line.rstrip() for line in lines)


def _drawn(block: Title | Table | Prose | Branch, plain: bool) -> Any:
    if isinstance(block, Title):
        return _text([(block.text, "bold")])
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


def _facts(block: Facts, console: Console) -> Iterator[Text]:
    """Lines with a hanging indent; laid out here, since a grid of the library takes ten times as long."""
    names = [_text([(name, "dim")]) for name, _ in block.rows]
    indent = min(max(n.cell_len for n in names) + 2, console.width // 2)
    for name, (_, value) in zip(names, block.rows, strict=True):
        lines = _text(value).wrap(console, console.width - indent, overflow="fold")
        if name.cell_len >= indent:  # no room beside it
            yield from name.wrap(console, console.width, overflow="fold")
            name.truncate(0)
        for i, line in enumerate(lines):
            lead = _text("") if i else name
            lead.pad_right(indent - lead.cell_len)
            yield lead + line


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
