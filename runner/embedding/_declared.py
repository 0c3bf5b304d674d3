"""What the files of a model say of it: the prompts it was trained with, and whether it brings code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from runner.embedding.contract import Prompts
from runner.errors import ComponentError

_DOCUMENT = ("document", "passage", "corpus")
"""Names of the prompt for what is searched, in the order in which sentence-transformers looks for them."""
_ROUTES = ("Router", "Asym")


def prompts(folder: Path, query: str | None, document: str | None) -> Prompts:
    """The prompts in effect: what the config says, or where it says None what the model declares.

    Raises:
        ComponentError: the model wants its prompt left out of the mean, which is not done here.
    """
    declared = _declared(folder)
    own = next((declared[name] for name in _DOCUMENT if declared.get(name)), "")
    found = Prompts(
        declared.get("query", "") if query is None else query, own if document is None else document
    )
    if any(found) and _json(folder / "1_Pooling" / "config.json").get("include_prompt") is False:
        raise ComponentError(
            f"{folder}: this model leaves its prompt out of the mean of its tokens, which is not done here; "
            'embedding.query_prompt="" and embedding.document_prompt="" embed without any'
        )
    return found


def left_out(folder: Path, used: Prompts, name: str) -> list[str]:
    """A sentence, if the model declares prompts and none is used."""
    declared = {k: v for k, v in _declared(folder).items() if v}
    if not declared or any(used):
        return []
    return [f"embedding {name}: the model declares prompts ({declared}) and none of them is used"]


def check_modules(folder: Path, *, trusted: bool) -> None:
    """Refuse a model that would bring code without leave, or code that its folder does not hold.

    Raises:
        ComponentError: names the file that asks for it.
    """
    modules = _json(folder / "modules.json", [])
    types = [str(m.get("type", "")) for m in modules if isinstance(m, dict)] if modules else []
    if any(t.endswith(_ROUTES) for t in types):
        raise ComponentError(f"{folder}: has one way for queries and another for documents: not supported")
    foreign = [t for t in types if not t.startswith("sentence_transformers.")]
    maps = [_json(folder / f).get("auto_map") or {} for f in ("config.json", "tokenizer_config.json")]
    if foreign and not trusted:
        raise ComponentError(
            f"{folder / 'modules.json'}: this model brings code of its own ({foreign[0]}). Read it; to run "
            "it, set embedding.trust_remote_code=true and give --trust-remote-code on the command line"
        )
    elsewhere = [str(v) for found in maps for v in found.values() if "--" in str(v)]
    if elsewhere and trusted:
        raise ComponentError(
            f"{folder}: takes code from another place ({elsewhere[0]}), which no revision pins; use a folder "
            "that holds the code"
        )


def _declared(folder: Path) -> dict[str, str]:
    found = _json(folder / "config_sentence_transformers.json").get("prompts") or {}
    return {str(k): str(v) for k, v in found.items() if v is not None}


def _json(path: Path, absent: Any = None) -> Any:
    """What a JSON file of the model holds; `absent` (an empty mapping) where there is none."""
    if not path.is_file():
        return {} if absent is None else absent
    try:
        return json.loads(path.read_text("utf-8"))
    except ValueError as e:
        raise ComponentError(f"{path}: is no JSON ({e})") from e
