"""What a rehearsal does, step by step."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from pipeline.build.assemble import BuildRequest, build_release
from pipeline.build.manifest import Manifest, read_manifest
from pipeline.hub.loopback import LoopbackHub, Meanwhile
from pipeline.hub.loopback.repository import Repository
from pipeline.hub.rehearsal.steps import Step, require, run_module, run_step, start_module, wait_for

MOST_REQUESTS = 12
"""Of a push that changes nothing."""

_CLI = "pipeline"
_NEXT = "pipeline.hub.rehearsal.next_version"
_LOAD = "pipeline.hub.rehearsal.load"
_RACE_SECONDS = 60  # both racers are at their commit long before


def rehearse(family: str, tell: Callable[[Step], object]) -> list[Step]:
    """Rehearse a release of a family.

    Args:
        family: its name.
        tell: told every step as soon as it is done.

    Returns:
        The steps; a step that failed ends the rehearsal, for the next ones build on it.
    """
    with tempfile.TemporaryDirectory(prefix="closebench-hub-rehearsal-") as name, LoopbackHub() as hub:
        rehearsal = _Rehearsal(family, Path(name), hub)
        steps: list[Step] = []
        for title, action in rehearsal.steps():
            steps.append(run_step(title, action))
            tell(steps[-1])
            if not steps[-1].ok:
                break
        return steps


class _Rehearsal:
    """One rehearsal and what its steps share."""

    def __init__(self, family: str, folder: Path, hub: LoopbackHub) -> None:
        self._family, self._folder, self._hub = family, folder, hub
        self._repo_id = f"me/{family}"
        self._env = {**hub.environment(folder / "home"), "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
        self._release = folder / "first" / family
        self._next_release = folder / "next" / family
        self._version = self._next_version = ""

    def steps(self) -> list[tuple[str, Callable[[], str]]]:
        """Name the steps in their order."""
        return [
            ("build", self.build),
            ("push", self.push),
            ("verify the tag", self.verify),
            ("load_dataset", self.load),
            ("push again", self.push_again),
            ("build next version", self.build_next),
            ("push next version", self.push_next),
            ("race two pushes", self.race),
        ]

    def build(self) -> str:
        """Build the published release."""
        _, manifest = build_release(BuildRequest(self._family, self._release.parent))
        self._version = manifest.data_version
        # A new MAJOR, because rows change.
        self._next_version = f"{int(self._version.partition('.')[0]) + 1}.0.0"
        return f"{self._family} {self._version}, {_rows(manifest):,} rows"

    def push(self) -> str:
        """Push into a repo that does not exist yet."""
        self._push(_CLI, self._release, self._repo_id)
        self._require(self._repo_id, commits=2, tags=[f"v{self._version}"])
        files = len(self._repository(self._repo_id).resolve("main").tree)
        requests = len(self._hub.requests)
        return f"one commit of {files} files and the tag v{self._version} in a new repo, {requests} requests"

    def verify(self) -> str:
        """Verify what is served, as an auditor does; loading is the next step."""
        arguments = ("verify", "--repo-id", self._repo_id, "--revision", f"v{self._version}", "--skip", "load")
        text = run_module(_CLI, arguments, self._env)
        require("nothing was found; not checked: load" in text, "a check did not run", text)
        commit = self._repository(self._repo_id).tags[f"v{self._version}"]
        require(commit in text, "the report does not name the commit", text)
        return f"every check but load passed on {commit[:12]}"

    def load(self) -> str:
        """Load every config and split, plain and streaming."""
        text = run_module(_LOAD, (self._repo_id, f"v{self._version}", self._release), self._env)
        return f"{text.strip().splitlines()[-1]} of every config and split, plain and streaming, equal those built"

    def push_again(self) -> str:
        """Push the same once more."""
        self._hub.forget_requests()
        text = self._push(_CLI, self._release, self._repo_id)
        requests = len(self._hub.requests)
        self._require(self._repo_id, commits=2, tags=[f"v{self._version}"])
        require("nothing to do" in text, "it does not say that there is nothing to do", text)
        require(requests <= MOST_REQUESTS, f"{requests} requests, more than {MOST_REQUESTS}", text)
        return f"nothing to do, {requests} requests"

    def build_next(self) -> str:
        """Build a version in which a row of every split is another one."""
        arguments = (self._family, self._next_version, "build", self._family, "--out", self._next_release.parent)
        run_module(_NEXT, arguments, self._env)
        return f"{self._family} {self._next_version}, another row in every split"

    def push_next(self) -> str:
        """Push it over the first."""
        text = self._push(_NEXT, self._next_release, self._repo_id)
        self._require(self._repo_id, commits=3, tags=[f"v{self._version}", f"v{self._next_version}"])
        require("rows added" in text, "the difference was not shown before the push", text)
        sides = (f"{self._repo_id}@v{self._version}", f"{self._repo_id}@v{self._next_version}")
        diff = json.loads(run_module(_CLI, ("diff", *sides, "--json"), self._env))
        splits = [(part["added"], part["removed"], part["changed"]) for part in diff["rows"]]
        wanted = sum(len(by_split) for by_split in read_manifest(self._release).configs.values())
        require(splits == [(1, 1, 0)] * wanted, f"rows added, removed and changed: {splits}")
        return f"one commit and the tag v{self._next_version}; diff shows a row replaced in each of {wanted} splits"

    def race(self) -> str:
        """Let two releases be committed to a new repo at the same time, on the same parent."""
        repo_id = f"{self._repo_id}-race"
        # Both have made their plan, and wait for each other before either commits.
        line = threading.Barrier(2)
        self._hub.faults.add(Meanwhile(lambda: line.wait(_RACE_SECONDS)), method="POST", path="/commit/", times=2)
        first = start_module(_CLI, _push_arguments(self._release, repo_id), self._env)
        second = start_module(_NEXT, self._as_next(_push_arguments(self._next_release, repo_id)), self._env)
        children = [wait_for(first), wait_for(second)]
        codes = [child.code for child in children]
        texts = "\n".join(child.text for child in children)
        require(sorted(codes) == [0, 3], f"exit codes {codes} instead of 0 and 3", texts)
        versions = (self._version, self._next_version)
        winner, loser = versions[codes.index(0)], versions[codes.index(3)]
        self._require(repo_id, commits=2, tags=[f"v{winner}"])
        require("somebody else changed" in children[codes.index(3)].text, "the loser does not say why", texts)
        return f"{winner} is in, {loser} stopped with the reason and changed nothing"

    def _push(self, module: str, folder: Path, repo_id: str) -> str:
        arguments = _push_arguments(folder, repo_id)
        text = run_module(module, self._as_next(arguments) if module == _NEXT else arguments, self._env)
        require(self._hub.token not in text, "the token was printed")
        return text

    def _as_next(self, arguments: tuple[object, ...]) -> tuple[object, ...]:
        return (self._family, self._next_version, *arguments)

    def _repository(self, repo_id: str) -> Repository:
        return self._hub.repository(repo_id)

    def _require(self, repo_id: str, *, commits: int, tags: list[str]) -> None:
        """Check how many commits there are, that of the Hub itself included, and that the last tag is on the head."""
        repository = self._repository(repo_id)
        made = len(repository.commits)
        require(made == commits, f"{made - 1} commits instead of {commits - 1}")
        require(list(repository.tags) == tags, f"tags {list(repository.tags)} instead of {tags}")
        require(repository.tags[tags[-1]] == repository.branches["main"], f"{tags[-1]} is not on the head of main")


def _push_arguments(folder: Path, repo_id: str) -> tuple[object, ...]:
    return ("push", f"{folder}/", "--repo-id", repo_id, "--create-repo", "--yes")


def _rows(manifest: Manifest) -> int:
    return sum(rows.rows for by_split in manifest.configs.values() for rows in by_split.values())
