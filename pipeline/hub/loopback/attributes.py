"""Which files go to LFS: by the repo's ``.gitattributes``, and else by size and by content."""

from __future__ import annotations

import codecs
import re
from typing import Literal

from pipeline.hub.loopback.objects import Entry, Tree

Mode = Literal["regular", "lfs"]

ATTRIBUTES = ".gitattributes"
LARGEST_REGULAR = 10_000_000
"""Bytes above which text goes to LFS too."""

_LFS = "filter=lfs diff=lfs merge=lfs -text"
_LFS_PATTERNS = (
    "*.7z *.arrow *.avro *.bin *.bz2 *.ckpt *.ftz *.gz *.h5 *.joblib *.lfs.* *.lz4 *.mds *.mlmodel *.model *.msgpack"
    " *.npy *.npz *.onnx *.ot *.parquet *.pb *.pickle *.pkl *.pt *.pth *.rar *.safetensors saved_model/**/* *.tar.*"
    " *.tar *.tflite *.tgz *.wasm *.xz *.zip *.zst *tfevents* *.pcm *.sam *.raw *.aac *.flac *.mp3 *.ogg *.wav *.bmp"
    " *.gif *.png *.tiff *.jpg *.jpeg *.webp *.mp4 *.webm"
)
INITIAL_ATTRIBUTES = "".join(f"{pattern} {_LFS}\n" for pattern in _LFS_PATTERNS.split())
"""What a new dataset repo holds, and all that it holds."""


def upload_mode(path: str, size: int, sample: bytes, attributes: str) -> Mode:
    """Choose how a file is stored.

    Args:
        path: in the repo.
        size: in bytes.
        sample: its first bytes (the clients send at most 512).
        attributes: text of ``.gitattributes`` at the revision that the file goes to.

    Returns:
        ``regular`` for an empty file, which LFS cannot hold. Else what the last matching line says. Without one,
        ``lfs`` for more than `LARGEST_REGULAR` bytes and for anything that is not UTF-8 text.
    """
    if size == 0:
        return "regular"
    declared = declared_mode(path, attributes)
    if declared is not None:
        return declared
    return "lfs" if size > LARGEST_REGULAR or _is_binary(sample) else "regular"


def declared_mode(path: str, attributes: str) -> Mode | None:
    """Return what ``.gitattributes`` says about a path; None if it says nothing."""
    mode: Mode | None = None
    for line in attributes.splitlines():
        pattern, *words = line.split() or ["#"]
        if pattern.startswith("#") or not _matches(pattern, path):
            continue
        for word in words:
            if word.lstrip("-!").partition("=")[0] == "filter":
                mode = "lfs" if word == "filter=lfs" else "regular"
    return mode


def with_attributes(tree: Tree) -> dict[str, Entry]:
    """Add a line to ``.gitattributes`` for each LFS file that no line covers, as the Hub does in the same commit."""
    attributes = tree[ATTRIBUTES].content.decode(errors="replace") if ATTRIBUTES in tree else ""
    large = sorted(path for path, entry in tree.items() if entry.sha256)
    missing = [path for path in large if declared_mode(path, attributes) != "lfs"]
    if not missing:
        return dict(tree)
    if attributes and not attributes.endswith("\n"):
        attributes += "\n"
    attributes += "".join(f"{_literal_pattern(path)} {_LFS}\n" for path in missing)
    return {**tree, ATTRIBUTES: Entry.regular(attributes.encode())}


def _is_binary(sample: bytes) -> bool:
    try:
        # The sample may end within a character, which is no reason to call it binary.
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return True
    return b"\0" in sample


def _literal_pattern(path: str) -> str:
    escaped = re.sub(r"[*?\[\]\\]", lambda match: "\\" + match.group(), path)
    return re.sub(r"\s", "[[:space:]]", escaped)


_PATTERN_PART = re.compile(r"\[\[:space:\]\]|\\.|\*\*/|\*\*|\*|\?|\[[^\]]+\]|.", re.DOTALL)
_WILDCARDS = {"[[:space:]]": r"\s", "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _matches(pattern: str, path: str) -> bool:
    # Git matches a pattern without a slash against the file's name, in any folder.
    subject = path if "/" in pattern else path.rpartition("/")[2]
    parts = _PATTERN_PART.findall(pattern.removeprefix("/"))
    return re.fullmatch("".join(map(_regex_of, parts)), subject, re.DOTALL) is not None


def _regex_of(part: str) -> str:
    if part in _WILDCARDS:
        return _WILDCARDS[part]
    if len(part) > 1 and part.startswith("["):
        return part.replace("[!", "[^", 1)
    return re.escape(part[-1])
