"""What one request, and all of them together, may cost."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

from infmcs.errors import ConfigError


@dataclass(frozen=True)
class Limits:
    """Every bound of the service. A request that asks for more is told the limit.

    body         bytes of one file that is sent; question: of any other request; bodies: of all that are held at once.
    nodes        of one graph that is sent; edges likewise.
    graphs       in one upload.
    top          hits of one search.
    seconds      that one answer may be worked on.
    workers      answers of each kind (searches; pairs; looking things up) worked on at the same time, each in a thread.
    queue        requests of each kind that may wait for a worker; more are told to come back (503).
    patience     seconds that one of them may wait.
    connections  requests in any state at the same time.
    sending      seconds that a client may take to send its request.
    """

    body: int = 8 << 20
    question: int = 1 << 20
    bodies: int = 128 << 20
    nodes: int = 500
    edges: int = 5_000
    graphs: int = 10_000
    top: int = 100
    seconds: float = 10.0
    workers: int = max(1, min(4, os.cpu_count() or 1))
    queue: int = 64
    patience: float = 5.0
    connections: int = 512
    sending: float = 20.0

    def __post_init__(self) -> None:
        for field in fields(self):
            if not getattr(self, field.name) > 0:
                raise ConfigError(f"{field.name} = {getattr(self, field.name)}, but a limit is above 0")
