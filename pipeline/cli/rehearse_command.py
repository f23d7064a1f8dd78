"""``closebench-hub rehearse``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pipeline.cli.output import print_json

if TYPE_CHECKING:
    from pipeline.hub.rehearsal.steps import Step


@click.command("rehearse")
@click.argument("family", metavar="FAMILY")
@click.option("--json", "as_json", is_flag=True, help="Print the steps as JSON.")
def command(family: str, as_json: bool) -> None:
    """Rehearse a release of FAMILY from end to end against a Hub on this machine.

    Builds the release, pushes it with the real client into a new repo, verifies what is served at its tag, loads every
    config and split with `datasets`, pushes again, publishes a next version in which rows have changed, and lets two
    releases race. Needs no token and no network, and leaves nothing behind. Exits with 1 if a step failed.

    \b
    Example:
      closebench-hub rehearse closebench
    """
    from pipeline.families import get_family
    from pipeline.hub.rehearsal.run import rehearse

    get_family(family)
    if not as_json:
        click.echo(f"rehearsal of {family} on a Hub on 127.0.0.1")
    steps = rehearse(family, (lambda step: None) if as_json else _print_step)
    failed = [step for step in steps if not step.ok]
    if as_json:
        print_json({"ok": not failed, "steps": [step.to_dict() for step in steps]})
    else:
        seconds = sum(step.seconds for step in steps)
        verdict = f"failed: {', '.join(step.name for step in failed)}" if failed else "every step ok"
        click.echo(f"result: {verdict}, {seconds:.0f} s")
    if failed:
        raise click.exceptions.Exit(1)


def _print_step(step: Step) -> None:
    click.echo(f"  {'ok' if step.ok else 'FAILED':<6}  {step.name:<20}  {step.seconds:5.1f} s  {step.told}")
    for line in step.output:
        click.echo(f"            {line}")
