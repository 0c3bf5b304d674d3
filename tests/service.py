"""A small HTTP service that misbehaves on command, on a port of this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What is answered: `body` is JSON unless it is bytes; `stall` seconds pass first; `drop` hangs up."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    stall: threading.Event | None = None
    drop: bool = False
    short: int = 0
    """How many bytes of the body are announced and never sent."""


@dataclass
class Asked:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: Any


class Service:
    """`replies` are given in order, then `otherwise` for ever; `asked` are the requests."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.replies: list[Reply] = []
        self.asked: list[Asked] = []
        self.otherwise: Callable[[Any], Reply] = lambda body: Reply({"results": []})


@contextmanager
def serving() -> Iterator[Service]:
    """A service that runs while the block does."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    service = Service(f"http://127.0.0.1:{server.server_address[1]}/v1")
    server.service = service  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        service: Service = self.server.service  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        service.asked.append(Asked(self.path, dict(self.headers), body))
        reply = service.replies.pop(0) if service.replies else service.otherwise(body)
        if reply.stall:
            reply.stall.wait(10)
        if reply.drop:
            self.close_connection = True
            return
        raw = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        for name, value in {"Content-Length": str(len(raw) + reply.short), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(ConnectionError):  # a client that has had enough hangs up
            self.wfile.write(raw)

    do_GET = do_POST

    def log_message(self, *args: object) -> None:
        """Nothing: pytest's output is for pytest."""
