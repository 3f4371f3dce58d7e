"""The service's own addresses: search, compare, explain, graphs, health and numbers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from infmcs import draw, formats, provenance
from infmcs.errors import CertificateError
from infmcs.graph import Graph
from infmcs.solve import Budget
from infmcs.web import answers, graphs, metrics, problems, views
from infmcs.web.limits import Limits
from infmcs.web.problems import RefusedError
from infmcs.web.shelf import Shelf
from infmcs.web.work import GoneError, Workshop

FIRST_SECONDS, GROWTH = 0.25, 4.0  # of a streamed search: each round has this much more time than the one before
SVG = "image/svg+xml"
SAMPLE = 2_000  # graphs whose labels are offered for drawing

EVENT = {
    "type": "object",
    "description": "Each event of the stream; its data is JSON",
    "required": ["event", "data"],
    "properties": {"event": {"enum": ["hits", "done", "problem"]}, "data": {"type": "string"}},
}

router = APIRouter(prefix="/api")
numbers = APIRouter()

GraphId = Annotated[int, Path(ge=0, le=2**53, examples=[0])]
FileName = Annotated[str, Query(max_length=200, description="The file's name; its ending may tell its format")]
FormatName = Annotated[str | None, Query(max_length=40, description="Left out: recognised")]
UPLOAD = {
    "requestBody": {
        "required": True,
        "description": "A file of graphs, of any format in /api/about",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


class Service:
    """What the handlers work with."""

    def __init__(self, shelf: Shelf, limits: Limits, counted: metrics.Metrics) -> None:
        self.shelf, self.limits, self.metrics = shelf, limits, counted
        self.workshop = Workshop(limits, counted)

    def seconds(self, wish: float | None) -> float:
        """The time an answer may take."""
        if wish is not None and wish > self.limits.seconds:
            raise RefusedError(422, f"{wish:g} seconds are asked for; one answer may take {self.limits.seconds:g}")
        return wish or self.limits.seconds

    def top(self, wish: int | None, threshold: float | None) -> int:
        """How many hits; those of a threshold end somewhere, too."""
        if wish is not None and wish > self.limits.top:
            raise RefusedError(422, f"{wish} hits are asked for; one search gives up to {self.limits.top}")
        return wish or (10 if threshold is None else self.limits.top)


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    content = {problems.MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        status: {"description": problems.KINDS[status][1], "content": content}
        for status in sorted({400, 401, 403, 408, 413, 422, 503, *statuses})
    }


# -- about the service -------------------------------------------------------------------------------------------------


@router.get("/health", summary="Whether the service answers", responses=_refusals())
async def health() -> answers.Health:
    """For load balancers; needs no token."""
    return answers.Health(status="ok")


@router.get("/about", summary="What is served, and its limits", response_model=answers.About, responses=_refusals())
async def about(request: Request) -> Response:
    """Number of graphs, models, formats of uploads, limits of requests."""
    service = _service(request)
    facts = await service.workshop.answer(request, lambda: _about(service.shelf))
    return JSONResponse(facts)


@router.get("/models", summary="Models that a request may name", response_model=answers.Models, responses=_refusals())
async def models(request: Request) -> Response:
    """Those that came with the index and those the operator offered."""
    offered = _service(request).shelf.models
    return JSONResponse({"models": [_model_facts(name, model) for name, model in sorted(offered.items())]})


@numbers.get(
    "/metrics", summary="Numbers in Prometheus' text form", response_class=Response, tags=["service"],
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **_refusals()},
)  # fmt: skip
async def numbers_text(request: Request) -> Response:
    """Requests, times, queue, memory."""
    return Response(_service(request).metrics.text(), headers={"Content-Type": metrics.MEDIA})


# -- graphs ------------------------------------------------------------------------------------------------------------


@router.get("/graphs", summary="Graphs of the index", response_model=answers.Page, responses=_refusals())
async def listed(
    request: Request,
    first: Annotated[int, Query(ge=0, le=2**53, description="How many to pass over")] = 0,
    count: Annotated[int, Query(ge=1, le=200)] = 50,
    name: Annotated[str | None, Query(max_length=200, description="Only graphs with this in their name")] = None,
) -> Response:
    """By id; `name` looks in names, whatever the case, and finds an id too."""
    service = _service(request)
    total, rows = await service.workshop.answer(request, lambda: service.shelf.page(first, count, name))
    return JSONResponse({"total": total, "graphs": rows})


@router.get("/graphs/{id}", summary="One graph of the index", response_model=answers.Stored, responses=_refusals(404))
async def stored(request: Request, id: GraphId) -> Response:
    """As JSON, with the keys that requests take."""
    graph = _service(request).shelf.of_id(id)
    return JSONResponse({"id": id, **graphs.GraphJson.of(graph).model_dump()})


@router.get(
    "/graphs/{id}/picture", summary="One graph of the index as a picture", response_class=Response,
    responses={200: {"content": {SVG: {"schema": {"type": "string"}}}}, **_refusals(404)},
)  # fmt: skip
async def picture_of(
    request: Request,
    id: GraphId,
    marked: Annotated[str, Query(max_length=5_000, pattern=r"^(\d{1,9}(,\d{1,9})*)?$", examples=["0,1,2"])] = "",
) -> Response:
    """SVG; `marked` names nodes to be shown as common, by their numbers."""
    service = _service(request)
    graph = service.shelf.of_id(id)
    nodes = [int(node) for node in marked.split(",") if node]
    svg = await service.workshop.answer(request, lambda: _drawn(lambda: draw.graph(graph, nodes, title="")))
    return Response(svg, media_type=SVG)


@router.post(
    "/read", summary="Read a file of graphs", response_model=answers.Uploaded, responses=_refusals(),
    openapi_extra=UPLOAD,
)  # fmt: skip
async def read(
    request: Request,
    name: FileName = "",
    format: FormatName = None,
) -> Response:
    """The graphs of a file as JSON, the first hundred of them. Nothing is kept."""
    service = _service(request)
    content = await request.body()

    def work() -> dict[str, Any]:
        found = graphs.read(content, name, format, service.limits)
        return {"total": len(found), "graphs": [graphs.GraphJson.of(graph).model_dump() for graph in found[:100]]}

    return JSONResponse(await service.workshop.answer(request, work))


@router.post(
    "/graphs", summary="Add graphs to the index", response_model=answers.Added, status_code=201,
    responses=_refusals(507),
    openapi_extra=UPLOAD,
)  # fmt: skip
async def add(
    request: Request,
    name: FileName = "",
    format: FormatName = None,
) -> Response:
    """Only where the service was started with --writable. The answer comes when the index is saved."""
    service = _service(request)
    if not service.shelf.writable:
        raise RefusedError(403, "this index is not to be changed", "infmcs serve INDEX --writable")
    content = await request.body()
    found = await service.workshop.answer(request, lambda: graphs.read(content, name, format, service.limits))
    ids = await asyncio.shield(asyncio.to_thread(service.shelf.add, found))  # a change is finished, whoever leaves
    return JSONResponse({"ids": ids}, 201)


@router.delete(
    "/graphs/{id}", summary="Take a graph out of the index", status_code=204, response_class=Response,
    responses=_refusals(404, 507),
)  # fmt: skip
async def delete(request: Request, id: GraphId) -> Response:
    """Only where the service was started with --writable."""
    service = _service(request)
    if not service.shelf.writable:
        raise RefusedError(403, "this index is not to be changed", "infmcs serve INDEX --writable")
    await asyncio.shield(asyncio.to_thread(service.shelf.delete, id))
    return Response(status_code=204)


# -- answers -----------------------------------------------------------------------------------------------------------


@router.post("/search", summary="Search", response_model=answers.ResultJson, responses=_refusals(404))
async def search(request: Request, wish: answers.Search) -> Response:
    """The most similar graphs of the index, each with a proven interval, and whether the ranking is proven."""
    service = _service(request)
    seconds = service.seconds(wish.seconds)
    top = service.top(wish.top, wish.threshold)

    def work() -> dict[str, Any]:
        return _searched(service, service.shelf.graph(wish.query), wish, top, seconds, exact=wish.exact)

    return JSONResponse(await service.workshop.answer(request, work, seconds, "search"))


@router.post(
    "/search/events", summary="Search, with the hits as they are found", response_class=Response,
    responses={
        200: {
            "description": "Events `hits` (a result, each better than the last), then `done` or `problem`",
            "content": {"text/event-stream": {"schema": EVENT}},
        },
        **_refusals(404),
    },
)  # fmt: skip
async def search_events(request: Request, wish: answers.Search) -> Response:
    """The same answer by server-sent events: first what a moment gives, then better ones until it is proven."""
    service = _service(request)
    seconds = service.seconds(wish.seconds)
    top = service.top(wish.top, wish.threshold)
    query: list[Graph] = []

    def work(time: float, exact: bool) -> dict[str, Any]:
        if not query:
            query.append(service.shelf.graph(wish.query))
        return _searched(service, query[0], wish, top, time, exact)

    time = min(FIRST_SECONDS, seconds)
    first = await service.workshop.answer(
        request, lambda: work(time, wish.exact and wish.metric == "mcs"), time, "search"
    )

    async def events() -> AsyncIterator[str]:
        found, spent = first, time
        yield _event("hits", found)
        try:
            while wish.exact and not found["complete"] and spent < seconds:
                spent = min(seconds, spent * GROWTH)
                found = await service.workshop.answer(request, partial(work, spent, True), spent, "search")
                yield _event("hits", found)
            yield _event("done", {"complete": found["complete"], "seconds": found["seconds"]})
        except GoneError:
            return
        except Exception as error:
            yield _event("problem", problems.of_error(error))

    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events(), media_type="text/event-stream", headers=headers)


@router.post("/compare", summary="Compare two graphs", response_model=answers.PairJson, responses=_refusals(404))
async def compare(request: Request, wish: answers.Pair) -> Response:
    """Similarity, proven interval, certified mapping, and why each other node stays outside."""
    service = _service(request)
    seconds = service.seconds(wish.seconds)

    def work() -> dict[str, Any]:
        shelf = service.shelf
        model = shelf.model(wish.model)
        return views.pair(shelf.graph(wish.left), shelf.graph(wish.right), wish.metric, model, seconds)

    return JSONResponse(await service.workshop.answer(request, work, seconds, "pair"))


@router.post("/explain", summary="What a model sees", response_model=answers.ViewJson, responses=_refusals(404))
async def explained(request: Request, wish: answers.Explain) -> Response:
    """A model's scores node by node, the paper's top-m answer, and the certified common subgraph they lead to."""
    service = _service(request)
    seconds = service.seconds(wish.seconds)

    def work() -> dict[str, Any]:
        shelf = service.shelf
        model = shelf.model(wish.model)
        return views.view(wish.model, model, shelf.graph(wish.left), shelf.graph(wish.right), seconds)

    return JSONResponse(await service.workshop.answer(request, work, seconds, "pair"))


@router.post(
    "/picture", summary="Two graphs, or one, as a picture", response_class=Response,
    responses={200: {"content": {SVG: {"schema": {"type": "string"}}}}, **_refusals(404)},
)  # fmt: skip
async def picture(request: Request, wish: answers.Picture) -> Response:
    """SVG: both graphs, partners in one colour and at the same place; or one graph, the left nodes of pairs marked."""
    service = _service(request)
    shelf = service.shelf

    def work() -> str:
        left = shelf.graph(wish.left)
        if wish.right is None:
            return _drawn(lambda: draw.graph(left, [v for v, _ in wish.mapping], title=""))
        right = shelf.graph(wish.right)
        return _drawn(lambda: draw.pair(left, right, [(v, w) for v, w in wish.mapping]))

    svg = await service.workshop.answer(request, work)
    return Response(svg, media_type=SVG)


def _drawn(draw_it: Callable[[], str]) -> str:
    """A picture of what the request names; nodes that are not there are the request's mistake, not ours."""
    try:
        return draw_it()
    except CertificateError as error:
        raise RefusedError(422, error.message, error.hint) from None


def _searched(
    service: Service, query: Graph, wish: answers.Search, top: int, seconds: float, exact: bool
) -> dict[str, Any]:
    index = service.shelf.index
    found = index.search(
        query, top=top, exact=exact, threshold=wish.threshold, budget=Budget(seconds=seconds), metric=wish.metric
    )
    return views.result(found, index)


def _about(shelf: Shelf) -> dict[str, Any]:
    return shelf.facts() | {
        "version": provenance.version(),
        "formats": {name: each.title for name, each in formats.FORMATS.items()},
        "limits": {name: float(value) for name, value in asdict(shelf.limits).items()},
        "labels": shelf.frequent_labels(SAMPLE),
    }


def _model_facts(name: str, model: Any) -> dict[str, Any]:
    settings = getattr(model, "settings", None)
    weights = sum(int(tensor.numel()) for tensor in model.parameters()) if hasattr(model, "parameters") else None
    return {"name": name, "kind": getattr(settings, "kind", "model"), "weights": weights}


def _event(name: str, content: Any) -> str:
    return f"event: {name}\ndata: {json.dumps(content, ensure_ascii=False)}\n\n"
