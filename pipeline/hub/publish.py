"""Publishing: one commit, then what the Hub serves is compared with what was built, then a tag.

Whatever fails, the repo is at the old or at the new revision, and running the same command again finishes the work:
everything is decided from what the Hub holds, nothing from what an earlier run remembers.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from pipeline.build.manifest import MANIFEST, Manifest
from pipeline.errors import CannotRun, CheckFailed
from pipeline.hub.client import Committed, Hub
from pipeline.hub.content import FileId, Release, different_rows, read_release
from pipeline.hub.diff import LocalSide, ReleaseDiff, RemoteSide, diff_releases
from pipeline.hub.failures import Conflict, RepoMissing, Unavailable
from pipeline.hub.plan import NOTHING, Plan, Remote, Tagged, changed_by_others, check_plan, make_plan
from pipeline.hub.remote import differences, read_manifest_at
from pipeline.text import printable

_SHOWN = 5
_NEWEST_PROPOSALS = 5
"""Open pull requests that are looked at for one that proposes the same."""


@dataclass(frozen=True, slots=True)
class PushRequest:
    """What to push, and how.

    Attributes:
        folder: a release folder that has passed its checks.
        repo_id: the dataset repo.
        create_pr: propose a pull request instead of a commit on main; it is never tagged.
        create_repo: make the repo if it is not there.
        private: make it private.
        message: the title of the commit; None for one that names the release.
        rewrite: replace files although no row changes, or go back to an older version.
    """

    folder: Path
    repo_id: str
    create_pr: bool = False
    create_repo: bool = False
    private: bool = False
    message: str | None = None
    rewrite: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a push came to.

    Attributes:
        release: family and data version.
        commit: the commit that holds the release, verified if it or its tag is new.
        committed: whether this run, or an earlier attempt within it, made that commit.
        pull_request: address of the pull request that it is on.
        tag: the tag of the release; None on a pull request.
        tag_commit: the commit that it is on.
        tagged: whether this run made it.
    """

    release: str
    commit: str
    committed: bool
    pull_request: str | None
    tag: str | None
    tag_commit: str | None
    tagged: bool


