"""The application put together: handlers, page, description, and the gateway around them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from fastapi_offline import FastAPIOffline

from infmcs import provenance
from infmcs.index import Index
from infmcs.web import api, problems
from infmcs.web.guard import Gateway
from infmcs.web.limits import Limits
from infmcs.web.memory import given_back
from infmcs.web.metrics import Metrics
from infmcs.web.shelf import Shelf
from infmcs.web.work import GoneError

STATIC = Path(str(resources.files("infmcs.web") / "static"))
ABOUT = """Which graphs are similar, which common subgraph carries that, and between which proven bounds the truth lies.

Graphs are sent as JSON, SMILES or text, or named by their id. Errors are problem documents (RFC 9457) with a `hint`."""


def build(
    index: Index,
    *,
    models: Mapping[str, Any],
    writable: bool,
    token: str | None,
    limits: Limits,
    hosts: tuple[str, ...],
) -> FastAPI:
    """See `infmcs.web.app`."""
    counted = Metrics()
    service = api.Service(Shelf(index, models, limits, writable), limits, counted)
    counted.gauge("infmcs_graphs", lambda: len(index))
    counted.gauge("infmcs_running", lambda: service.workshop.running)
    counted.gauge("infmcs_waiting", lambda: service.workshop.waiting)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        tidying = asyncio.create_task(given_back(lambda: counted.open > 0, lambda: counted.answered))
        yield
        tidying.cancel()
        service.workshop.close()

    app: FastAPI = FastAPIOffline(
        title="infmcs", version=provenance.version(), description=ABOUT, lifespan=lifespan, redoc_url=None
    )
    app.state.service = service
    problems.install(app)
    app.add_exception_handler(GoneError, _nobody)
    app.include_router(api.router)
    app.include_router(api.numbers)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(STATIC / "index.html")

    app.openapi = lambda: _description(app, token is not None)  # type: ignore[method-assign]  # FastAPI's own way to change it
    app.add_middleware(Gateway, limits=limits, metrics=counted, token=token, hosts=hosts)
    return app


async def _nobody(_: Request, __: Exception) -> Response:
    return JSONResponse(None, 499)  # nobody is there to read it


def _description(app: FastAPI, guarded: bool) -> dict[str, Any]:
    """OpenAPI; every problem has its one form, and the token is told where one is asked for."""
    if app.openapi_schema is None:
        found = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        parts = found["components"]["schemas"]
        for name in ("HTTPValidationError", "ValidationError"):
            parts.pop(name, None)
        parts["Problem"] = problems.Problem.model_json_schema()
        if guarded:
            found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            found["security"] = [{"token": []}]
        app.openapi_schema = found
    return app.openapi_schema
