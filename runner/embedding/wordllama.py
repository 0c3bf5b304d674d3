"""`wordllama`: a static table of 32,000 tokens and 256 dimensions, from its package."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from pydantic import Field

from runner import model_files
from runner.embedding.static import Static
from runner.errors import ComponentError

PACKAGE = "wordllama"
INSTALL = "pip install --no-deps wordllama==0.4.0.post1"
TABLE = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
DIGESTS = {
    TABLE: "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
    TOKENIZER: "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
}


class WordLlama(Static):
    """`l2_supercat_256`, averaged as its own library does: all tokens are read."""

    version: ClassVar[int] = 1
    name: str = Field("wordllama", pattern="^wordllama$")
    model: str = "l2_supercat_256"
    digests: dict[str, str] = Field(default_factory=lambda: dict(DIGESTS))
    table: str = TABLE
    tokenizer: str = TOKENIZER
    query_prompt: str | None = ""
    document_prompt: str | None = ""
    max_length: int | None = Field(None, gt=0)

    def folder(self) -> Path:
        """A folder, or the package, which is read and never imported. Raises ComponentError with the mend."""
        folder = Path(self.model) if Path(self.model).is_dir() else model_files.folder_in_package(PACKAGE, "")
        if folder is None:
            raise ComponentError(f"embedding {self.name}: the package wordllama carries the table: {INSTALL}")
        return model_files.checked(folder, self.digests)
