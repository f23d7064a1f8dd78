"""Who the caller is, and what they may do."""

from __future__ import annotations

import secrets

from pipeline.hub.loopback.accounts import WRITE, Account
from pipeline.hub.loopback.call import Call
from pipeline.hub.loopback.errors import HubError, gated
from pipeline.hub.loopback.messages import Response, json_response


def whoami(call: Call) -> Response:
    """Describe the token."""
    if call.account is None:
        raise HubError(401, "Invalid username or password.")
    return json_response(call.account.describe())


def exchange(call: Call) -> Response:
    """Exchange the identity token of a CI job for a token that may write one repo (trusted publishers, RFC 8693)."""
    resource = call.text("resource")
    if resource not in call.state.publishers.get(call.text("subject_token"), ()):
        raise HubError(403, f"No trusted publisher of {resource} matches this identity token")
    token = f"hf_jwt_{secrets.token_hex(16)}"
    repo_id = resource.removeprefix("datasets/")
    call.state.accounts[token] = Account(repo_id.partition("/")[0], "fineGrained", scopes={repo_id: (WRITE,)})
    return json_response({"access_token": token, "token_type": "bearer", "expires_in": 3600})


def check_read(call: Call) -> Response:
    """Tell whether the caller may have the files."""
    repository = call.repository()
    if not call.may_download(repository):
        raise gated(call.account is None, repository.id)
    return json_response({})


def check_write(call: Call) -> Response:
    """Tell whether the caller may commit."""
    call.repository("write")
    return json_response({})
