"""The loopback Hub on a socket: sockets and threads here, the protocol elsewhere."""

from __future__ import annotations

import contextlib
import logging
import secrets
import socket
import socketserver
import sys
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pipeline.hub.loopback.accounts import Account
from pipeline.hub.loopback.errors import HubError
from pipeline.hub.loopback.faults import Delivery, Faults
from pipeline.hub.loopback.journal import Exchange, Journal
from pipeline.hub.loopback.messages import Request, Response
from pipeline.hub.loopback.protocol import account_of, handle
from pipeline.hub.loopback.repository import Repository
from pipeline.hub.loopback.state import State

HOST = "127.0.0.1"

_log = logging.getLogger(__name__)


class LoopbackHub:
    """A Hub for datasets, in memory, on 127.0.0.1.

    Use it as a context manager. Everything is gone when it closes.

    Attributes:
        token: of the first account that may write; by default that of the user ``me``.
        faults: what shall go wrong.
    """

    def __init__(
        self,
        accounts: Mapping[str, Account] | None = None,
        *,
        port: int = 0,
        page_size: int = 1000,
        publishers: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        """Set up a Hub without any repo.

        Args:
            accounts: by token. By default the user ``me`` with a random write token.
            port: 0 for a free one.
            page_size: longest page of a listing.
            publishers: trusted publishers; see `State`.
        """
        if accounts is None:
            accounts = {f"hf_{secrets.token_hex(16)}": Account()}
        self.token = next((token for token, account in accounts.items() if account.role == "write"), "")
        self.faults = Faults()
        self._journal = Journal()
        self._state = State("", dict(accounts), dict(publishers or {}), page_size)
        self._port = port
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> Self:
        """Listen; return once connections are accepted."""
        self._server = _Server((HOST, self._port), self._state, self.faults, self._journal)
        self._state.endpoint = f"http://{HOST}:{self._server.server_address[1]}"
        # The default poll would make every close wait half a second.
        serve = self._server.serve_forever
        self._thread = threading.Thread(target=serve, kwargs={"poll_interval": 0.02}, name="loopback-hub")
        self._thread.start()
        return self

    def close(self) -> None:
        """Close all connections and wait for the threads to end. May be called twice."""
        server, thread = self._server, self._thread
        self._server = self._thread = None
        if server and thread:
            server.stop()
            thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def endpoint(self) -> str:
        """The address, without a trailing slash: datasets does not strip one."""
        return self._state.endpoint

    @property
    def requests(self) -> tuple[Exchange, ...]:
        """What was asked so far, in the order of arrival; whoever has an answer finds its request here."""
        return self._journal.exchanges()

    def forget_requests(self) -> None:
        """Empty the request log."""
        self._journal.clear()

    def repository(self, repo_id: str) -> Repository:
        """Return the live state of a repo, for a look inside or for settings that no request of the protocol makes.

        Raises:
            KeyError: there is none of that name.
        """
        return self._state.repositories[repo_id]

    def environment(self, home: Path | None = None) -> dict[str, str]:
        """Return the variables that send another process's Hugging Face libraries here.

        They must be set before these libraries are imported.

        Args:
            home: an empty folder for their caches; without it they use the user's own.
        """
        variables = {
            "HF_ENDPOINT": self.endpoint,
            "HF_TOKEN": self.token,
            # Would take precedence over the token.
            "HF_OIDC_RESOURCE": "",
            "HF_HUB_OFFLINE": "0",
            "HF_DATASETS_OFFLINE": "0",
            # This Hub speaks LFS only, and a client with hf_xet does not fall back by itself.
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            # The clients use a proxy even for loopback.
            "NO_PROXY": f"{HOST},localhost",
            "no_proxy": f"{HOST},localhost",
        }
        if home:
            caches = {"HF_HUB_CACHE": home / "hub", "HF_DATASETS_CACHE": home / "datasets", "HF_HOME": home}
            variables |= {name: str(folder) for name, folder in caches.items()}
        return variables


class _Server(ThreadingHTTPServer):
    """Accepts connections, and can close them all."""

    daemon_threads = False  # so that server_close waits for the threads
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], state: State, faults: Faults, journal: Journal) -> None:
        self.state, self.faults, self.journal = state, faults, journal
        self.closing = threading.Event()
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        # HTTPServer looks the host's name up, which may leave the machine.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that goes away is part of the rehearsal, not an error to report.
        if not isinstance(sys.exc_info()[1], OSError):
            _log.exception("A connection ended by an error")

    def stop(self) -> None:
        self.closing.set()
        self.shutdown()
        with self._lock:
            for connection in self._connections:
                # Wakes the thread that waits for the next request on an idle connection.
                _end(connection)
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    # Without both, every answer waits some 40 ms for an acknowledgement.
    disable_nagle_algorithm = True
    wbufsize = 1 << 16
    server: _Server

    def do_GET(self) -> None:
        request = self._request()
        number = self.server.journal.number()
        fault = self.server.faults.next(request.method, self.path)

        def respond() -> Response:
            if "transfer-encoding" in request.headers:
                return HubError(411, "Send the body with a Content-Length").response()
            return handle(self.server.state, request)

        def pause(seconds: float) -> None:
            self.server.closing.wait(seconds)

        delivery = fault.deliver(respond, pause) if fault else Delivery(respond())
        self._note(number, request, delivery, type(fault).__name__ if fault else None)
        self._deliver(request, delivery)

    do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_GET

    def _request(self) -> Request:
        path, _, query = self.path.partition("?")
        headers = {name.lower(): value for name, value in self.headers.items()}
        if "transfer-encoding" in headers:
            self.close_connection = True  # the body stays unread, and would be taken for the next request
        length = int(headers.get("content-length", 0))
        body = self.rfile.read(length)
        if len(body) < length:
            # Half a commit would be a valid one, had it been cut between two lines.
            raise ConnectionResetError("The client went away within its request")
        return Request(self.command, path, query, headers, body)

    def _note(self, number: int, request: Request, delivery: Delivery, fault: str | None) -> None:
        response, sent = delivery.response, 0
        if response and request.method != "HEAD":
            sent = len(response.body[: delivery.keep])
        status = response.status if response else None
        try:
            account = account_of(self.server.state, request.headers)
        except HubError:
            account = None
        name = account.name if account else None
        path = self._without_tokens(self.path)
        self.server.journal.add(Exchange(number, request.method, path, status, len(request.body), sent, name, fault))

    def _without_tokens(self, text: str) -> str:
        for token in list(self.server.state.accounts):
            text = text.replace(token, "***")
        return text

    def _deliver(self, request: Request, delivery: Delivery) -> None:
        if delivery.response:
            self._send(delivery.response, request.method, delivery.keep)
        if delivery.response is None or delivery.keep is not None:
            self.close_connection = True

    def _send(self, response: Response, method: str, keep: int | None = None) -> None:
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        if method != "HEAD":
            self.wfile.write(response.body[:keep])

    def log_message(self, format: str, *args: Any) -> None:
        # The request log is the journal; nothing goes to stderr.
        pass


def _end(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the client may have been first
        connection.shutdown(socket.SHUT_RDWR)
