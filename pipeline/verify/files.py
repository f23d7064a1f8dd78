"""The check *files*: what is in the folder is what the manifest, the checksums, the pins and the project say."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from pipeline import resources
from pipeline.build.digest import FileDigest, digest_file
from pipeline.build.manifest import CARD, MANIFEST, SUMS, UNLISTED, Manifest, checksum_lines
from pipeline.build.plan import SplitPlan, jsonl_path
from pipeline.build.shard import JSONL, PARQUET
from pipeline.card.canary import canary
from pipeline.card.render import render_card
from pipeline.errors import CheckFailed, PipelineError, UsageError
from pipeline.families.base import Family
from pipeline.pins import pin_name, read_pin
from pipeline.seeds import Seeds
from pipeline.verify.report import Finding, Tally

_SUMS_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_MAX_SMALL_FILE = 64 * 2**20  # a manifest or checksum file beyond this is not read


def read_folder(folder: Path, tally: Tally) -> dict[str, FileDigest]:
    """Digest every regular file of a folder, following no link.

    Args:
        folder: the release folder.
        tally: takes a finding for everything that is neither a regular file nor a folder, or cannot be read.

    Returns:
        The digest of each file by its path.
    """
    digests = {}
    for path, entry in _walk(folder, ""):
        mode = entry.stat(follow_symlinks=False).st_mode
        if not stat.S_ISREG(mode):
            kind = "a link" if stat.S_ISLNK(mode) else "not a regular file"
            tally.find("files", path, f"is {kind}; a release holds regular files only")
            continue
        try:
            digests[path] = digest_file(folder, path)
        except OSError as error:
            tally.find("files", path, f"cannot be read: {error.strerror}")
    tally.count(files=len(digests), bytes=sum(file.bytes for file in digests.values()))
    return digests


def _walk(folder: Path, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(folder / prefix) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            path = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(folder, f"{path}/")
            else:
                yield path, entry


def load_manifest(folder: Path, tally: Tally) -> Manifest | None:
    """Read the manifest, or say why it cannot be read."""
    try:
        data = _read_small(folder / MANIFEST)
        manifest = Manifest.from_json(data)
    except CheckFailed as problem:
        tally.find("files", MANIFEST, str(problem))
        return None
    except OSError as error:
        tally.find("files", MANIFEST, f"cannot be read: {error.strerror}; is this a release folder?")
        return None
    if data != manifest.to_json():
        tally.find("files", MANIFEST, "is not written in its canonical form")
    return manifest


def _read_small(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(_MAX_SMALL_FILE + 1)
    if len(data) > _MAX_SMALL_FILE:
        raise CheckFailed(f"{path.name} is larger than {_MAX_SMALL_FILE} bytes; rebuild the folder")
    return data


def check_files(
    folder: Path, present: dict[str, FileDigest], manifest: Manifest, family: Family, plans: tuple[SplitPlan, ...]
) -> list[Finding]:
    """Compare the files with everything that says what they should be.

    Args:
        folder: the release folder.
        present: what `read_folder` found.
        manifest: the folder's manifest.
        family: its family.
        plans: the splits that the manifest names.
    """
    return [
        *_check_listing(present, manifest),
        *_check_sums(folder, present, manifest),
        *_check_names(manifest, family, plans),
        *_check_shipped(present, family),
        *_check_rows(manifest, present, family, plans),
        *_check_claims(manifest, family),
        *_check_card(folder, present, manifest, family),
    ]


def _check_listing(present: dict[str, FileDigest], manifest: Manifest) -> Iterator[Finding]:
    listed = {file.path: file for file in manifest.files}
    for path in sorted(listed.keys() | present.keys()):
        if path not in present:
            yield Finding("files", path, "is listed in the manifest and missing")
        elif path not in listed:
            if path not in (MANIFEST, SUMS, CARD):
                yield Finding("files", path, "is not listed in the manifest")
        elif present[path] != listed[path]:
            yield Finding("files", path, _difference(present[path], listed[path]))
    for path in sorted(UNLISTED):
        if path not in present:
            yield Finding("files", path, "is missing")


def _difference(found: FileDigest, wanted: FileDigest) -> str:
    if found.bytes != wanted.bytes:
        return f"has {found.bytes} bytes; the manifest says {wanted.bytes}, with SHA-256 {wanted.sha256}"
    return f"has SHA-256 {found.sha256}; the manifest says {wanted.sha256}"


def _check_sums(folder: Path, present: dict[str, FileDigest], manifest: Manifest) -> Iterator[Finding]:
    """SHA256SUMS is the text that follows from the manifest, the manifest's own digest and the card's."""
    if SUMS not in present or MANIFEST not in present:
        return
    derived = [present[path] for path in (MANIFEST, CARD) if path in present]
    wanted = checksum_lines([*manifest.files, *derived])
    try:
        found = _read_small(folder / SUMS)
    except (OSError, CheckFailed) as error:
        yield Finding("files", SUMS, f"cannot be read: {error}")
        return
    if found == wanted:
        return
    lines = set(found.splitlines()) ^ set(wanted.splitlines())
    first = min(lines, key=lambda line: line.partition(b"  ")[2], default=b"")
    place = first.partition(b"  ")[2].decode("utf-8", "replace")
    what = f"for {place!r}" if place else "in its form"
    yield Finding("files", SUMS, f"differs from the manifest {what}")


def check_sums_alone(folder: Path, present: dict[str, FileDigest]) -> Iterator[Finding]:
    """Compare the files with ``SHA256SUMS`` as it stands, for a folder without a manifest to go by."""
    if SUMS not in present:
        return
    try:
        lines = _read_small(folder / SUMS).decode("utf-8", "surrogateescape").splitlines()
    except (OSError, CheckFailed) as error:
        yield Finding("files", SUMS, f"cannot be read: {error}")
        return
    listed: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        found = _SUMS_LINE.fullmatch(line)
        if found:
            listed[found[2]] = found[1]
        else:
            yield Finding("files", SUMS, f"line {number} is no line of sha256sum")
    for path in sorted(listed.keys() | present.keys() - {SUMS}):
        if path not in present:
            yield Finding("files", path, f"is listed in {SUMS} and missing")
        elif path not in listed:
            yield Finding("files", path, f"is not listed in {SUMS}")
        elif present[path].sha256 != listed[path]:
            yield Finding("files", path, f"has SHA-256 {present[path].sha256}; {SUMS} says {listed[path]}")


def _check_names(manifest: Manifest, family: Family, plans: tuple[SplitPlan, ...]) -> Iterator[Finding]:
    """The manifest lists the files that a build of these splits writes, and no others."""
    expected = {f"schemas/{config}.json" for config in family.configs} | set(resources.shipped_files(family))
    for plan in plans:
        for config in family.configs:
            if JSONL in manifest.formats:
                expected.add(jsonl_path(config, plan.split))
            if PARQUET in manifest.formats:
                expected |= {shard.parquet_path(config) for shard in plan.shards()}
    listed = [file.path for file in manifest.files]
    for path in sorted(expected - set(listed)):
        yield Finding("files", path, "is not listed in the manifest, though a build of its seeds writes it")
    for path in sorted(set(listed) - expected):
        yield Finding("files", path, "is listed in the manifest, but no build of its seeds writes it")
    if listed != sorted(set(listed)):
        yield Finding("files", MANIFEST, "lists files out of order or twice")


def _check_shipped(present: dict[str, FileDigest], family: Family) -> Iterator[Finding]:
    """Files that ship as they are equal the project's own, so that a changed one cannot be listed as good."""
    sources = {f"schemas/{config}.json": resources.schema_path(family.name, config) for config in family.configs}
    sources |= resources.shipped_files(family)
    for path, source in sources.items():
        own = digest_file(source.parent, source.name)
        if path in present and (present[path].bytes, present[path].sha256) != (own.bytes, own.sha256):
            yield Finding("files", path, f"differs from the project's own, SHA-256 {own.sha256}")


