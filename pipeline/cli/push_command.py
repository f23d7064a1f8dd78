"""``closebench-hub push``."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.cli.options import out_option, release_folder
from pipeline.cli.output import print_json, print_table
from pipeline.cli.progress import progress
from pipeline.errors import CannotRun, CheckFailed, PipelineError, UsageError
from pipeline.text import printable

if TYPE_CHECKING:
    from pipeline.hub.diff import ReleaseDiff
    from pipeline.hub.plan import Plan
    from pipeline.hub.publish import Outcome, Push

_SHOWN_DIGITS = 12
_SHOWN_KEPT = 5
_NOTHING = "nothing was pushed"


@click.command("push")
@click.argument("name", metavar="FAMILY|FOLDER")
@click.option("--repo-id", required=True, metavar="NS/NAME", help="The dataset repo on the Hub.")
@out_option
@click.option("--dry-run", is_flag=True, help="Print the plan and stop; read the Hub if it can be read, write nothing.")
@click.option("--create-pr", is_flag=True, help="Open a pull request instead of a commit on main; it gets no tag.")
@click.option("--create-repo", is_flag=True, help="Create the repo if it is not there.")
@click.option("--private", is_flag=True, help="Create it private; goes with --create-repo.")
@click.option("--message", metavar="TEXT", help="Title of the commit.  [default: Release FAMILY VERSION]")
@click.option("--rewrite", is_flag=True, help="Replace files although no row changes, or go back to an older version.")
@click.option("--yes", is_flag=True, help="Do not ask; needed where there is no terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print plan, difference and result as JSON.")
def command(
    name: str,
    repo_id: str,
    out: Path,
    dry_run: bool,
    create_pr: bool,
    create_repo: bool,
    private: bool,
    message: str | None,
    rewrite: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Publish a release folder to the Hub: one commit, verified, tagged.

    Checks the token first, then the folder, which must pass every check of `verify` but `load` (that one reads what
    `parquet` has compared already). Shows what will change and asks. Then makes one commit with all additions and
    removals, compares every byte that the Hub serves at that commit with the folder, and tags it v<data version>.
    Files of the repo that no release brought stay.

    May be stopped, raced and repeated: the repo is at the old or the new revision, and the same command finishes the
    work. A second run changes nothing. The token comes from `hf auth login`, HF_TOKEN, or in CI from a trusted
    publisher.

    \b
    Examples:
      closebench-hub push closebench --repo-id me/closebench --dry-run
      closebench-hub push closebench --repo-id me/closebench --create-repo --yes
    """
    from pipeline.hub.client import check_repo_id, connect
    from pipeline.hub.publish import Push, PushRequest

    _check_usage(
        dry_run=dry_run, yes=yes, private=private, create_repo=create_repo, create_pr=create_pr, message=message
    )
    folder = release_folder(name, out)
    request = PushRequest(folder, check_repo_id(repo_id), create_pr, create_repo, private, message, rewrite)
    push = Push(connect(), request)
    if not dry_run:
        push.check_access()
    _verify(folder)
    plan, note = _plan(push, dry_run)
    difference = _difference(push)
    if private and plan.parent:
        note = f"{repo_id} exists already and keeps its visibility; --private changes nothing"
    if note and not (as_json and dry_run):
        click.echo(note, err=True)
    if not as_json:
        _print_plan(push, plan, difference)
    if dry_run:
        if as_json:
            print_json({"plan": plan.to_dict(), "diff": difference and difference.to_dict(), "note": note})
        return
    writes = plan.changes or not (plan.tagged or create_pr)
    if writes and not yes and not click.confirm(f"Push this to {repo_id}?", err=True):
        raise CannotRun(f"{_NOTHING}, as you asked")
    try:
        outcome = push.carry_out(plan)
    except KeyboardInterrupt:
        raise CannotRun(
            f"stopped; {repo_id} is at the old or at the new revision; run the same command again to finish"
        ) from None
    if as_json:
        diff = difference and difference.to_dict()
        print_json({"plan": plan.to_dict(), "diff": diff, "result": asdict(outcome)})
    else:
        _print_outcome(repo_id, push, outcome)


