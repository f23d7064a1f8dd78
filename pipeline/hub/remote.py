"""What the Hub serves at one commit: fetched, compared with its own listing, verified."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pipeline.build.manifest import CARD, MANIFEST, SUMS, Manifest
from pipeline.errors import CannotRun, CheckFailed
from pipeline.hub.client import Hub
from pipeline.hub.content import FIXED, FileId, Release, read_file_id
from pipeline.text import printable
from pipeline.verify.report import CheckResult, Finding, Report
from pipeline.verify.run import VerifyRequest, verify_folder

CHECK = "hub"
"""The name of the check that only a repo can have."""

_SHOWN = 5


def read_manifest_at(hub: Hub, repo_id: str, commit: str, files: Mapping[str, FileId]) -> Manifest | None:
    """Read the manifest of a commit; None if there is none, or none that can be read."""
    if MANIFEST not in files:
        return None
    with tempfile.TemporaryDirectory(prefix="closebench-hub-") as folder:
        try:
            return Manifest.from_json(hub.read(repo_id, commit, MANIFEST, Path(folder)))
        except CheckFailed:
            return None


def fetch_release(hub: Hub, repo_id: str, commit: str, files: Mapping[str, FileId], folder: Path) -> list[str]:
    """Download the files of the release that a commit holds, each as far as it is there.

    Args:
        hub: the Hub.
        repo_id: the repo.
        commit: the full hash.
        files: the listing of the commit.
        folder: an empty folder.

    Returns:
        The paths of the repo that are no part of the release.
    """
    hub.download(repo_id, commit, [path for path in FIXED if path in files], folder)
    wanted = {path for path in (SUMS, MANIFEST) if path in files}
    with suppress(CheckFailed, OSError):  # the verification will say so
        wanted |= {file.path for file in Manifest.from_json((folder / MANIFEST).read_bytes()).files}
    if CARD in files and _has_card(folder):
        wanted.add(CARD)
    elif CARD in files:
        (folder / CARD).unlink()
    missing = [path for path in sorted(wanted & set(files)) if not (folder / path).is_file()]
    hub.download(repo_id, commit, missing, folder)
    return sorted(set(files) - wanted)


def _has_card(folder: Path) -> bool:
    """Tell whether the card belongs to the release: SHA256SUMS lists it then."""
    try:
        return any(line.endswith(f"  {CARD}".encode()) for line in (folder / SUMS).read_bytes().splitlines())
    except OSError:
        return False


def differences(hub: Hub, repo_id: str, commit: str, release: Release) -> list[str]:
    """Download a release from the Hub and compare every byte with the folder that it was pushed from.

    The folder has passed every check, so a repo that serves the same bytes would pass them too.

    Returns:
        What differs, a line each; none if nothing does.
    """
    files = hub.files(repo_id, commit)
    found = [f"{path} is missing" for path in sorted(set(release.files) - set(files))]
    there = [path for path in release.files if path in files]
    with tempfile.TemporaryDirectory(prefix="closebench-hub-") as name:
        folder = Path(name)
        hub.download(repo_id, commit, there, folder)
        for path in there:
            if not release.files[path].same(files[path]):
                found.append(f"{path} is listed with another digest")
            elif not read_file_id(folder, path).same(release.files[path]):
                found.append(f"{path} is served in other bytes than listed")
    return found


def verify_revision(
    hub: Hub,
    repo_id: str,
    revision: str,
    request: VerifyRequest,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> Report:
    """Verify what a repo serves at a revision, with every check of a folder and one more.

    Args:
        hub: the Hub.
        repo_id: the repo.
        revision: a branch, tag or commit; resolved once, so that all checks see the same commit.
        request: how to verify; its folder and subject are replaced.
        progress: see `verify_folder`.

    Returns:
        The report, the check ``hub`` first. Its subject names the commit.

    Raises:
        CannotRun: the repo or revision cannot be read, or holds no release.
    """
    commit = hub.resolve(repo_id, revision)
    files = hub.files(repo_id, commit)
    if not {MANIFEST, SUMS} & set(files):
        raise CannotRun(f"{repo_id}@{revision} holds no release: it has no {MANIFEST}; name another revision")
    with tempfile.TemporaryDirectory(prefix="closebench-hub-") as name:
        folder = Path(name) / "release"
        folder.mkdir()
        others = fetch_release(hub, repo_id, commit, files, folder)
        listing = compare_listing(folder, files, others)
        subject = f"{repo_id}@{revision}, commit {commit}"
        report = verify_folder(replace(request, folder=folder, subject=subject), progress)
    return replace(report, results=tuple(map(_printable, (listing, *report.results))))


def _printable(result: CheckResult) -> CheckResult:
    """Escape what a report quotes from a repo, which anybody may have filled."""
    findings = tuple(
        replace(one, place=printable(one.place), message=printable(one.message)) for one in result.findings
    )
    notes = tuple(map(printable, result.notes))
    return replace(result, reason=result.reason and printable(result.reason), notes=notes, findings=findings)


def compare_listing(folder: Path, files: Mapping[str, FileId], others: list[str]) -> CheckResult:
    """Compare the Hub's own listing and checksums with the manifest and with the bytes that it served.

    Args:
        folder: what was downloaded.
        files: the listing.
        others: paths of the repo that are no part of the release.
    """
    findings = []
    try:
        listed = {file.path: file for file in Manifest.from_json((folder / MANIFEST).read_bytes()).files}
    except (CheckFailed, OSError):
        listed = {}
    for path, file in listed.items():
        there = files.get(path)
        if there is None:
            findings.append(Finding(CHECK, path, "is listed in the manifest and not on the Hub"))
        elif there.bytes != file.bytes or there.sha256 not in (None, file.sha256):
            message = f"is listed by the Hub with {there.bytes} bytes, {there.sha256 or there.git}; the manifest says "
            findings.append(Finding(CHECK, path, f"{message}{file.bytes} bytes, {file.sha256}"))
    for path in sorted(set(files) - set(others)):
        served = read_file_id(folder, path)
        if not served.same(files[path]):
            message = f"is served with {served.digest_like(files[path])}; the Hub lists "
            findings.append(Finding(CHECK, path, f"{message}{files[path].sha256 or files[path].git}"))
    shown = ", ".join(others[:_SHOWN]) + (f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else "")
    return CheckResult(
        CHECK,
        "failed" if findings else "passed",
        {"files": len(set(files) - set(others))},
        None,
        (f"also in the repo, and no part of the release: {shown}",) if others else (),
        tuple(sorted(findings)),
    )
