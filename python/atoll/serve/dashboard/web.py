# SPDX-License-Identifier: Apache-2.0
"""The HTTP server of a dashboard: its pages, events and metrics, and the check of tokens and host names.

The page itself holds no data, so it needs no token. All else needs the token: in the header
`Authorization: Bearer …`, or in a cookie that `login` sets. The address that is shown has the token behind `#`, which
browsers do not send. Requests whose `Host` is not known are refused, so that other sites cannot reach the dashboard by
a name that they own (DNS rebinding). Addresses in the page are relative, so it works behind a proxy at any path.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import socket
import threading
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

from ... import extras
from .feed import PERIOD, Feed
from .metrics import exposition

_PAGE = Path(__file__).parent / "page"
_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css"}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'self'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
_BODY_LIMIT = 4096
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def host_name(header: str) -> str:
    """The host in a `Host` header, without its port."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.rpartition(":")[0].lower() if ":" in header else header.lower()


class _HostCheck:
    """Refuses requests to hosts that are not in the list, before anything else looks at them."""

    def __init__(self, app: Any, hosts: Iterable[str]) -> None:
        self._app, self._hosts = app, frozenset(one.lower() for one in hosts)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            named = [value.decode("latin-1") for key, value in scope["headers"] if key == b"host"]
            if len(named) != 1 or host_name(named[0]) not in self._hosts:
                text = b"this host name is not allowed. Start the dashboard with --allow-host?\n"
                await send(
                    {"type": "http.response.start", "status": 421, "headers": [(b"content-type", b"text/plain")]}
                )
                await send({"type": "http.response.body", "body": text})
                return
        await self._app(scope, receive, send)


def application(feed: Feed, token: str, hosts: Iterable[str]) -> Any:
    """The ASGI application."""
    applications: Any = extras.module("starlette.applications", "the dashboard")
    responses: Any = extras.module("starlette.responses", "the dashboard")
    routing: Any = extras.module("starlette.routing", "the dashboard")
    cookie = "atoll_" + hmac.new(token.encode(), b"name of the cookie", "sha256").hexdigest()[:8]
    pages = {path.name: path.read_bytes() for path in _PAGE.iterdir() if path.suffix[1:] in _TYPES}

    def known(given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())

    def allowed(request: Any) -> bool:
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        return known(given.strip()) if scheme.lower() == "bearer" else known(request.cookies.get(cookie, ""))

    def refused() -> Any:
        return responses.JSONResponse({"error": "the token is missing or wrong"}, 401, _HEADERS)

    async def page(request: Any) -> Any:
        name = request.path_params.get("name", "index.html")
        if name not in pages:
            return responses.PlainTextResponse("there is no such page\n", 404, _HEADERS)
        return responses.Response(pages[name], 200, _HEADERS, _TYPES[name.rpartition(".")[2]])

    async def body_of(request: Any) -> Any:
        """The JSON object that a request posts; None where it is none, or another site's."""
        if request.headers.get("x-atoll") != "1":  # which a form of another site cannot send
            return None
        data = b""
        async for chunk in request.stream():
            data += chunk
            if len(data) > _BODY_LIMIT:
                return None
        try:
            found = json.loads(data)
        except ValueError:
            return None
        return found if isinstance(found, dict) else None

    async def login(request: Any) -> Any:
        found = await body_of(request)
        if found is None:
            return responses.JSONResponse({"error": "the request is not valid"}, 400, _HEADERS)
        if not known(str(found.get("token", ""))):
            return refused()
        answer = responses.JSONResponse({}, 200, _HEADERS)
        answer.set_cookie(cookie, token, httponly=True, samesite="strict")
        return answer

    async def cancel(request: Any) -> Any:
        if not allowed(request):
            return refused()
        found = await body_of(request)
        if found is None or not isinstance(found.get("request"), int):
            return responses.JSONResponse({"error": "the request is not valid"}, 400, _HEADERS)
        try:
            done = await asyncio.to_thread(feed.cancel, str(found.get("session", "")), found["request"])
        except OSError as error:
            return responses.JSONResponse({"error": str(error)}, 502, _HEADERS)
        return responses.JSONResponse({"found": done}, 200 if done else 404, _HEADERS)

    async def state(request: Any) -> Any:
        if not allowed(request):
            return refused()
        return responses.JSONResponse(await asyncio.to_thread(feed.view, 0, 0), 200, _HEADERS)

    async def events(request: Any) -> Any:
        if not allowed(request):
            return refused()

        async def stream() -> AsyncIterator[str]:
            operation = line = 0
            while not await request.is_disconnected():
                view = await asyncio.to_thread(feed.view, operation, line)
                operation = view["operations"][-1][0] if view["operations"] else operation
                line = view["lines"][-1][0] if view["lines"] else line
                yield f"data: {json.dumps(view, separators=(',', ':'))}\n\n"
                await asyncio.sleep(PERIOD)

        headers = {**_HEADERS, "X-Accel-Buffering": "no"}
        return responses.StreamingResponse(stream(), 200, headers, "text/event-stream")

    async def profile(request: Any) -> Any:
        if not allowed(request):
            return refused()
        return responses.JSONResponse(await asyncio.to_thread(feed.profile), 200, _HEADERS)

    async def health(request: Any) -> Any:
        found = await asyncio.to_thread(feed.latest)
        return responses.JSONResponse({"status": "ok" if found else "down"}, 200 if found else 503, _HEADERS)

    async def metrics(request: Any) -> Any:
        if not allowed(request):
            return refused()
        data, kind = await asyncio.to_thread(lambda: exposition(feed.latest()))
        return responses.Response(data, 200, {**_HEADERS, "Content-Type": kind})

    route = routing.Route
    app = applications.Starlette(
        routes=[
            route("/", page), route("/health", health), route("/metrics", metrics), route("/state", state),
            route("/events", events), route("/profile", profile), route("/login", login, methods=["POST"]),
            route("/cancel", cancel, methods=["POST"]), route("/{name}", page),
        ]
    )  # fmt: skip
    return _HostCheck(app, hosts)


class WebServer:
    """Serves an application: on a thread (`start`, `close`), or until a signal (`run`)."""

    def __init__(self, app: Any, host: str, port: int) -> None:
        uvicorn: Any = extras.module("uvicorn", "the dashboard")
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # Connections inherit this. Without it the body of an answer waits 40 ms for the client's acknowledgement.
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket.bind((host, port))
            self._socket.listen(128)  # so that connections wait for `run`
        except BaseException:
            self._socket.close()
            raise
        self.port = int(self._socket.getsockname()[1])
        self._server = uvicorn.Server(uvicorn.Config(
            app, log_level="error", access_log=False, lifespan="off", timeout_graceful_shutdown=1,
            limit_concurrency=100, server_header=False,
        ))  # fmt: skip
        self._thread = threading.Thread(target=self.run, name="dashboard", daemon=True)

    def run(self) -> None:
        """Serves until the process gets SIGINT or SIGTERM, or `close` is called."""
        with contextlib.suppress(KeyboardInterrupt):
            self._server.run(sockets=[self._socket])

    def start(self) -> None:
        """Serves on a thread of its own."""
        self._thread.start()

    def close(self) -> None:
        """Ends the thread."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(5)
        self._socket.close()
