"""An application behind a real server on this machine, for as long as a block lasts."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn


@contextmanager
def served(app: Any, port: int = 0) -> Iterator[str]:
    """Its address."""
    with server(app, port) as (address, _):
        yield address


@contextmanager
def server(app: Any, port: int = 0) -> Iterator[tuple[str, uvicorn.Server]]:
    """Its address, and the server, which `should_exit` stops."""
    listening = socket.create_server(("127.0.0.1", port))
    running = uvicorn.Server(
        uvicorn.Config(app, log_level="error", access_log=False, ws="none", timeout_graceful_shutdown=5)
    )
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not running.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", running
    finally:
        running.should_exit = True
        thread.join(timeout=30)
        listening.close()
        assert not thread.is_alive(), "the server did not stop"