def _check_usage(
    *, dry_run: bool, yes: bool, private: bool, create_repo: bool, create_pr: bool, message: str | None
) -> None:
    if private and not create_repo:
        raise UsageError("--private goes with --create-repo; a repo that exists keeps its visibility")
    if create_pr and create_repo:
        raise UsageError("--create-pr and --create-repo do not go together; create the repo with a first push")
    if message is not None and not message.strip():
        raise UsageError("--message is empty; leave it out or write a title")
    if not (dry_run or yes or sys.stdin.isatty()):
        raise UsageError(f"there is no terminal to ask on, so {_NOTHING}; look with --dry-run, then push with --yes")


def _plan(push: Push, dry_run: bool) -> tuple[Plan, str | None]:
    """Decide what to do; for a dry run without the Hub, say also why it could not be read."""
    try:
        return push.prepare(), None
    except CannotRun as problem:
        if not dry_run:
            raise
        return push.prepare_without_hub(), f"{problem}; this is the plan for an empty repo"


def _verify(folder: Path) -> None:
    from pipeline.verify.run import VerifyRequest, verify_folder

    with progress(f"verify {folder.name}", "rows") as show:
        report = verify_folder(VerifyRequest(folder, skip=frozenset({"load"})), show)
    if not report.passed:
        first, *more = report.findings
        found = printable(f"{first.check}: {first.place}: {first.message}")
        others = f" (and {len(more)} more)" if more else ""
        raise CheckFailed(
            f"{folder} does not verify, so {_NOTHING}: {found}{others}; see: closebench-hub verify {folder}/"
        )


def _difference(push: Push) -> ReleaseDiff | None:
    """Compare the rows on the Hub with those to push; None where there are none, or the same."""
    try:
        return push.diff()
    except PipelineError as problem:
        click.echo(f"the rows on the Hub cannot be compared: {printable(str(problem))}", err=True)
        return None


def _print_plan(push: Push, plan: Plan, difference: ReleaseDiff | None) -> None:
    from pipeline.cli.diff_command import print_rows

    on = f"on {plan.parent[:_SHOWN_DIGITS]}" if plan.parent else "in a new repo"
    click.echo(f"{push.release.name}, {len(push.release.files)} files, {on}")
    if plan.changes:
        print_table(
            ("", "file", "bytes", "old", "new"),
            [
                (
                    one.kind,
                    printable(one.path),
                    one.bytes,
                    (one.old or "")[:_SHOWN_DIGITS],
                    (one.new or "")[:_SHOWN_DIGITS],
                )
                for one in plan.changes
            ],
        )
    if plan.kept:
        more = f" and {len(plan.kept) - _SHOWN_KEPT} more" if plan.kept[_SHOWN_KEPT:] else ""
        kept = ", ".join(map(printable, plan.kept[:_SHOWN_KEPT]))
        click.echo(f"kept, for no release brought them: {kept}{more}")
    if difference:
        print_rows(difference)
    tag = f"{plan.tag} is on {plan.tagged[:_SHOWN_DIGITS]} already" if plan.tagged else f"tag {plan.tag}"
    click.echo(f"plan: {len(plan.changes)} files change, {plan.upload_bytes:,} bytes to upload at most, {tag}")


def _print_outcome(repo_id: str, push: Push, outcome: Outcome) -> None:
    if outcome.pull_request:
        verb = "proposed" if outcome.committed else "proposed already"
        click.echo(f"{verb}: {outcome.release} at {outcome.commit} in {outcome.pull_request}; tag it after the merge")
        return
    if not outcome.committed and not outcome.tagged:
        click.echo(f"nothing to do: {repo_id} holds {outcome.release} at {outcome.commit}")
    elif outcome.committed:
        click.echo(
            f"pushed {outcome.release} to {repo_id} in one commit, {outcome.commit}; every byte is served as built"
        )
    else:
        click.echo(f"{repo_id} holds {outcome.release} at {outcome.commit} already; every byte is served as built")
    if outcome.tag:
        click.echo(f"tag {outcome.tag}: {'made' if outcome.tagged else 'was there'}, on {outcome.tag_commit}")
    if outcome.committed:
        click.echo(f"look at it: {push.page}/viewer")
    if outcome.tag:
        click.echo(f"load it:    {_load_line(repo_id, push, outcome.tag)}")


def _load_line(repo_id: str, push: Push, tag: str) -> str:
    """Return the line of Python that loads the first split of the public config."""
    from pipeline.families import get_family

    manifest = push.release.manifest
    family = get_family(manifest.family)
    split = next(split for split in family.splits if split in manifest.configs[family.public_config])
    return f'load_dataset("{repo_id}", "{family.public_config}", split="{split}", revision="{tag}")'
