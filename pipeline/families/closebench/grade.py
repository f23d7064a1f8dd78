"""Two grades for one answer: the package's own, as published, and a strict one that closes its holes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pipeline.families.answers import Unreadable
from pipeline.families.base import Grade, Item
from pipeline.families.closebench.adjustments import Malformed, net_by_account, read_entries
from pipeline.families.closebench.package import Package
from pipeline.families.closebench.published import Posted, grade_published, lost_points, post
from pipeline.families.closebench.rebuild import rebuild_world

PUBLISHED, STRICT = "published", "strict"

_EXACT, _NEAR = 2, 1  # credit in halves: the planted accounts, or economically equivalent ones
_PENALTY = Fraction(1, 10)  # for every entry that matches no planted error

Options = tuple[tuple[int, int], ...]
"""What an entry could settle: pairs of an error's index and the credit for it."""


@dataclass(frozen=True, slots=True)
class _Fix:
    """The adjusting entry that corrects an error: accounts, amount in cents, first and last allowed date."""

    err_id: str
    debit: str
    credit: str
    cents: int
    start: str
    end: str


@dataclass(frozen=True, slots=True)
class _Read:
    """An answer, read once for however many worlds it is graded on.

    Attributes:
        text: the answer.
        accounts: the chart of accounts that it was read against.
        posted: what the package's session made of it.
        nets: for each entry its date and net effect, or what is wrong with it.
    """

    text: str
    accounts: frozenset[str]
    posted: Posted
    nets: Sequence[tuple[str, Mapping[str, int]] | Malformed]


class Grader:
    """Grades answers under both graders, keeping the last world and the last answer for the next call."""

    def __init__(self, package: Package) -> None:
        """Use the grader of a package."""
        self._package = package
        self._item: Item | None = None
        self._world: Any = None
        self._read: _Read | None = None

    def grade(self, item: Item, answer: str) -> dict[str, Grade]:
        """Grade an answer, a JSON array of adjusting entries, under both graders. Never raises."""
        if item is not self._item:
            self._item, self._world = item, rebuild_world(self._package, item)
        try:
            read = self._reading(answer)
        except Unreadable as error:
            unreadable = Grade(0.0, False, str(error))
            return {PUBLISHED: unreadable, STRICT: unreadable}
        return {
            PUBLISHED: grade_published(self._package, self._world, read.posted),
            STRICT: _grade_strict(self._package, item, read),
        }

    def _reading(self, answer: str) -> _Read:
        accounts = frozenset(self._world.ledger.accounts)
        read = self._read
        if read is None or read.text != answer or read.accounts != accounts:
            entries = read_entries(answer)
            posted = post(self._package, self._world.coa, self._world.lang, entries)
            nets = [_net(entry, accounts, self._package.ledger.D) for entry in entries]
            self._read = read = _Read(answer, accounts, posted, nets)
        return read


def _net(entry: Any, accounts: frozenset[str], to_amount: Any) -> tuple[str, Mapping[str, int]] | Malformed:
    try:
        net = net_by_account(entry, accounts, to_amount)
    except Malformed as problem:
        return problem
    return entry["date"], net


def _grade_strict(package: Package, item: Item, read: _Read) -> Grade:
    """Match net effects to errors, each at most once, for the best total.

    The rules: errors of amount zero are void. An entry counts by what it nets to per account, so that a wash or a
    passenger beside a fix cannot score; it matches an error exactly with the same two accounts and amount, nearly
    (half credit) with an account that the package calls equivalent, dated inside the fix's period. Whatever matches
    nothing, malformed entries included, costs a tenth. Passed means every live error exact and nothing unmatched.
    """
    live, void = _split_errors(item, package)
    candidates: list[Options] = []
    malformed: list[str] = []
    for number, net in enumerate(read.nets, 1):
        if isinstance(net, Malformed):
            malformed.append(f"entry {number}: {net}")
        else:
            candidates.append(_matches(*net, live, package))
    matched = best_matching(candidates, len(live))
    exact = sorted(error for error, credit in matched.items() if credit == _EXACT)
    near = sorted(error for error, credit in matched.items() if credit == _NEAR)
    missed = [error for error in range(len(live)) if error not in matched]
    unmatched = len(read.nets) - len(matched)
    total = Fraction(sum(matched.values()), _EXACT * len(live)) if live else Fraction(1)
    parts: dict[str, Any] = {
        "found": [live[error].err_id for error in exact],
        "partial": [live[error].err_id for error in near],
        "missed": [live[error].err_id for error in missed],
        "void": void,
        "unmatched_entries": unmatched,
        "malformed": malformed[:20],
    }
    lost = lost_points(parts["missed"], parts["partial"], unmatched, 0)
    reason = "; ".join(filter(None, [lost, malformed[0] if malformed else None])) or None
    passed = len(exact) == len(live) and not unmatched
    return Grade(round(float(max(Fraction(0), total - _PENALTY * unmatched)), 6), passed, reason, parts)


def _split_errors(item: Item, package: Package) -> tuple[list[_Fix], list[str]]:
    live, void = [], []
    for error in item.truth["errors"]:
        fix = error["fix"]
        cents = int(package.ledger.D(fix["amount"]).scaleb(2))
        if cents:
            live.append(_Fix(error["err_id"], fix["debit_account"], fix["credit_account"], cents, *fix["period"]))
        else:
            void.append(error["err_id"])
    return live, void


def _matches(date: str, net: Mapping[str, int], live: Sequence[_Fix], package: Package) -> Options:
    """Return (index of the error, credit) for every error that an entry with this net effect could settle."""
    if len(net) != 2:
        return ()
    (credited, _), (debited, cents) = sorted(net.items(), key=lambda item: item[1])
    same = package.grader._same  # pairwise and not transitive; its table is what "equivalent" means
    found = []
    for index, fix in enumerate(live):
        if cents != fix.cents or not fix.start <= date <= fix.end:
            continue
        if (debited, credited) == (fix.debit, fix.credit):
            found.append((index, _EXACT))
        elif same(debited, fix.debit) and same(credited, fix.credit):
            found.append((index, _NEAR))
    return tuple(found)


def best_matching(candidates: Sequence[Options], live: int) -> dict[int, int]:
    """Match entries to errors, one to one, so that the score is highest whatever the order of the entries.

    Goes over the sets of settled errors: there are at most 17 errors, and of entries with the same options no more
    than there are errors can count. A match is worth its credit and the penalty that it saves.

    Args:
        candidates: for each entry what it could settle.
        live: the number of errors that the score is divided by.

    Returns:
        The credit of each settled error.
    """
    errors = len({error for options in candidates for error, _ in options})
    best: dict[frozenset[int], dict[int, int]] = {frozenset(): {}}
    for options, copies in Counter(options for options in candidates if options).items():
        for _ in range(min(copies, errors)):
            for settled, credits in list(best.items()):
                for error, credit in options:
                    if error in settled:
                        continue
                    wider = settled | {error}
                    if wider not in best or sum(best[wider].values()) < sum(credits.values()) + credit:
                        best[wider] = {**credits, error: credit}
    halves = _EXACT * live * _PENALTY  # what a saved penalty is worth in halves of credit
    return max(best.values(), key=lambda credits: sum(credits.values()) + len(credits) * halves)
