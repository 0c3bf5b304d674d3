"""What Hydra and OmegaConf complain of, as one sentence that names the place and the mend."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from runner import plugins
from runner.errors import RequestError, UnknownNameError, did_you_mean


@dataclass(frozen=True, slots=True)
class Options:
    """What can be set in the config that a command line chooses, as dotted paths."""

    known: set[str] = field(default_factory=set)
    """In the YAML."""
    left_out: set[str] = field(default_factory=set)
    """Known to the chosen components, though their YAML leaves them out."""
    open: set[str] = field(default_factory=set)
    """Mappings whose keys are the user's own, such as `filter`."""


def explained(error: Exception, options: Callable[[], Options]) -> RequestError:
    """`error` as a request that was wrong."""
    text = str(error)
    choice = re.search(r"Could not find '([^']+)/([^'/]+)'", text)
    if choice:
        group, name = choice.groups()
        mine = plugins.found(group)
        if name in mine:
            return UnknownNameError(
                f"{group}: {mine[name]} has no YAML; write {group}/{name}.yaml (`name: {name}` and its "
                "fields) into a folder of yours and give that folder with --config-dir"
            )
        choices = {*(getattr(error, "options", None) or []), *mine}
        return UnknownNameError(f"{group}: there is no '{name}': {did_you_mean(name, choices)}")
    full = re.search(r"full_key: (\S+)", text)
    key = re.search(r"Could not override '([^']+)'|Key '([^']+)' is not in struct", text)
    if key:
        path = full[1] if full else key[1] or key[2]
        return UnknownNameError(f"{path}: no such option; {near(path, options())}")
    missing = re.search(r"Missing mandatory value: (\S+)", text)
    if missing:
        path = full[1] if full else missing[1]
        return RequestError(f"{path}: needs a value, for instance {path}=…")
    return RequestError(text.strip())


def near(key: str, options: Options) -> str:
    """What to write instead of `key`: the option nearest to it, and those beside it."""
    beside = key.rpartition(".")[0]
    if not options.known:
        return "see what there is: python -m runner --cfg job"
    if key in options.left_out:
        return f"the chosen YAML leaves it out; to set it write ++{key}=…"
    if {key, beside} & options.open:
        entry = f"{key}.NAME" if key in options.open else key
        return f"it is a mapping; to set an entry of it write +{entry}=…"
    hydras = key.startswith("hydra")
    known = {n for n in options.known if n.startswith("hydra") == hydras} | options.left_out
    same = [n.rpartition(".")[2] for n in known if n.rpartition(".")[0] == beside]
    if same:
        return did_you_mean(key.rpartition(".")[2], same)
    return did_you_mean(key, known, [n for n in known if "." not in n])
