"""The Hub without its socket: a request in, a response out, and the state in between."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from pipeline.hub.loopback.accounts import Account
from pipeline.hub.loopback.call import Call
from pipeline.hub.loopback.errors import HubError, bad_token
from pipeline.hub.loopback.messages import Request, Response
from pipeline.hub.loopback.routes import find_route
from pipeline.hub.loopback.state import State

_log = logging.getLogger(__name__)


def handle(state: State, request: Request) -> Response:
    """Answer one request, atomically.

    Never raises: what the Hub refuses is a response, and so is an error of this program (500).
    """
    with state.lock:
        try:
            route, values = find_route(request.method, request.path)
            return route(Call(state, request, values, account_of(state, request.headers)))
        except HubError as error:
            return error.response()
        except Exception:  # a defect of this program must reach the client as a 500, not end the server's thread
            _log.exception("%s %s failed", request.method, request.path)
            return HubError(500, "The loopback Hub has a defect; see its log").response()


def account_of(state: State, headers: Mapping[str, str]) -> Account | None:
    """Return who sends a request; None without a token.

    Raises:
        HubError: 401 for a token that nobody has, even where none is needed.
    """
    authorization = headers.get("authorization")
    if authorization is None:
        return None
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or token not in state.accounts:
        raise bad_token()
    return state.accounts[token]
