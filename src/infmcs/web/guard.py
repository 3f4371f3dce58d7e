"""What every request passes before anything reads it: who may call, how much may be sent, how many at a time."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from time import perf_counter
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from starlette.responses import Response

from infmcs.web import problems
from infmcs.web.limits import Limits
from infmcs.web.metrics import Metrics

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

HERE = ("localhost", "127.0.0.1", "::1", "testserver")
OPEN = ("/", "/static/", "/api/health", "/docs", "/redoc", "/openapi.json", "/static-offline-docs/")
PAGE = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
PAGE += "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
DOCS = "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
DOCS += "worker-src blob:; base-uri 'none'; frame-ancestors 'none'"


class Gateway:
    """The outermost layer of the application."""

    def __init__(
        self, app: Application, limits: Limits, metrics: Metrics, token: str | None, hosts: tuple[str, ...]
    ) -> None:
        self._app, self._limits, self._metrics = app, limits, metrics
        self._token = None if token is None else token.encode()
        self._hosts = {*HERE, *hosts}
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, from its first byte to its answer's last."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = perf_counter(), 499  # what nginx calls a client that left

        async def told(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *_headers(scope["path"])]
            await send(message)

        self._metrics.open += 1
        try:
            await self._guarded(scope, receive, told)
        finally:
            self._metrics.open -= 1
            self._metrics.answered += 1
            route = getattr(scope.get("route"), "path", "other")
            self._metrics.count("infmcs_requests_total", route=route, method=_method(scope), status=str(status))
            self._metrics.took(route, perf_counter() - started)

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        if int(_header(scope, b"content-length") or 0) > self._room(scope):
            await self._refuse_large(scope, receive, send, 0)
            return
        held = 0
        try:
            pieces: list[bytes] = []
            more = True
            async with asyncio.timeout(self._limits.sending):
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return
                    piece, more = message.get("body", b""), message.get("more_body", False)
                    held += len(piece)
                    self._held += len(piece)
                    pieces.append(piece)
                    if held > self._room(scope):
                        pieces.clear()
                        await self._refuse_large(scope, receive, send, held)
                        return
                    if self._held > self._limits.bodies:
                        await problems.response(503, "too much is being sent at the same time")(scope, receive, send)
                        return
            await self._app(scope, _replayed(b"".join(pieces), receive), send)
        except TimeoutError:
            text = f"the request did not arrive within {self._limits.sending:g} seconds"
            await problems.response(408, text)(scope, receive, send)
        finally:
            self._held -= held

    def _refusal(self, scope: Scope) -> Response | None:
        headers = {key.decode("latin-1").lower(): value for key, value in scope.get("headers", ())}
        if self._metrics.open > self._limits.connections:
            self._metrics.count("infmcs_overload_total")
            return problems.response(503, f"{self._limits.connections} requests are open already")
        host = _host(headers.get("host", b""))
        if self._token is None and host not in self._hosts:
            # Without a token, a foreign page could reach us under a name of its own that leads here (DNS rebinding).
            return problems.response(
                403, "the service is not known under that name", "infmcs serve --host with a token"
            )
        origin = headers.get("origin")
        if origin is not None and _host(urlsplit(origin.decode("latin-1")).netloc.encode("latin-1")) != host:
            return problems.response(403, "pages of other sites may not call this service")
        if self._token is not None and not _public(scope["path"]):
            given = headers.get("authorization", b"").removeprefix(b"Bearer ")
            if not hmac.compare_digest(given, self._token):
                hint = "send the header Authorization: Bearer TOKEN"
                return problems.response(401, "this service asks for its token", hint)
        if not headers.get("content-length", b"0").isdigit():
            return problems.response(400, "Content-Length is no number")
        return None

    def _room(self, scope: Scope) -> int:
        return self._limits.body if scope["path"] in FILES else self._limits.question

    async def _refuse_large(self, scope: Scope, receive: Receive, send: Send, seen: int) -> None:
        """Say so once the client has sent it, for most clients listen only then; what comes is thrown away."""
        text = f"this request may have {self._room(scope):,} bytes"
        answer = problems.response(413, text, "send fewer or smaller graphs", headers={"Connection": "close"})
        with suppress(TimeoutError):
            async with asyncio.timeout(self._limits.sending):
                while seen < PATIENCE * self._limits.body:
                    message = await receive()
                    seen += len(message.get("body", b""))
                    if message["type"] == "http.disconnect" or not message.get("more_body", False):
                        break
        await answer(scope, receive, send)


FILES = ("/api/read", "/api/graphs")
PATIENCE = 8  # times the limit is read and thrown away; then the connection is cut


def _header(scope: Scope, name: bytes) -> bytes:
    return next((bytes(value) for key, value in scope.get("headers", ()) if key.lower() == name), b"")


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body that has been read, then whatever comes: the client's leaving."""
    waiting = [body]

    async def again() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return again


def _host(header: bytes) -> str:
    """The name in a Host header, without its port."""
    text = header.decode("latin-1").strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.rpartition(":")[0] if ":" in text else text


def _public(path: str) -> bool:
    return any(path == one or (one.endswith("/") and one != "/" and path.startswith(one)) for one in OPEN)


def _method(scope: Scope) -> str:
    method = str(scope["method"])
    return method if method in ("GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH") else "other"


def _headers(path: str) -> list[tuple[bytes, bytes]]:
    policy = DOCS if path.startswith(("/docs", "/redoc")) else PAGE
    return [
        (b"content-security-policy", policy.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-resource-policy", b"same-origin"),
    ]
