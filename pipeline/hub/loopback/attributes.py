"""Which files go to LFS: by the repo's ``.gitattributes``, and else by size and by content."""

from __future__ import annotations

import codecs
import re

from pipeline.hub.attributes import LARGEST_TEXT, Mode, declared_mode
from pipeline.hub.loopback.objects import Entry, Tree

ATTRIBUTES = ".gitattributes"

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
        ``lfs`` for more than `LARGEST_TEXT` bytes and for anything that is not UTF-8 text.
    """
    if size == 0:
        return "regular"
    declared = declared_mode(path, attributes)
    if declared is not None:
        return declared
    return "lfs" if size > LARGEST_TEXT or _is_binary(sample) else "regular"


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
