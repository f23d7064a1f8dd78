"""Files and commits, named by their content as git names them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

Tree = Mapping[str, "Entry"]
"""POSIX path to file, for a whole revision."""

_FIRST_INSTANT = datetime(2025, 1, 1, tzinfo=UTC)


def instant(tick: int) -> str:
    """Return the time of a repo's nth event. Time is counted, not read, so equal histories get equal names."""
    return (_FIRST_INSTANT + timedelta(seconds=tick)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def git_oid(kind: str, content: bytes) -> str:
    """Name a git object (``blob``, ``tree`` or ``commit``) by its SHA-1."""
    return hashlib.sha1(b"%s %d\0%s" % (kind.encode(), len(content), content), usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class Entry:
    """One file at one revision.

    Attributes:
        oid: git name of the blob that the repo holds: the file itself, or its LFS pointer.
        content: the bytes that a download returns.
        sha256: of the content; set for LFS files only.
        pointer_size: length of the LFS pointer; set for LFS files only.
    """

    oid: str
    content: bytes = field(repr=False)
    sha256: str | None = None
    pointer_size: int | None = None

    @classmethod
    def regular(cls, content: bytes) -> Entry:
        """Make a file that git itself stores."""
        return cls(git_oid("blob", content), content)

    @classmethod
    def large(cls, content: bytes) -> Entry:
        """Make a file that LFS stores and for which git holds a pointer."""
        sha256 = hashlib.sha256(content).hexdigest()
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {len(content)}\n".encode()
        return cls(git_oid("blob", pointer), content, sha256, len(pointer))

    @property
    def size(self) -> int:
        """Bytes of the content."""
        return len(self.content)

    @property
    def content_id(self) -> str:
        """The digest that clients compare with their local file: SHA-256 for LFS, the git name otherwise."""
        return self.sha256 or self.oid


@dataclass(frozen=True, slots=True)
class Commit:
    """One revision of a repo, with all its files."""

    oid: str
    parent: str | None
    tree: Tree = field(repr=False)
    title: str
    message: str
    author: str
    tick: int

    @classmethod
    def make(cls, parent: str | None, tree: Tree, title: str, message: str, author: str, tick: int) -> Commit:
        """Name a commit by everything in it, its parent included."""
        lines = [f"tree {folder_oids(tree)['']}"]
        lines += [f"parent {parent}"] if parent else []
        lines += [f"author {author} {instant(tick)}", "", title, "", message]
        return cls(git_oid("commit", "\n".join(lines).encode()), parent, tree, title, message, author, tick)

    @property
    def date(self) -> str:
        """When it was made, in ISO 8601."""
        return instant(self.tick)


def folder_oids(tree: Tree) -> dict[str, str]:
    """Name every folder of a tree, the root under the empty path, by the git tree object that it would be."""
    members: dict[str, list[tuple[str, str, str]]] = {"": []}
    for path, entry in tree.items():
        folder, _, name = path.rpartition("/")
        members.setdefault(folder, []).append((name, "100644", entry.oid))
        while folder:
            folder = folder.rpartition("/")[0]
            members.setdefault(folder, [])
    oids: dict[str, str] = {}
    # Deepest first: a folder's name depends on the names of the folders in it.
    for folder in sorted(members, key=_depth, reverse=True):
        oids[folder] = _tree_oid(members[folder])
        if folder:
            parent, _, name = folder.rpartition("/")
            members[parent].append((name, "40000", oids[folder]))
    return oids


def _depth(folder: str) -> int:
    return folder.count("/") + 1 if folder else 0


def _tree_oid(members: list[tuple[str, str, str]]) -> str:
    # Git sorts a folder as if its name ended in a slash.
    ordered = sorted(members, key=lambda member: (member[0] + "/" * (member[1] == "40000")).encode())
    return git_oid("tree", b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(oid) for name, mode, oid in ordered))
