"""What the encoders share: rows of one length, and texts that any tokenizer takes."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from runner.errors import ComponentError

_SURROGATES = re.compile("[\ud800-\udfff]")


def unit(raw: npt.NDArray[np.float32], dimensions: int | None = None) -> npt.NDArray[np.float32]:
    """Rows of `raw`, shape (n, d), cut to their first `dimensions` and then brought to length 1.

    A zero row stays zero; NaN and infinity pass on to be refused. Divided in float64 and rounded once.

    Raises:
        ComponentError: the rows have fewer than `dimensions` values.
    """
    refuse_more_than(raw.shape[1] if len(raw) else None, dimensions)
    wide = raw[:, :dimensions].astype(np.float64)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        scaled = np.divide(wide, norms, out=wide.copy(), where=norms > 0)
    return np.asarray(scaled, np.float32)


def refuse_more_than(width: int | None, dimensions: int | None) -> None:
    """Raise ComponentError where more `dimensions` are asked for than the model is known to have."""
    if width is not None and dimensions is not None and dimensions > width:
        raise ComponentError(f"embedding.dimensions: {dimensions} is more than the model's {width}")


def encodable(text: str) -> str:
    """`text`, with U+FFFD for each lone surrogate: the tokenizers library takes none."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)