def _check_rows(
    manifest: Manifest, present: dict[str, FileDigest], family: Family, plans: tuple[SplitPlan, ...]
) -> Iterator[Finding]:
    """Rows as the manifest hashes them equal the JSONL files and the pins."""
    pins = read_pin(family)
    listed = {file.path: file for file in manifest.files}
    pinned = []
    for plan in plans:
        published = plan.seeds == family.default_seeds[plan.split]
        for config in family.configs:
            path = jsonl_path(config, plan.split)
            rows = manifest.configs[config][plan.split]
            pin = pins.get(pin_name(config, plan.split)) if published else None
            pinned.append(pin is not None)
            if pin and rows.rows_sha256 != pin:
                message = f"gives {config}/{plan.split} the rows_sha256 {rows.rows_sha256}; the pin is {pin}"
                yield Finding("files", MANIFEST, message)
            if path not in present:
                continue
            file = present[path]
            if (file.bytes, file.sha256) != (rows.bytes, rows.rows_sha256):
                # A file that is as listed puts the manifest in the wrong, which says two things of it.
                place = MANIFEST if listed.get(path) == file else path
                message = f"{config}/{plan.split} has SHA-256 {file.sha256}; its rows_sha256 is {rows.rows_sha256}"
                yield Finding("files", place, message)
            if pin and file.sha256 != pin:
                yield Finding("files", path, f"has SHA-256 {file.sha256}; the pin is {pin}")
    if manifest.pinned != all(pinned):
        yield Finding("files", MANIFEST, f"says pinned: {manifest.pinned}, which its seeds do not bear out")


