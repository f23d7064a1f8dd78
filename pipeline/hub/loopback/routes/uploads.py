"""Before a commit: the card is checked, each file gets its mode, large files are uploaded."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any

from pipeline.hub.loopback.attributes import ATTRIBUTES, upload_mode
from pipeline.hub.loopback.call import Call
from pipeline.hub.loopback.card import check_card
from pipeline.hub.loopback.errors import HubError, bad_request, forbidden, repo_not_found
from pipeline.hub.loopback.messages import Response, json_response
from pipeline.hub.loopback.objects import Commit
from pipeline.hub.loopback.repository import Repository


def validate_card(call: Call) -> Response:
    """Check the metadata of a card; errors make the answer a 400."""
    errors, warnings = check_card(call.text("content"))
    answer = {"errors": [{"message": text} for text in errors], "warnings": [{"message": text} for text in warnings]}
    return json_response(answer, 400 if errors else 200)


def preupload(call: Call) -> Response:
    """Tell for each file how to send it, and the digest of the file that is there now.

    The digest lets the client leave out what did not change. ``gitIgnore`` is not evaluated: nothing is ignored.
    """
    repository = call.repository("propose" if call.request.flag("create_pr") else "write")
    commit = call.commit(repository)
    try:
        files = [_preupload(file, commit) for file in call.json()["files"]]
    except (KeyError, TypeError, ValueError) as error:
        raise bad_request('"files" must be a list of {path, sample, size}') from error
    return json_response({"files": files, "commitOid": commit.oid})


def _preupload(file: Mapping[str, Any], commit: Commit) -> dict[str, Any]:
    path, present = file["path"], commit.tree.get(file["path"])
    attributes = commit.tree[ATTRIBUTES].content.decode(errors="replace") if ATTRIBUTES in commit.tree else ""
    mode = upload_mode(path, int(file["size"]), base64.b64decode(file["sample"]), attributes)
    answer = {"path": path, "uploadMode": mode, "shouldIgnore": False}
    return {**answer, "oid": present.content_id} if present else answer


def lfs_batch(call: Call) -> Response:
    """Say where to upload each LFS object; one that is present gets no action."""
    repository, body = call.repository("propose"), call.json()
    if body.get("operation") != "upload" or body.get("hash_algo", "sha256") != "sha256":
        raise bad_request("Only uploads named by SHA-256 are supported")
    try:
        objects = [_batch_object(call, repository, item["oid"], int(item["size"])) for item in body["objects"]]
    except (KeyError, TypeError, ValueError) as error:
        raise bad_request('"objects" must be a list of {oid, size}') from error
    return json_response({"transfer": "basic", "objects": objects})


def _batch_object(call: Call, repository: Repository, oid: str, size: int) -> dict[str, Any]:
    if oid in repository.large_files:
        return {"oid": oid, "size": size}
    repository.expected_uploads[oid] = size
    store = f"{call.state.endpoint}/lfs/{repository.id}"
    actions = {"upload": {"href": f"{store}/{oid}"}, "verify": {"href": f"{store}/verify"}}
    return {"oid": oid, "size": size, "actions": actions}


def lfs_upload(call: Call) -> Response:
    """Take an LFS object.

    The clients send no token here, as the real address is a signed one of another host. Only what a batch has
    announced is taken, and only if it has the digest and the size that were announced.
    """
    repository, oid, content = _of_upload(call), call.values["oid"], call.request.body
    if oid not in repository.expected_uploads:
        raise forbidden("Nobody announced this upload")
    if len(content) != repository.expected_uploads[oid] or hashlib.sha256(content).hexdigest() != oid:
        raise bad_request("The content has not the announced size and SHA-256")
    repository.large_files[oid] = content
    return Response(200, {"ETag": f'"{oid}"'})


def lfs_verify(call: Call) -> Response:
    """Confirm that an object has arrived."""
    content = call.repository("propose").large_files.get(call.text("oid"))
    if content is None or len(content) != call.json().get("size"):
        raise HubError(404, "This object was not uploaded")
    return json_response({})


def _of_upload(call: Call) -> Repository:
    if call.repo_id not in call.state.repositories:
        raise repo_not_found(anonymous=call.account is None)
    return call.state.repositories[call.repo_id]
