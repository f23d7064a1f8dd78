"""The prompt, verbatim from the seed document. Its doubled braces become single when it is rendered."""

from __future__ import annotations

TEMPLATE = """\
You are reconciling a month of bank transactions ({period}) against the
general ledger.

Every bank transaction should have exactly one GL entry with the same txn_ref,
the same date, and the same amount. Descriptions may differ and GL row order is
arbitrary. Find every discrepancy and classify it with one of these types:
  missing_in_gl — the bank transaction has no GL entry
  duplicate_in_gl — the bank transaction has more than one GL entry
  amount_mismatch — the GL amount differs from the bank amount
  date_drift — the GL date differs from the bank date

Respond with ONLY a JSON array, one object per discrepant bank transaction,
e.g. [{{"txn_id": "BNK-99-0001", "type": "missing_in_gl"}}].

Bank feed (CSV):
{bank_csv}

General ledger extract (CSV):
{gl_csv}"""


def render(period: str, bank_csv: str, gl_csv: str) -> str:
    """Fill the template in; braces inside the CSV texts stay as they are.

    Args:
        period: the month, ``2025-01``.
        bank_csv: the bank feed.
        gl_csv: the general ledger extract.
    """
    return TEMPLATE.format(period=period, bank_csv=bank_csv, gl_csv=gl_csv)
