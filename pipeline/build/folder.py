"""The release folder on disk: written beside its place, swapped in by two renames, repaired after a kill.

Beside ``DIR/<family>`` there may be, while a build runs or after one was killed,

- ``DIR/.<family>.new``: the folder being written; worth nothing,
- ``DIR/.<family>.old``: the previous folder, moved away an instant before the new one is moved in,
- ``DIR/.<family>.lock``: held by the process that may touch the three others.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from pipeline.build.manifest import UNLISTED, is_release_of, read_manifest
from pipeline.errors import CannotRun, CheckFailed, UsageError

_LOCK_SECONDS = 5  # time for the workers of a killed build to notice and end


class ReleaseFolder:
    """The place of one family's release folder."""

    def __init__(self, parent: Path, family: str) -> None:
        """Name the place.

        Args:
            parent: the folder that release folders lie in, for example ``data/build``.
            family: the family's name, which is also the name of its folder.
        """
        self.family = family
        self.path = parent / family
        self._new = parent / f".{family}.new"
        self._old = parent / f".{family}.old"
        self._lock = FileLock(parent / f".{family}.lock")

    @contextmanager
    def replace(self, *, force: bool) -> Iterator[Path]:
        """Yield an empty folder to write in; put it in place when the block ends without an error.

        Args:
            force: replace whatever is in the way, even if it is not a release folder of this family.

        Raises:
            UsageError: something is in the way that this tool did not make.
            CannotRun: another build of the family is writing there.
            OSError: the parent cannot be written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._locked(_LOCK_SECONDS):
            self._repair()
            if not force:
                self._refuse_foreign()
            self._new.mkdir()
            try:
                yield self._new
                self._swap()
            except BaseException:
                shutil.rmtree(self._new, ignore_errors=True)
                raise

    def settle(self) -> None:
        """Finish or undo a swap that was killed half-way, so that a reader finds a whole folder.

        Does nothing while another process builds: it settles the folder itself.
        """
        if self._old.exists() or self._new.exists():
            try:
                with self._locked(0):
                    self._repair()
            except CannotRun:
                return

    @contextmanager
    def _locked(self, seconds: float) -> Iterator[None]:
        try:
            self._lock.acquire(timeout=seconds)
        except Timeout:
            raise CannotRun(f"another build is writing {self.path}; wait for it to end and run this again") from None
        try:
            yield
        finally:
            self._lock.release()

    def _repair(self) -> None:
        if self._old.exists():
            if self.path.exists():
                _remove(self._old)  # killed after the swap, before the clean-up
            else:
                self._old.rename(self.path)  # killed between the two renames
        if self._new.exists():
            _remove(self._new)

    def _swap(self) -> None:
        if os.path.lexists(self.path):
            self.path.rename(self._old)
        self._new.rename(self.path)
        if os.path.lexists(self._old):
            _remove(self._old)

    def _refuse_foreign(self) -> None:
        """Refuse to replace what this tool did not write: a whole folder, or files that somebody put into one."""
        if not os.path.lexists(self.path):
            return
        if self.path.is_symlink() or not self.path.is_dir():
            raise UsageError(f"{self.path} is not a folder; move it away, or replace it with --force")
        present = sorted(path.relative_to(self.path).as_posix() for path in self.path.rglob("*") if not path.is_dir())
        if not present:
            return
        if not is_release_of(self.path, self.family):
            raise UsageError(
                f"{self.path} holds files but no release of {self.family}; "
                "choose another --out, or replace it with --force"
            )
        try:
            known = {file.path for file in read_manifest(self.path).files} | UNLISTED
        except CheckFailed:
            return  # ours, but damaged: rebuilding it is the cure
        foreign = [path for path in present if path not in known]
        if foreign:
            raise UsageError(
                f"{self.path} holds {foreign[0]!r}{f' and {len(foreign) - 1} more files' if foreign[1:] else ''} "
                "that no build wrote; move it away, or lose it with --force"
            )


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
