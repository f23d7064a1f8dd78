"""Files and folders as the listings of the Hub show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pipeline.hub.loopback.objects import Commit, Entry, folder_oids
from pipeline.hub.loopback.repository import Repository


@dataclass(frozen=True, slots=True)
class Listing:
    """The tree of one commit, ready to be shown.

    Attributes:
        expand: whether each entry names the commit that changed it last.
    """

    repository: Repository
    commit: Commit
    folders: dict[str, str]
    expand: bool = False

    @classmethod
    def of(cls, repository: Repository, commit: Commit, *, expand: bool = False) -> Listing:
        """Name all the folders of a commit."""
        return cls(repository, commit, folder_oids(commit.tree), expand)

    def __contains__(self, path: str) -> bool:
        return path in self.commit.tree or path in self.folders

    def inside(self, folder: str, *, recursive: bool) -> list[str]:
        """Return the paths below a folder, sorted."""
        prefix = f"{folder}/" if folder else ""
        paths = sorted(path for path in {*self.commit.tree, *self.folders} if path and path.startswith(prefix))
        return [path for path in paths if recursive or "/" not in path.removeprefix(prefix)]

    def show(self, path: str) -> dict[str, Any]:
        """Render a file or a folder."""
        shown = self._show_file(path) if path in self.commit.tree else self._show_folder(path)
        return {**shown, "lastCommit": self._last_commit(path)} if self.expand else shown

    def _show_file(self, path: str) -> dict[str, Any]:
        entry = self.commit.tree[path]
        shown = {"type": "file", "oid": entry.oid, "size": entry.size, "path": path}
        if entry.sha256:
            shown["lfs"] = {"oid": entry.sha256, "size": entry.size, "pointerSize": entry.pointer_size}
        return shown

    def _show_folder(self, path: str) -> dict[str, Any]:
        return {"type": "directory", "oid": self.folders[path], "size": 0, "path": path}

    def _last_commit(self, path: str) -> dict[str, str]:
        current = last = self.commit
        for commit in self.repository.history(current):
            if _part(commit, path) != _part(current, path):
                break
            last = commit
        return {"id": last.oid, "title": last.title, "date": last.date}


def _part(commit: Commit, path: str) -> dict[str, str]:
    return {name: entry.oid for name, entry in commit.tree.items() if name == path or name.startswith(f"{path}/")}


def show_sibling(path: str, entry: Entry, *, blobs: bool) -> dict[str, Any]:
    """Render a file as the information on a repo lists it: its name, and with `blobs` its size and digests."""
    if not blobs:
        return {"rfilename": path}
    shown: dict[str, Any] = {"rfilename": path, "size": entry.size, "blobId": entry.oid}
    if entry.sha256:
        shown["lfs"] = {"sha256": entry.sha256, "size": entry.size, "pointerSize": entry.pointer_size}
    return shown
