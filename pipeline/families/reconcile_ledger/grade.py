"""Grades an answer by exact comparison: all discrepancies with their types, and at most one false positive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pipeline.families.answers import Unreadable, parse_answer
from pipeline.families.base import Grade, Row

GRADER_VERSION = "1.0.0"

ALLOWED_FALSE_POSITIVES = 1

_NAMED = 12  # so many pairs are spelled out in a reason; further ones are counted

Pair = tuple[str, str]


def grade(truth: Row, answer: str) -> Grade:
    """Grade the raw text of an answer against a truth row; never raises, whatever the text.

    The text must be one JSON array and nothing else. Its elements are a set: neither order nor repetition counts.
    An element is well formed if it is an object whose ``txn_id`` and ``type`` are strings; other keys are ignored,
    and every element that is not well formed is a false positive of its own.

    Returns:
        A grade of 1 or 0 with these parts: ``tp`` (pairs found), ``fp`` (well-formed pairs that are not in the
        truth), ``fn`` (pairs not found), ``recall``, ``recall_by_type``, ``malformed`` (elements),
        ``false_positives`` (``fp`` + ``malformed``), ``grader_version``.
    """
    want = {(found["txn_id"], found["type"]) for found in truth["discrepancies"]}
    try:
        value = parse_answer(answer)
    except Unreadable as reason:
        return _grade(want, set(), 0, str(reason))
    if type(value) is not list:
        return _grade(want, set(), 0, "the answer is not a JSON array")
    pairs = [_pair(element) for element in value]
    return _grade(want, {pair for pair in pairs if pair}, pairs.count(None))


def _pair(element: Any) -> Pair | None:
    if type(element) is not dict:
        return None
    txn_id, kind = element.get("txn_id"), element.get("type")
    # Not isinstance: a number is kept as a subclass of str.
    return (txn_id, kind) if type(txn_id) is str and type(kind) is str else None


def _grade(want: set[Pair], got: set[Pair], malformed: int, unreadable: str | None = None) -> Grade:
    found, wrong, missed = want & got, got - want, want - got
    false_positives = len(wrong) + malformed
    passed = not missed and false_positives <= ALLOWED_FALSE_POSITIVES and unreadable is None
    wanted_types = [kind for _, kind in want]
    found_types = [kind for _, kind in found]
    return Grade(
        score=1.0 if passed else 0.0,
        passed=passed,
        error=None if passed else unreadable or _reason(sorted(missed), sorted(wrong), malformed),
        parts={
            "tp": len(found),
            "fp": len(wrong),
            "fn": len(missed),
            "recall": len(found) / len(want) if want else 1.0,
            "recall_by_type": {
                kind: found_types.count(kind) / wanted_types.count(kind) for kind in sorted(set(wanted_types))
            },
            "malformed": malformed,
            "false_positives": false_positives,
            "grader_version": GRADER_VERSION,
        },
    )


def _reason(missed: Sequence[Pair], wrong: Sequence[Pair], malformed: int) -> str:
    reasons = []
    if missed:
        reasons.append(f"not reported: {_listed(missed)}")
    false_positives = len(wrong) + malformed
    if false_positives > ALLOWED_FALSE_POSITIVES:
        causes = [f"wrong: {_listed(wrong)}"] if wrong else []
        causes += [f"malformed elements: {malformed}"] if malformed else []
        reasons.append(
            f"{false_positives} false positives where {ALLOWED_FALSE_POSITIVES} is allowed ({'; '.join(causes)})"
        )
    return "; ".join(reasons)


def _listed(pairs: Sequence[Pair]) -> str:
    # As literals and cut, because an agent's text may hold line ends or be endless.
    texts = [f"{txn_id[:40]!r} {kind[:40]!r}" for txn_id, kind in pairs[:_NAMED]]
    more = len(pairs) - len(texts)
    return ", ".join(texts) + (f" and {more} more" if more else "")
