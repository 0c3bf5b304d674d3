"""Functions of the report's scripts called from tests, in Node if it is there, else in Chromium."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from report.browser import chromium

from runner.report.assets import bundle

PURE = ("numbers", "distributions", "statistics", "drawn", "data")
"""Parts that need no page."""


def evaluate(expression: str, parts: Sequence[str] = PURE) -> Any:
    """The value of an expression in which the functions of the parts are known; what has JSON comes back."""
    body = f"(function(){{'use strict';{bundle.source(*parts)}\nreturn JSON.stringify({expression});}})()"
    node = shutil.which("node")
    return json.loads(in_node(node, body) if node else in_chromium(body))


def in_node(node: str, body: str) -> str:
    command = [node, "-e", "process.stdout.write(eval(require('fs').readFileSync(0, 'utf8')))"]
    return _ran(command, body)


def in_chromium(body: str) -> str:
    """The page writes its answer into itself, in a form that HTML leaves alone."""
    answer = f"document.body.title = btoa(encodeURIComponent({body}))"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(f"<!doctype html><meta charset=utf-8><body><script>{answer}</script>", "utf-8")
        shown = _ran([chromium(), "--headless", "--no-sandbox", "--dump-dom", path.as_uri()], "")
    found = re.search(r'<body title="([^"]*)"', shown)
    assert found is not None, shown[-2000:]
    return unquote(base64.b64decode(found[1]).decode("ascii"))


def _ran(command: list[str], given: str) -> str:
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout
