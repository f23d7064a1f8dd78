"""Brings the card of a release folder up to date without building its rows again."""

from __future__ import annotations

from pathlib import Path

from pipeline.build.manifest import CARD, SUMS, read_manifest, release_checksums
from pipeline.card.render import render_card
from pipeline.families import get_family


def is_current(folder: Path) -> bool:
    """Tell whether the card is the one that the folder's rows render to now.

    Raises:
        CardInvalid, CannotRun: see `render_card`.
        CheckFailed: the manifest is damaged.
        OSError: a file cannot be read.
    """
    manifest = read_manifest(folder)
    card = folder / CARD
    return card.is_file() and card.read_bytes() == render_card(folder, get_family(manifest.family), manifest)


def refresh_card(folder: Path) -> bool:
    """Render the card anew, and with it the checksums.

    Returns:
        Whether the card changed.

    Raises:
        As `is_current`; then nothing was written.
    """
    manifest = read_manifest(folder)
    card = render_card(folder, get_family(manifest.family), manifest)
    changed = not (folder / CARD).is_file() or (folder / CARD).read_bytes() != card
    if changed:
        _replace(folder / CARD, card)
    sums = release_checksums(folder, manifest)
    if not (folder / SUMS).is_file() or (folder / SUMS).read_bytes() != sums:
        _replace(folder / SUMS, sums)
    return changed


def _replace(path: Path, data: bytes) -> None:
    """Write beside the file and rename, so that a reader never finds half of it."""
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
