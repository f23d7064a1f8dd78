"""The command line ``closebench-hub``: arguments in, calls, output. A module a command, loaded when it is called."""

from __future__ import annotations

import errno
import sys
from importlib import import_module

import click

from pipeline.errors import PipelineError
from pipeline.text import printable

_NO_ROOM = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOTDIR,
    errno.EEXIST,
}

COMMANDS = (
    *("list", "build", "verify", "card", "pin"),
    *("grade", "baselines", "audit"),
    *("push", "diff", "access", "rehearse", "hub"),
)
"""Every command is the function ``command`` of ``pipeline.cli.<name>_command``, in the order of the help."""


class _Commands(click.Group):
    """Imports a command when it is asked for, so that ``--help`` does not wait for Arrow and the Hub's client."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = import_module(f"pipeline.cli.{cmd_name}_command").command
        return found


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="closebench-hub", prog_name="closebench-hub")
def cli() -> None:
    """Build, prove and publish seeded finance-close benchmark datasets.

    \b
    Examples:
      closebench-hub list
      closebench-hub build closebench

    Exit codes: 0 done; 1 a check failed; 2 wrong usage; 3 could not run.
    """


def main() -> None:
    """Run the command line; the one place where errors become a line on stderr and an exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    try:
        code = cli.main(arguments, prog_name="closebench-hub", standalone_mode=False)
        return code if isinstance(code, int) else 0  # Click hands back the code of an Exit, or a command's result
    except click.Abort:
        return _fail("stopped; what was finished before stays, and nothing is half-written", 3)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.UsageError as error:
        hint = f" (see: {error.ctx.command_path} --help)" if error.ctx else ""
        return _fail(f"{error.format_message()}{hint}", 2)
    except PipelineError as error:
        return _fail(str(error), error.exit_code)
    except SystemExit:
        return 3  # Click's answer to a reader that has left the pipe; its own code, 1, would mean a failed check
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        advice = "; free or name another place and run again" if error.errno in _NO_ROOM else ""
        return _fail(f"{place}{error.strerror or error}{advice}", 3)


def _fail(message: str, code: int) -> int:
    click.echo(f"error: {printable(message)}", err=True)
    return code
