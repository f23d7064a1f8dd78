"""The operations of one commit: read from the wire, then applied to a tree."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline.hub.loopback.errors import HubError, bad_request
from pipeline.hub.loopback.objects import Entry, Tree

_PARENT = re.compile(r"[0-9a-f]{5,40}")


@dataclass(frozen=True, slots=True)
class AddFile:
    """Write a file that git stores."""

    path: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class AddLargeFile:
    """Write a file whose bytes were uploaded through LFS before."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """Remove a file."""

    path: str


@dataclass(frozen=True, slots=True)
class DeleteFolder:
    """Remove all files below a folder."""

    path: str


Operation = AddFile | AddLargeFile | DeleteFile | DeleteFolder


@dataclass(frozen=True, slots=True)
class Change:
    """A commit as a client asks for it.

    Attributes:
        title: first line of its message.
        message: the rest.
        parent: commit (or the first five or more digits of one) that it must follow, if the client cares.
        operations: applied in this order.
    """

    title: str
    message: str
    parent: str | None
    operations: tuple[Operation, ...]


def parse_change(body: bytes) -> Change:
    """Read the NDJSON body of a commit request.

    Raises:
        HubError: 400, for anything that is not a header line followed by operations.
    """
    try:
        lines = [json.loads(line) for line in body.splitlines() if line.strip()]
        header, *operations = [(line["key"], line["value"]) for line in lines]
        if header[0] != "header":
            raise bad_request("The first line of a commit must be its header")
        return _change(header[1], tuple(_operation(key, value) for key, value in operations))
    except (ValueError, KeyError, TypeError) as error:
        raise bad_request(f"Malformed commit: {type(error).__name__}") from error


def _change(header: Mapping[str, Any], operations: tuple[Operation, ...]) -> Change:
    title, parent = header["summary"], header.get("parentCommit")
    if not title:
        raise bad_request("A commit needs a summary")
    if parent is not None and not _PARENT.fullmatch(parent):
        raise bad_request("parentCommit must be 5 to 40 hexadecimal digits")
    return Change(title, header.get("description") or "", parent, operations)


def _operation(key: str, value: Mapping[str, Any]) -> Operation:
    path = value["path"]
    match key:
        case "file":
            return AddFile(_checked(path), _decoded(value))
        case "lfsFile":
            return AddLargeFile(_checked(path), value["oid"])
        case "deletedFile":
            return DeleteFile(_checked(path))
        case "deletedFolder":
            return DeleteFolder(_checked(path.rstrip("/")))
    raise bad_request(f"Unknown operation {key!r}")


def _checked(path: str) -> str:
    parts = path.split("/")
    if not {"", ".", "..", ".git"}.isdisjoint(parts) or "\0" in path:
        raise bad_request(f"Invalid path {path!r}")
    return path


def _decoded(value: Mapping[str, Any]) -> bytes:
    if value.get("encoding", "utf-8") != "base64":
        return str(value["content"]).encode()
    try:
        return base64.b64decode(value["content"], validate=True)
    except binascii.Error as error:
        raise bad_request(f"{value['path']}: content is not base64") from error


def apply(tree: Tree, operations: tuple[Operation, ...], load: Callable[[str], bytes | None]) -> dict[str, Entry]:
    """Return the tree after all operations, or fail without any effect.

    Args:
        tree: before; left alone.
        operations: applied one after the other, so a delete followed by an add replaces.
        load: returns the bytes of an LFS object by its SHA-256, None if they were never uploaded.

    Raises:
        HubError: 404 for the removal of what is not there, 400 for an object that was not uploaded or for a path
            that would be both a file and a folder.
    """
    after = dict(tree)
    for operation in operations:
        match operation:
            case AddFile(path, content):
                after[path] = Entry.regular(content)
            case AddLargeFile(path, sha256):
                after[path] = Entry.large(_uploaded(path, load(sha256)))
            case DeleteFile(path):
                if after.pop(path, None) is None:
                    raise _nothing_to_delete(f"A file with this name doesn't exist: {path}")
            case DeleteFolder(path):
                inside = [name for name in after if name.startswith(path + "/")]
                if not inside:
                    raise _nothing_to_delete(f"A folder with this name doesn't exist: {path}")
                for name in inside:
                    del after[name]
    _reject_clashes(after)
    return dict(sorted(after.items()))


def _uploaded(path: str, content: bytes | None) -> bytes:
    if content is None:
        raise bad_request(f"LFS pointer pointed to a file that does not exist: {path}")
    return content


def _nothing_to_delete(message: str) -> HubError:
    # The clients look for this wording to give their advice on trailing slashes.
    return HubError(404, message, "EntryNotFound")


def _reject_clashes(tree: Tree) -> None:
    for path in tree:
        folder = path
        while folder := folder.rpartition("/")[0]:
            if folder in tree:
                raise bad_request(f"{folder} is a file, so there can be no {path}")
