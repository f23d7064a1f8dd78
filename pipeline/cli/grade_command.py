"""``closebench-hub grade``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipeline.cli.options import DEFAULT_OUT, release_folder
from pipeline.cli.output import print_json, print_table
from pipeline.cli.progress import progress
from pipeline.errors import CheckFailed

if TYPE_CHECKING:
    from pipeline.scoring.problems import Problems
    from pipeline.scoring.summary import Figures, SplitSummary, Summary

_SHOWN_PROBLEMS = 20


@click.command("grade")
@click.argument("name", metavar="FAMILY|FOLDER")
@click.option(
    "--answers",
    type=click.Path(path_type=Path, allow_dash=True),
    required=True,
    metavar="FILE",
    help="Answers as JSONL: {id, answer} or {seed, split, answer}; - reads standard input.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="Write the result of every row here, as JSONL."
)
@click.option("--allow-repeats", is_flag=True, help="Take several answers to a row, and print pass^k.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def command(name: str, answers: Path, out: Path | None, allow_repeats: bool, as_json: bool) -> None:
    """Grade a file of answers against a release folder.

    Prints pass rate and mean score of every grader, each split apart, with 95 % intervals (Wilson; bootstrap over
    rows). A row without an answer scores 0; the figures over answered rows stand beside that. A line with
    `infra_error` instead of `answer` excludes its row. Exits with 1 if there is such a line, or one that cannot be
    graded: unreadable, for an unknown row, or a second one for the same row.

    \b
    Examples:
      closebench-hub grade accounting_assistant --answers answers.jsonl --out results.jsonl
      my-agent | closebench-hub grade data/build/closebench --answers - --json
    """
    from pipeline.scoring.grade_answers import grade_answers

    folder = release_folder(name, DEFAULT_OUT)
    summary = grade_answers(folder, answers, out=out, allow_repeats=allow_repeats, progress=progress)
    if as_json:
        print_json(_as_json(summary))
    else:
        _print_summary(summary)
    _list_problems(summary.problems)
    failures = []
    if summary.problems.total:
        failures.append(f"{_count(summary.problems.total, 'line')} not graded; correct or remove them")
    if summary.infra_errors:
        failures.append(f"{_count(summary.infra_errors, 'infra_error')}: run those rows again")
    if failures:
        raise CheckFailed("; ".join(failures))


def _as_json(summary: Summary) -> dict[str, Any]:
    from dataclasses import asdict

    problems = {"count": summary.problems.total, "by_kind": dict(sorted(summary.problems.counts.items()))}
    return {**asdict(summary), "problems": {**problems, "listed": [asdict(one) for one in summary.problems.listed]}}


def _list_problems(problems: Problems) -> None:
    for problem in problems.listed[:_SHOWN_PROBLEMS]:
        click.echo(f"line {problem.line}: {problem.kind}: {problem.message}", err=True)
    left = problems.total - _SHOWN_PROBLEMS
    if left > 0:
        click.echo(f"and {_count(left, 'further line')}; --json lists them", err=True)


def _print_summary(summary: Summary) -> None:
    click.echo(f"{summary.family} {summary.data_version}; headline score: {summary.headline}")
    for split, figures in summary.splits.items():
        _print_split(f"split {split}", figures)
    if summary.together:
        _print_split("all splits", summary.together)


def _print_split(title: str, split: SplitSummary) -> None:
    repeats = f" ({split.answers:,} answers)" if split.answers > split.answered else ""
    excluded = f", {split.excluded:,} excluded (infra_error)" if split.excluded else ""
    click.echo(
        f"\n{title}: {split.rows:,} rows, {split.answered:,} answered{repeats}, {split.missing:,} missing{excluded}"
    )
    rows = []
    for grader, score in split.scores.items():
        rows.append((grader, "all rows", *_cells(score.all_rows)))
        if split.missing:
            rows.append((grader, "answered", *_cells(score.answered_rows)))
    print_table(("score", "over", "passed", "pass rate", "95 % interval", "mean", "95 % interval"), rows)
    if split.most_answers > 1:
        _print_pass_hat(split)


def _print_pass_hat(split: SplitSummary) -> None:
    few, many = split.fewest_answers, split.most_answers
    answers = f"{few:,} answers to each" if few == many else f"{few:,} to {many:,} answers to each, k up to {few:,}"
    shown = [*[k for k in (1, 2, 3, 4, 5, 8, 16, 32) if k < few], few]
    click.echo(f"pass^k over all rows; n is {answers}")
    print_table(
        ("score", *(f"k={k}" for k in shown)),
        [(grader, *(f"{score.all_rows.pass_hat[k - 1]:.3f}" for k in shown)) for grader, score in split.scores.items()],
    )


def _cells(figures: Figures) -> tuple[str, ...]:
    """Show passes, pass rate, mean and their intervals; a dash where there is no row."""
    if figures.pass_rate is None or figures.mean is None:
        return (f"{figures.passed}/{figures.tries}", "-", "-", "-", "-")
    rates = figures.pass_rate_interval or (0.0, 0.0)
    means = figures.mean_interval or (0.0, 0.0)
    return (
        f"{figures.passed:,}/{figures.tries:,}",
        f"{figures.pass_rate:.1%}",
        f"{rates[0]:.1%} to {rates[1]:.1%}",
        f"{figures.mean:.3f}",
        f"{means[0]:.3f} to {means[1]:.3f}",
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
