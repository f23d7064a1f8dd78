"""``closebench-hub access``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("access")
@click.option("--repo-id", required=True, metavar="NS/NAME", help="The dataset repo on the Hub.")
@click.option("--create-repo", is_flag=True, help="Let it be missing: a push would create it.")
def command(repo_id: str, create_repo: bool) -> None:
    """Say whether the token at hand may write to a dataset repo.

    A release asks this first, before anything costs time. Exits with 3 and the next step if it may not.

    \b
    Example:
      closebench-hub access --repo-id me/closebench
    """
    from pipeline.hub.client import check_repo_id, connect
    from pipeline.hub.publish import Push, PushRequest

    push = Push(connect(), PushRequest(Path(), check_repo_id(repo_id), create_repo=create_repo))
    push.check_access()
    click.echo(f"{push.page}: the token may write to it" if push.exists else f"{push.page}: a push creates it")
