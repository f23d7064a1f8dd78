"""Everything that can go wrong for a user, each kind with the exit code that the command line gives it.

A message is one line: what is wrong, where, and what to do next. Code below the command line raises these;
``pipeline.cli`` is the one place that turns them into text on stderr and an exit code.
"""

from __future__ import annotations


class PipelineError(Exception):
    """The root of the tree; never raised itself."""

    exit_code = 3


class CheckFailed(PipelineError):
    """The data is not what it should be (exit code 1)."""

    exit_code = 1


class RowInvalid(CheckFailed):
    """A row does not fit its schema."""


class PinMismatch(CheckFailed):
    """A build does not reproduce the committed SHA-256 of its data version."""


class CardInvalid(CheckFailed):
    """A rendered dataset card breaks a rule."""


class UsageError(PipelineError):
    """The request itself makes no sense: unknown name, malformed seeds, a refused overwrite (exit code 2)."""

    exit_code = 2


class CannotRun(PipelineError):
    """The request is fine, the surroundings are not: I/O, the Hub, a missing package (exit code 3)."""

    exit_code = 3


class GeneratorMissing(CannotRun):
    """The package that generates a family is absent, of another version, or not where ``--src`` says."""


class WorkerDied(CannotRun):
    """A worker process ended without an answer, for example killed for lack of memory."""