class Push:
    """One push: `check_access`, `prepare`, look at the plan, `carry_out`."""

    def __init__(self, hub: Hub, request: PushRequest) -> None:
        """Bind a request to a Hub; nothing is read yet."""
        self._hub, self._request = hub, request
        self._exists = True
        self._release: Release | None = None
        self._remote = NOTHING

    @property
    def release(self) -> Release:
        """The release folder, read on first use.

        Raises:
            CheckFailed: it is damaged.
        """
        if self._release is None:
            self._release = read_release(self._request.folder)
        return self._release

    @property
    def remote(self) -> Remote:
        """What the repo held when it was read last."""
        return self._remote

    @property
    def exists(self) -> bool:
        """Whether the repo is there, once `check_access` has looked."""
        return self._exists

    @property
    def page(self) -> str:
        """The address of the repo for people."""
        return self._hub.page(self._request.repo_id)

    def check_access(self) -> None:
        """Check that the push may be made, before anything costs time: one request, two if the repo is to be made.

        Raises:
            RepoMissing: there is no such repo, and it is not to be made.
            CannotRun: the token is missing or may not do this.
        """
        request = self._request
        self._hub.require_token()
        try:
            if request.create_pr:
                self._hub.require_read(request.repo_id)  # strangers may propose
            else:
                self._hub.require_write(request.repo_id)
        except RepoMissing as missing:
            if not request.create_repo:
                raise _offer_to_create(missing) from None
            self._hub.require_create(request.repo_id)
            self._exists = False

    def prepare(self) -> Plan:
        """Read the repo and decide what to do.

        Raises:
            CheckFailed, UsageError: see `check_plan`.
            CannotRun: the repo cannot be read.
        """
        self._remote = self._read_remote() if self._exists else NOTHING
        return self._plan()

    def prepare_without_hub(self) -> Plan:
        """Decide what to do with an empty repo, for a dry run that cannot read the real one."""
        self._remote = NOTHING
        return self._plan()

    def diff(self) -> ReleaseDiff | None:
        """Compare the release at the head of main with the one to push, once `prepare` has read it.

        Returns:
            What differs, with its rows; None if there is no release, or the same one.

        Raises:
            PipelineError: its rows cannot be read.
        """
        there = self._remote
        if there.manifest is None or there.head is None or there.manifest == self.release.manifest:
            return None
        with tempfile.TemporaryDirectory(prefix="closebench-hub-") as folder:
            side = RemoteSide(self._hub, self._request.repo_id, there.head, there.files, there.manifest, Path(folder))
            return diff_releases(side, LocalSide(self.release))

    def carry_out(self, plan: Plan) -> Outcome:
        """Do what a plan says: commit, verify, tag. See the module for what holds if it fails.

        Raises:
            CheckFailed: the Hub serves something else than was built; there is no tag then.
            CannotRun: the Hub does not let it happen, or somebody else changed the same files.
        """
        request = self._request
        if plan.parent is None:
            self._hub.create_repo(request.repo_id, private=request.private)
            self._exists = True
            plan = self.prepare()
        if plan.parent is None:
            raise CannotRun(f"{request.repo_id} has no commit; run the same command again")
        if not plan.changes and (plan.tagged or request.create_pr):
            return self._outcome(Committed(plan.parent), plan, committed=False, tagged=False)
        made = Committed(plan.parent)
        if plan.changes:
            proposed = self._find_proposal() if request.create_pr else None
            if proposed:
                return self._outcome(proposed, plan, committed=False, tagged=False)
            made, plan = self._commit(plan)
        self._verify(made, plan)
        tagged = not (request.create_pr or plan.tagged)
        if tagged:
            self._hub.create_tag(request.repo_id, plan.tag, made.commit)
        return self._outcome(made, plan, committed=made.commit != plan.parent, tagged=tagged)

    def _outcome(self, made: Committed, plan: Plan, *, committed: bool, tagged: bool) -> Outcome:
        proposal = self._request.create_pr
        return Outcome(
            release=self.release.name,
            commit=made.commit,
            committed=committed,
            pull_request=made.pull_request,
            tag=None if proposal else plan.tag,
            tag_commit=None if proposal else made.commit if tagged else plan.tagged,
            tagged=tagged,
        )

    def _plan(self) -> Plan:
        plan = make_plan(self.release, self._remote)
        check_plan(self.release, self._remote, plan, self._request.repo_id, rewrite=self._request.rewrite)
        return plan

    def _read_remote(self) -> Remote:
        """Read the head of main: two requests if it holds the release already, tag included."""
        hub, repo_id, release = self._hub, self._request.repo_id, self.release
        try:
            refs = hub.refs(repo_id)
        except RepoMissing as missing:
            raise _offer_to_create(missing) from None
        files = hub.files(repo_id, refs.head)
        remote = Remote(refs.head, files, self._manifest_at(refs.head, files), None)
        commit = refs.tags.get(release.tag)
        if commit is None:
            return remote
        if commit == refs.head:
            return Remote(refs.head, files, remote.manifest, self._tagged(commit, files))
        return Remote(refs.head, files, remote.manifest, self._tagged(commit, hub.files(repo_id, commit)))

    def _manifest_at(self, commit: str, files: dict[str, FileId]) -> Manifest | None:
        if self.release.files[MANIFEST].same(files.get(MANIFEST)):
            return self.release.manifest
        return read_manifest_at(self._hub, self._request.repo_id, commit, files)

    def _tagged(self, commit: str, files: dict[str, FileId]) -> Tagged:
        if all(file.same(files.get(path)) for path, file in self.release.files.items()):
            return Tagged(commit, (), same_files=True)
        manifest = self._manifest_at(commit, files)
        rows = None if manifest is None else tuple(different_rows(manifest, self.release.manifest))
        return Tagged(commit, rows, same_files=False)

    def _commit(self, plan: Plan) -> tuple[Committed, Plan]:
        """Commit until it has landed; return it and the plan that it fulfils.

        An answer that is lost, or an error after the fact, leaves open whether the commit is there. So the repo is
        read again before any further attempt, and whoever finds the release in it is done, whoever put it there.
        """
        before = self._remote
        for attempt in count():
            try:
                return self._try_commit(plan), plan
            except (Conflict, Unavailable) as failure:
                if isinstance(failure, Unavailable) and failure.repeated:
                    raise  # an upload, so there is no commit
                problem = failure
            self._remote = self._read_remote()
            again = make_plan(self.release, self._remote)
            landed = self._find_landed(again)
            if landed:
                return landed, replace(plan, tagged=again.tagged)
            self._refuse_foreign_changes(before)
            check_plan(self.release, self._remote, again, self._request.repo_id, rewrite=self._request.rewrite)
            self._hub.pause(problem, attempt)
            plan = again
        raise AssertionError("pause raises in the end")

    def _find_landed(self, again: Plan) -> Committed | None:
        if self._request.create_pr:
            return self._find_proposal()
        return Committed(again.parent) if again.parent and not again.changes else None

    def _refuse_foreign_changes(self, before: Remote) -> None:
        """Nobody has agreed to a plan that undoes what somebody else did after it was shown."""
        others = changed_by_others(self.release, before, self._remote)
        if others and not self._request.create_pr:
            shown = ", ".join(map(printable, others[:_SHOWN])) + (" and more" if others[_SHOWN:] else "")
            raise CannotRun(
                f"somebody else changed {shown} of {self._request.repo_id} while this ran (main is now at "
                f"{(self._remote.head or '')[:12]}); nothing was pushed; look at it, and push again if that is right"
            )

    def _try_commit(self, plan: Plan) -> Committed:
        request, release = self._request, self.release
        rows = sum(split.rows for by_split in release.manifest.configs.values() for split in by_split.values())
        return self._hub.commit(
            request.repo_id,
            request.folder,
            add=plan.paths("add", "change"),
            delete=plan.paths("delete"),
            parent=plan.parent or "",
            message=request.message or f"Release {release.name}",
            description=f"{rows:,} rows in {len(release.files)} files; verify with: closebench-hub verify "
            f"--repo-id {request.repo_id} --revision {release.tag}",
            create_pr=request.create_pr,
        )

    def _find_proposal(self) -> Committed | None:
        """Find an open pull request that proposes exactly this, of an earlier run whose answer was lost for example."""
        hub, repo_id = self._hub, self._request.repo_id
        numbers = hub.open_pull_requests(repo_id, _NEWEST_PROPOSALS)
        heads = hub.refs(repo_id, pull_requests=True).pull_requests if numbers else {}
        for number in numbers:
            if number in heads:
                proposed = Remote(heads[number], hub.files(repo_id, heads[number]), self._remote.manifest, None)
                if not make_plan(self.release, proposed).changes:
                    return Committed(heads[number], f"{hub.page(repo_id)}/discussions/{number}")
        return None

    def _verify(self, made: Committed, plan: Plan) -> None:
        found = differences(self._hub, self._request.repo_id, made.commit, self.release)
        if not found:
            return
        shown = "; ".join(found[:_SHOWN]) + (f"; and {len(found) - _SHOWN} more" if found[_SHOWN:] else "")
        repo_id, page = self._request.repo_id, self._hub.page(self._request.repo_id)
        if made.pull_request:
            back = f"close {made.pull_request}"
        elif made.commit != plan.parent:
            back = (
                f"to go back: hf download {repo_id} --repo-type dataset --revision {plan.parent} --local-dir previous "
                f"&& hf upload {repo_id} previous . --repo-type dataset --delete '*'"
            )
        else:
            back = f"to go back, restore an earlier commit of {page}/commits/main"
        raise CheckFailed(f"{repo_id} does not serve at {made.commit} what was built: {shown}; no tag was made; {back}")


def _offer_to_create(missing: RepoMissing) -> RepoMissing:
    return RepoMissing(f"{missing}, or create it with: closebench-hub push --create-repo")