def _check_claims(manifest: Manifest, family: Family) -> Iterator[Finding]:
    """What the manifest says of versions is what the project would write."""
    generator = family.generator()
    if manifest.data_version != family.data_version:
        yield Finding(
            "files", MANIFEST, f"is of data version {manifest.data_version!r}; this project makes {family.data_version}"
        )
    if manifest.canary != canary(family.name):
        yield Finding("files", MANIFEST, f"has another canary than {canary(family.name)!r}")
    if manifest.generator != generator:
        yield Finding("files", MANIFEST, f"names the generator {manifest.generator}; the one here is {generator}")
    packages = {generator.package, *(["pyarrow"] if PARQUET in manifest.formats else [])}
    if set(manifest.versions) != packages or manifest.versions.get(generator.package) != generator.version:
        yield Finding(
            "files", MANIFEST, f"names the versions {dict(manifest.versions)}, not those of {sorted(packages)}"
        )


def _check_card(folder: Path, present: dict[str, FileDigest], manifest: Manifest, family: Family) -> Iterator[Finding]:
    """The card is the one that the folder's rows and manifest render to."""
    if CARD not in present:
        return
    try:
        card = render_card(folder, family, manifest)
    except (PipelineError, OSError, LookupError, TypeError, ValueError, AttributeError) as error:
        # The card is computed from rows that may be damaged in any way; what it then stumbles over is the finding.
        yield Finding("files", CARD, f"cannot be rendered from these rows: {type(error).__name__}: {error}")
        return
    found = (folder / CARD).read_bytes()
    if found != card:
        pairs = zip(found.splitlines(), card.splitlines(), strict=False)
        line = next((number for number, (one, other) in enumerate(pairs, 1) if one != other), 0)
        yield Finding("files", CARD, f"differs from the card that these rows render to{f', line {line}' * bool(line)}")


def plans_of(manifest: Manifest, family: Family, tally: Tally) -> tuple[SplitPlan, ...]:
    """Return the splits that a manifest says it holds.

    Returns:
        The plans, or none where the manifest contradicts itself, with a finding that says how.
    """
    plans = []
    if set(manifest.configs) != set(family.configs):
        names = ", ".join(map(repr, manifest.configs))
        tally.find("files", MANIFEST, f"has the configs {names}, not {', '.join(family.configs)}")
        return ()
    public, truth = (manifest.configs[config] for config in family.configs)
    if list(public) != list(truth) or {s: r.seeds for s, r in public.items()} != {s: r.seeds for s, r in truth.items()}:
        tally.find("files", MANIFEST, "has other splits or seeds in truth than in the public config")
        return ()
    for split, rows in public.items():
        if split not in family.splits:
            tally.find("files", MANIFEST, f"has a split {split!r} that the family does not have")
            return ()
        try:
            seeds = Seeds.parse(rows.seeds)
        except UsageError as problem:
            tally.find("files", MANIFEST, f"has no seeds for {split}: {problem}")
            return ()
        if str(seeds) != rows.seeds:
            tally.find("files", MANIFEST, f"writes the seeds {rows.seeds!r} and not {str(seeds)!r}")
        plan = SplitPlan(split, seeds, manifest.rows_per_shard)
        counts = {config: manifest.configs[config][split].rows for config in family.configs}
        if set(counts.values()) != {seeds.count}:
            tally.find("files", MANIFEST, f"counts {counts} rows of {split} for seeds {rows.seeds}")
            return ()
        if PARQUET in manifest.formats and plan.shard_count > len(manifest.files):
            tally.find("files", MANIFEST, f"lists fewer files than {split} has shards")
            return ()
        plans.append(plan)
    return tuple(sorted(plans, key=lambda plan: family.splits.index(plan.split)))
