"""Errors as RFC 9457 problem documents: what was given, what was expected, and the way out as `hint`."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException

from infmcs.errors import CertificateError, FormatError, GraphError, InfmcsError, ModelError, QuestionError

MEDIA = "application/problem+json"
RETRY_AFTER = 2  # seconds
log = logging.getLogger("infmcs.web")

KINDS: dict[int, tuple[str, str]] = {
    400: ("bad-request", "The request cannot be read"),
    401: ("no-token", "The token is missing or wrong"),
    403: ("not-allowed", "This is not allowed here"),
    404: ("not-found", "There is no such thing here"),
    405: ("no-such-method", "This address does not take that method"),
    408: ("too-slow-sending", "The request took too long to arrive"),
    413: ("too-large", "The request is too large"),
    415: ("wrong-type", "The request has another content type than expected"),
    422: ("bad-input", "What was given cannot be worked with"),
    500: ("fault", "The service made a mistake"),
    503: ("busy", "The service is busy"),
    507: ("no-room", "The change could not be stored"),
}
NAMES = {GraphError: "bad-graph", FormatError: "bad-file", QuestionError: "bad-question", ModelError: "bad-model"}


class Problem(BaseModel):
    """What went wrong, as RFC 9457 says it. `hint` is the way out, `errors` the places of a request that are wrong."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": "urn:infmcs:problem:bad-graph",
                "title": "What was given cannot be worked with",
                "status": 422,
                "detail": "edge 4–9 names node 9, but the graph has 9 nodes (0–8)",
                "hint": "node numbers start at 0",
            }
        }
    )

    type: str
    title: str
    status: int
    detail: str
    hint: str | None = None
    errors: list[dict[str, Any]] | None = None


class RefusedError(Exception):
    """A request that ends with this problem."""

    def __init__(self, status: int, detail: str, hint: str | None = None, name: str | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.hint, self.name = status, detail, hint, name


def document(
    status: int,
    detail: str,
    hint: str | None = None,
    name: str | None = None,
    errors: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """The problem as a JSON object."""
    kind, title = KINDS.get(status, ("problem", "The request was refused"))
    found = {"type": f"urn:infmcs:problem:{name or kind}", "title": title, "status": status, "detail": detail}
    return found | ({"hint": hint} if hint else {}) | ({"errors": errors} if errors else {})


def response(status: int, detail: str, hint: str | None = None, name: str | None = None, **more: Any) -> JSONResponse:
    """The problem as a response."""
    headers = {"Retry-After": str(RETRY_AFTER)} if status == 503 else {}
    headers |= {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    headers |= more.pop("headers", None) or {}
    return JSONResponse(document(status, detail, hint, name, **more), status, headers, MEDIA)


def of_error(error: Exception) -> dict[str, Any]:
    """The problem document of any exception; one that is no message for users becomes a plain fault."""
    if isinstance(error, RefusedError):
        return document(error.status, error.detail, error.hint, error.name)
    if isinstance(error, CertificateError):
        log.error("a mapping failed its certificate", exc_info=error)
        return document(500, "a result failed its own check and is not shown")
    if isinstance(error, InfmcsError):
        return document(422, error.message, error.hint, NAMES.get(type(error)))
    log.error("fault", exc_info=error)
    return document(500, "an unexpected error; the service's log has it", "the same request may work with other input")


def install(app: FastAPI) -> None:
    """Let every error of this application become a problem document."""

    async def ours(_: Request, error: Exception) -> JSONResponse:
        found = of_error(error)
        return response(found["status"], found["detail"], found.get("hint"), found["type"].rpartition(":")[2])

    async def invalid(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        places = [
            {"place": ".".join(str(part) for part in one["loc"]), "expected": str(one["msg"])}
            for one in error.errors()[:20]
        ]
        first = places[0]
        return response(422, f"{first['place']}: {first['expected']}", "see /docs for what is expected", errors=places)

    async def plain(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        return response(error.status_code, str(error.detail), headers=dict(error.headers or {}))

    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, plain)
    app.add_exception_handler(InfmcsError, ours)
    app.add_exception_handler(RefusedError, ours)
    app.add_exception_handler(Exception, ours)
