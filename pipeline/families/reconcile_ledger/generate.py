"""Makes the two rows of one key: a month of bank transactions, and a ledger with twelve discrepancies."""

from __future__ import annotations

import csv
import io
from calendar import monthrange
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import pairwise

from pipeline.families.base import Item, Key, Row
from pipeline.families.keyed_random import KeyedRandom
from pipeline.families.money import format_cents
from pipeline.families.reconcile_ledger.amounts import bank_amounts, ledger_amounts
from pipeline.families.reconcile_ledger.descriptions import Topic
from pipeline.families.reconcile_ledger.invariants import check
from pipeline.families.reconcile_ledger.planting import plant
from pipeline.families.reconcile_ledger.prompt import render
from pipeline.families.reconcile_ledger.records import DRIFT, DUPLICATE, MISSING, TRANSACTIONS, Entry, Scenario
from pipeline.families.reconcile_ledger.references import references

_STREAM = ("reconcile_ledger", "1.0.0")
"""Family, and the data version that gave the rows their content; a later one that changes no row keeps this."""

_LEDGER_ROWS: dict[str | None, int] = {MISSING: 0, DUPLICATE: 2}
_MONTHS = 24  # from January 2025
_DRIFTS = (-3, -2, -1, 1, 2, 3, 4, 5)
_LATE_DRIFTS = (1, 2, 3, 4, 5)


def generate(split: str, key: Key) -> Item:
    """Make the public row and the truth row of one key.

    Args:
        split: name of the split; it is part of what the randomness is derived from.
        key: a seed from 0 to 2^63-1, or any secret text. The rows of a text have no ``seed``, and their ids and
            month come from a hash of the text, so that they do not reveal it.

    Raises:
        CheckFailed: the scenario breaks a rule of the family, which is an error of this module.
    """
    scenario = draw(split, key)
    check(scenario)
    names: Row = {"id": scenario.id}
    if isinstance(key, int):
        names["seed"] = key
    return Item(names | _public(scenario), names | {"discrepancies": _discrepancies(scenario)})


def draw(split: str, key: Key) -> Scenario:
    """Draw a scenario, unchecked."""
    random = KeyedRandom(*_STREAM, split, key)
    if isinstance(key, int):
        tag, month = f"{key:02d}", (key - 1) % _MONTHS
    else:
        names = KeyedRandom(*_STREAM, split, key, "names")
        tag, month = f"h{names.below(1 << 64):016x}", names.below(_MONTHS)  # the h: no seed looks like this
    first_day = date(2025 + month // 12, 1 + month % 12, 1)

    dates = [first_day + timedelta(day) for day in range(monthrange(first_day.year, first_day.month)[1])]
    days = _days(random, len(dates))
    plan = plant(random, days.count(days[-1]))
    amounts = bank_amounts(random, plan)
    in_ledger = ledger_amounts(random, plan, amounts)

    bank: list[Entry] = []
    ledger: list[Entry] = []
    for place, ref in enumerate(references(random)):
        day = dates[days[place] - 1]
        topic = Topic(random)
        bank.append(Entry(ref, day, amounts[place], topic.at_bank))
        kind = plan.types.get(place)
        if kind == DRIFT:
            day += timedelta(random.choice(_LATE_DRIFTS if place == plan.month_end else _DRIFTS))
        for description in topic.in_ledger(_LEDGER_ROWS.get(kind, 1)):
            ledger.append(Entry(ref, day, in_ledger[place], description))
    return Scenario(tag, first_day, tuple(bank), tuple(_shuffled(random, ledger)), plan.types)


def _days(random: KeyedRandom, last: int) -> list[int]:
    """Draw the days of the transactions, in order: about a quarter on the last day, as in a month-end payment run.

    Days of the week play no part, or a drift onto a Sunday would show.
    """
    on_last_day = random.between(44, 56)
    return sorted(random.between(1, last - 1) for _ in range(TRANSACTIONS - on_last_day)) + [last] * on_last_day


def _shuffled(random: KeyedRandom, ledger: list[Entry]) -> list[Entry]:
    """Shuffle until no two rows of one reference stand side by side, where a reader would trip over them."""
    while True:
        result = random.shuffled(ledger)
        if all(one.ref != other.ref for one, other in pairwise(result)):
            return result


def _public(scenario: Scenario) -> Row:
    bank_csv = _csv("txn_id", (scenario.txn_id(place) for place in range(len(scenario.bank))), scenario.bank)
    gl_csv = _csv("gl_id", (scenario.gl_id(place) for place in range(len(scenario.ledger))), scenario.ledger)
    return {
        "period": scenario.period,
        "bank_csv": bank_csv,
        "gl_csv": gl_csv,
        "prompt": render(scenario.period, bank_csv, gl_csv),
    }


def _csv(id_column: str, ids: Iterable[str], entries: Sequence[Entry]) -> str:
    dates = {day: day.isoformat() for day in {entry.date for entry in entries}}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((id_column, "txn_ref", "date", "amount", "description"))
    writer.writerows(
        (name, ref, dates[day], format_cents(cents), description)
        for name, (ref, day, cents, description) in zip(ids, entries, strict=True)
    )
    return text.getvalue().removesuffix("\n")


def _discrepancies(scenario: Scenario) -> list[Row]:
    return [{"txn_id": scenario.txn_id(place), "type": kind} for place, kind in sorted(scenario.planted.items())]
