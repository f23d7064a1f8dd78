"""Files as a release knows them: path, size and SHA-256."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class FileDigest:
    """One file of a release folder.

    Attributes:
        path: POSIX path within the folder.
        bytes: its size.
        sha256: the digest of its bytes, in hexadecimal.
    """

    path: str
    bytes: int
    sha256: str


def digest_file(folder: Path, path: str) -> FileDigest:
    """Read a file and digest it.

    Raises:
        OSError: it cannot be read.
    """
    with (folder / path).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return FileDigest(path, file.tell(), digest)
