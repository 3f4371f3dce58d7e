"""A running service: what it opens, where it listens, how it stops."""

from __future__ import annotations

import ipaddress
import json
import os
import socket
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infmcs.errors import ConfigError, FormatError, InfmcsError
from infmcs.web.limits import Limits

if TYPE_CHECKING:
    from fastapi import FastAPI

    from infmcs.index import Index

SETTINGS, TOKEN = "INFMCS_SERVE", "INFMCS_TOKEN"  # environment variables; the first is ours alone
LEAST_TOKEN = 16
WARM = 1_500_000  # see Index.warm; about 150 MB a process for molecules, 60,000 of 25 nodes
STOPPING_SECONDS = 10  # in which answers that are under way may come to their end


@dataclass(frozen=True)
class Serving:
    """What to serve and where. The token is not among it: it comes by the environment, and is not printed."""

    index: str
    host: str = "127.0.0.1"
    port: int = 8760
    writable: bool = False
    models: tuple[str, ...] = ()
    processes: int = 1
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.processes < 1:
            raise ConfigError(f"processes = {self.processes}, but there must be one at least")
        if self.writable and self.processes > 1:
            raise ConfigError(
                "an index that can be changed is served by one process", hint="leave out --writable or --processes"
            )


def run(serving: Serving, told: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM; answers under way are finished first. `told` hears the address."""
    from infmcs import web

    with web.needed():
        import uvicorn

    token = checked_token(serving.host, os.environ.get(TOKEN))
    listening = _listening(serving.host, serving.port)
    settings: dict[str, Any] = {
        "access_log": False,
        "log_level": "warning",
        "server_header": False,
        "timeout_keep_alive": 5,
        "timeout_graceful_shutdown": STOPPING_SECONDS,
        "ws": "none",
    }
    name = f"[{serving.host}]" if ":" in serving.host else serving.host
    address = f"http://{name}:{listening.getsockname()[1]}/"
    with listening:
        if serving.processes == 1:
            app = application(serving, token)
            told(f"{len(app.state.service.shelf.index):,} graphs at {address}")
            uvicorn.Server(uvicorn.Config(app, **settings)).run(sockets=[listening])
            return
        application(serving, token)  # what is wrong is said here, once, and not by every process
        os.environ[SETTINGS] = json.dumps(asdict(serving))
        told(f"{serving.processes} processes at {address}")
        maker = f"{__name__}:from_environment"
        uvicorn.run(maker, factory=True, workers=serving.processes, fd=listening.fileno(), **settings)


def application(serving: Serving, token: str | None) -> FastAPI:
    """The application for these settings."""
    from infmcs import web

    models = {Path(name).stem: _model(name) for name in serving.models}
    if models:
        import torch

        torch.set_num_threads(1)  # many small products, in threads of our own
    index = opened(serving.index)
    index.warm(most=WARM)  # graphs added later are prepared when their turn comes
    return web.app(
        index,
        models=models,
        writable=serving.writable,
        token=token,
        limits=serving.limits,
        hosts=(serving.host,),
    )


def from_environment() -> FastAPI:
    """The application of one process of several; `run` left its settings in the environment."""
    told = json.loads(os.environ[SETTINGS])
    limits, models = Limits(**told.pop("limits")), tuple(told.pop("models"))
    return application(Serving(**told, limits=limits, models=models), os.environ.get(TOKEN))


def opened(name: str) -> Index:
    """An index folder; or an index made in memory of a file or folder of graphs, or of a data set by its name."""
    from infmcs import datasets, formats
    from infmcs.index import Index, store

    path = Path(name)
    if not name or (path / store.LIST).exists() or (path / store.LOCK).exists():
        return Index.open(name)
    if not path.exists() and name in datasets.NAMES:
        return Index.build(datasets.load(name))
    if not path.exists():
        raise FormatError("is not there", path=name, hint="infmcs index GRAPHS -o FOLDER makes an index")
    return Index.build(formats.read(name))


def checked_token(host: str, token: str | None) -> str | None:
    """The token that requests must carry. Anything but this machine's own address needs one."""
    if token is not None and len(token) < LEAST_TOKEN:
        raise ConfigError(f"the token in {TOKEN} is shorter than {LEAST_TOKEN} characters", hint=_TOKEN_HINT)
    if token is None and not _is_loopback(host):
        raise ConfigError(f"{host} can be reached from other machines, so a token is needed", hint=_TOKEN_HINT)
    return token


_TOKEN_HINT = f"export {TOKEN}=$(python3 -c 'import secrets; print(secrets.token_urlsafe())')"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        hint = "--port 0 takes any free one"
        raise InfmcsError(f"cannot listen at {host}, port {port}: {error}", hint=hint) from None


def _model(name: str) -> Any:
    import infmcs

    return infmcs.load(name)
