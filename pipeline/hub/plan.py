"""What a push will do, decided before anything is done. Pure: no request, no file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pipeline.build.manifest import CARD, MANIFEST, SUMS, Manifest
from pipeline.errors import CannotRun, CheckFailed, UsageError
from pipeline.hub.attributes import LARGEST_TEXT, declared_mode
from pipeline.hub.content import FileId, Release, different_rows
from pipeline.text import printable

Kind = Literal["add", "change", "delete"]


@dataclass(frozen=True, slots=True)
class Tagged:
    """The commit that the release's tag is on.

    Attributes:
        commit: its hash.
        different_rows: configs and splits with other rows than the release; None if it holds no release at all.
        same_files: whether it holds every file of the release as it is.
    """

    commit: str
    different_rows: tuple[str, ...] | None
    same_files: bool


@dataclass(frozen=True, slots=True)
class Remote:
    """What a repo holds at the head of main.

    Attributes:
        head: the commit; None if the repo does not exist yet or could not be read.
        files: by path.
        manifest: of the release that is there; None without one, or with one that cannot be read.
        tagged: where the tag of the release to push is; None if there is none.
    """

    head: str | None
    files: Mapping[str, FileId]
    manifest: Manifest | None
    tagged: Tagged | None

    def managed(self, release: Release) -> set[str]:
        """Return the files that a push of `release` may replace or remove.

        That is what the manifest here lists, and what the release brings. A card stays if the release has none, and
        without a manifest nothing is removed: nobody knows whose files they are.
        """
        listed = {file.path for file in self.manifest.files} | {SUMS, MANIFEST} if self.manifest else set()
        return (listed | set(release.files)) & set(self.files)


NOTHING = Remote(None, {}, None, None)
"""A repo that is not there."""


@dataclass(frozen=True, slots=True)
class Change:
    """One file that a push changes.

    Attributes:
        kind: what happens to it.
        path: the file.
        bytes: its size afterwards; 0 if it is removed.
        old: digest before; None if it is new. SHA-256 for a large file, else git's SHA-1, as the Hub lists them.
        new: digest afterwards, of the same kind; None if it is removed.
    """

    kind: Kind
    path: str
    bytes: int
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class Plan:
    """A push, decided.

    Attributes:
        parent: the commit that it goes on top of; None if there is no repo yet.
        changes: sorted by path; none if the repo is as the release.
        kept: files of the repo that are nobody's business.
        tag: the tag of the release.
        tagged: the commit that it is on already.
    """

    parent: str | None
    changes: tuple[Change, ...]
    kept: tuple[str, ...]
    tag: str
    tagged: str | None

    @property
    def upload_bytes(self) -> int:
        """Bytes to send at most: what the Hub has already under another name is not sent again."""
        return sum(change.bytes for change in self.changes)

    def paths(self, *kinds: Kind) -> list[str]:
        """Return the paths that are changed in one of these ways."""
        return [change.path for change in self.changes if change.kind in kinds]

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain JSON types."""
        changes = [
            {"change": one.kind, "path": one.path, "bytes": one.bytes, "old": one.old, "new": one.new}
            for one in self.changes
        ]
        return {
            "parent": self.parent,
            "changes": changes,
            "kept": list(self.kept),
            "upload_bytes": self.upload_bytes,
            "tag": self.tag,
            "tag_is_on": self.tagged,
        }


def make_plan(release: Release, remote: Remote) -> Plan:
    """Compare a release with what is there."""
    managed = remote.managed(release)
    changes = []
    for path in sorted(managed | set(release.files)):
        old, new = remote.files.get(path), release.files.get(path)
        if new is None:
            changes.append(Change("delete", path, 0, old.digest_like(old) if old else None, None))
        elif not new.same(old):
            kind: Kind = "change" if old else "add"
            before = old.digest_like(old) if old else None
            changes.append(Change(kind, path, new.bytes, before, new.digest_like(old)))
    kept = tuple(sorted(set(remote.files) - managed))
    return Plan(remote.head, tuple(changes), kept, release.tag, remote.tagged.commit if remote.tagged else None)


