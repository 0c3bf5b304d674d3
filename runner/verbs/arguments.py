"""What the verbs share: their answer, and how the words after a verb are read."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from runner.comparison.paired import MARGIN
from runner.errors import EXIT_OK, RequestError, UnknownNameError, did_you_mean
from runner.inspector.forms import Block, render
from runner.text import one_line

_DIGITS = 9
"""Of a number that counts something."""
Given = dict[str, str | bool]
"""Options by name: True, or their value."""


class Answer(NamedTuple):
    """What a verb found: text for a person, the same as a JSON value, an exit code."""

    text: str
    value: Any
    code: int = EXIT_OK


def parsed(
    words: Sequence[str], flags: Sequence[str] = (), values: Sequence[str] = ()
) -> tuple[list[str], Given]:
    """Positional words, and options by name: `flags` stand alone, `values` take a word or `=value`.

    Every verb takes `--json` and `--outputs FOLDER`.

    Raises:
        RequestError: an option is unknown, has no value or one too many.
    """
    alone, valued = ("--json", *flags), ("--outputs", *values)
    plain: list[str] = []
    given: Given = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        option, equals, value = word.partition("=")
        if not word.startswith("-"):
            plain.append(word)
        elif option in alone:
            if equals:
                raise RequestError(f"{option}: takes no value")
            given[option] = True
        elif option in valued:
            if not equals and not rest:
                raise RequestError(f"{option}: needs a value")
            given[option] = value if equals else rest.pop(0)
        else:
            raise UnknownNameError(
                f"there is no option '{option}'; {did_you_mean(option, [*alone, *valued])}"
            )
    return plain, given


def at_most(n: int, plain: Sequence[str], verb: str) -> None:
    """Raise RequestError where there are more than `n` positional words."""
    if len(plain) > n:
        raise RequestError(f"{verb}: '{plain[n]}' is one argument too many")


def outputs_of(given: Given) -> Path:
    """The folder of runs: `--outputs`, or `outputs`."""
    return Path(str(given.get("--outputs", "outputs")))


def whole_number(given: Given, option: str, what: str = "") -> int | None:
    """The value of an option that counts, or that is `what` ("the number of a cell"); None: it is absent.

    Raises:
        RequestError: it is no whole number.
    """
    value = given.get(option)
    if value is None:
        return None
    if not str(value).isdecimal() or len(str(value)) > _DIGITS:
        raise RequestError(f"{option}: '{one_line(str(value))}' is no whole number{what and f', {what}'}")
    return int(str(value))


def target(given: Given, option: str) -> Path | None:
    """The file that an option asks to be written, through a link; None: it does not.

    Raises:
        RequestError: its folder is not there, or what has that name is no file.
    """
    if option not in given:
        return None
    said = str(given[option])
    try:
        path = Path(said).resolve()
        if not said or not path.parent.is_dir():
            raise RequestError(f"{option}: there is no folder '{one_line(str(path.parent))}'")
        if path.exists() and not path.is_file():
            raise RequestError(f"{option}: '{one_line(said)}' is no file; name one that may be written over")
    except OSError as e:
        raise RequestError(f"{option}: '{one_line(said)}' cannot be written ({e.strerror})") from e
    return path


def only(given: Given, options: Sequence[str], mode: str) -> None:
    """Raise RequestError for an option that says nothing in this use of a verb."""
    idle = [o for o in given if o not in (*options, "--json", "--outputs")]
    if idle:
        raise RequestError(f"{mode}: {idle[0]} says nothing here; leave it out")


def rendered(blocks: Callable[[int], Iterable[Block]], *, plain: bool) -> str:
    """Blocks for the terminal at hand, by its width; coloured where it is one and NO_COLOR is not set."""
    width = shutil.get_terminal_size((100, 24)).columns
    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return render(blocks(width), width=width, plain=plain, color=color)


def measures_of(given: Given) -> list[str] | None:
    """What `--measure` names, each once; None: it is absent.

    Raises:
        RequestError: it names none, or an empty one, as when a variable of CI is not set.
    """
    if "--measure" not in given:
        return None
    asked = [m.strip() for m in str(given["--measure"]).split(",")]
    if not all(asked):
        raise RequestError("--measure: names no measure, or an empty one; for instance SpanR@5,nDCG@10")
    return list(dict.fromkeys(asked))


def margin_of(given: Given) -> float:
    """The difference that does not matter, as `--margin` has it, in units of the measure.

    Raises:
        RequestError: it is not between 0 and 1.
    """
    value = given.get("--margin", MARGIN)
    try:
        margin = float(str(value))
    except ValueError:
        margin = -1.0
    if not 0 <= margin < 1:
        raise RequestError(f"--margin: '{value}' is no difference between 0 and 1")
    return margin
