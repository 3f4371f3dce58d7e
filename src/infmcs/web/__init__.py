"""A service over HTTP and a page on which people see why two graphs are similar. Needs the extra `serve`.

`app(index)` returns the application; nothing is opened, bound or started before a server runs it. Whatever a request
can ask for is bounded (`Limits`), and what it cannot name is never opened: graphs come in the request or from the
index, models from those the operator offered.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from infmcs.web.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fastapi import FastAPI

    from infmcs.index import Index

__all__ = ["Limits", "app"]


@contextmanager
def needed() -> Iterator[None]:
    """Around imports of what the extra brings: says which is missing, and what installs it."""
    from infmcs.errors import ConfigError

    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] == "infmcs":
            raise
        raise ConfigError(
            f"the service needs {error.name}, which is not installed", hint="pip install 'infmcs[serve]'"
        ) from None


def app(
    index: Index,
    *,
    models: Mapping[str, Any] | None = None,
    writable: bool = False,
    token: str | None = None,
    limits: Limits | None = None,
    hosts: tuple[str, ...] = (),
) -> FastAPI:
    """The application that serves an index.

    models     by name, those a request may choose; the index's own is always among them.
    writable   graphs may be added and deleted; the index is saved after every change.
    token      what a request must carry (`Authorization: Bearer …`); None asks for none.
    hosts      names under which the service may be called without a token, besides those of this machine.
    """
    with needed():
        from infmcs.web.application import build
    return build(index, models=models or {}, writable=writable, token=token, limits=limits or Limits(), hosts=hosts)