def check_plan(release: Release, remote: Remote, plan: Plan, repo_id: str, *, rewrite: bool) -> None:
    """Stop what should not be published.

    Raises:
        CheckFailed: the release cannot stand on the Hub as it is, or its version is taken by other data.
        CannotRun: a file of somebody else is in the way.
        UsageError: it may be meant, but then it has to be said with ``--rewrite``, or with another repo.
    """
    _check_family(release, remote, repo_id)
    _check_large_texts(release)
    _check_kept(release, remote, plan, repo_id)
    _check_tag_rows(release, remote, repo_id)
    if plan.changes and not rewrite:
        _check_order(release, remote, repo_id)
        _check_worth(release, remote, plan, repo_id)
        _check_tag_files(release, remote, repo_id)


def changed_by_others(release: Release, before: Remote, now: Remote) -> list[str]:
    """Name the files of the release, or of the one before it, that are not as they were when the plan was made."""
    paths = before.managed(release) | now.managed(release)
    return sorted(path for path in paths if not _same(before.files.get(path), now.files.get(path)))


def _same(one: FileId | None, other: FileId | None) -> bool:
    return one is None if other is None else other.same(one)


def _check_family(release: Release, remote: Remote, repo_id: str) -> None:
    if remote.manifest and remote.manifest.family != release.manifest.family:
        raise UsageError(
            f"{repo_id} holds {remote.manifest.family}, and this release is of {release.manifest.family}; "
            "every family has a repo of its own, so choose another --repo-id"
        )


def _check_large_texts(release: Release) -> None:
    """The Hub would add a line to ``.gitattributes`` in the same commit, which then is not the file that was proved."""
    for file in release.files.values():
        if file.bytes > LARGEST_TEXT and declared_mode(file.path, release.attributes) != "lfs":
            raise CheckFailed(
                f"{file.path} has {file.bytes:,} bytes: above {LARGEST_TEXT:,} the Hub would store it as a large file "
                "and rewrite .gitattributes; publish Parquet alone (closebench-hub build --formats parquet) "
                "or fewer seeds"
            )


def _check_kept(release: Release, remote: Remote, plan: Plan, repo_id: str) -> None:
    """The same would happen for a large file of somebody else that the release's ``.gitattributes`` does not cover."""
    for path in plan.kept if plan.changes else ():
        if remote.files[path].sha256 and declared_mode(path, release.attributes) != "lfs":
            raise CannotRun(
                f"{repo_id} holds {printable(path)}, a large file that .gitattributes of this release does not cover, "
                "so the Hub would rewrite .gitattributes; move that file to another repo and push again"
            )


def _check_tag_rows(release: Release, remote: Remote, repo_id: str) -> None:
    tagged = remote.tagged
    if tagged is None or tagged.different_rows == ():
        return
    what = "no release" if tagged.different_rows is None else f"other rows of {', '.join(tagged.different_rows)}"
    raise CheckFailed(
        f"{release.tag} of {repo_id} is on {tagged.commit[:12]}, which holds {what}; a version means its data, "
        "so bump the data version (MAJOR: the rows change) and build again"
    )


def _check_order(release: Release, remote: Remote, repo_id: str) -> None:
    if remote.manifest is None:
        return
    there, here = _ordered(remote.manifest.data_version), _ordered(release.manifest.data_version)
    if there and here and there > here:
        raise UsageError(
            f"main of {repo_id} holds {remote.manifest.data_version}, which is newer than "
            f"{release.manifest.data_version}; if going back is meant, push with --rewrite"
        )


def _ordered(version: str) -> tuple[int, ...]:
    parts = version.split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else ()


def _check_worth(release: Release, remote: Remote, plan: Plan, repo_id: str) -> None:
    """The same rows in Parquet of another pyarrow are no news, and would cost every reader a download."""
    there, here = remote.manifest, release.manifest
    if there is None or there.data_version != here.data_version or different_rows(there, here):
        return
    paths = plan.paths("add", "change", "delete")
    parquet = [path for path in paths if path.endswith(".parquet")]
    if parquet and set(paths) - set(parquet) <= {SUMS, MANIFEST, CARD}:
        versions = f"pyarrow {there.versions.get('pyarrow')} there, {here.versions.get('pyarrow')} here"
        raise UsageError(
            f"{repo_id} holds every row of {release.name} already, and only the bytes of {len(parquet)} Parquet files "
            f"differ ({versions}); nothing was pushed; to replace them all the same, push with --rewrite"
        )


def _check_tag_files(release: Release, remote: Remote, repo_id: str) -> None:
    if remote.tagged is not None and not remote.tagged.same_files:
        raise UsageError(
            f"{release.tag} of {repo_id} holds the same rows in other files; bump the data version (PATCH: only bytes "
            "change) and build again, or move main alone and leave the tag with --rewrite"
        )
