"""Makes planted errors and their decoys alike in everything but the accounting.

Each function takes one kind of document with its entries. What may still differ is what an accountant would go by:
an account, a posting that is missing or there twice, a date that crosses the period end.
"""

from __future__ import annotations

from pipeline.families.closebench_hardened.books import Books, cash, set_amount
from pipeline.families.closebench_hardened.draws import Draws
from pipeline.families.money import format_cents


def harden(books: Books, draws: Draws) -> None:
    """Rewrite the journal and the documents of one world."""
    _capital(books, draws)
    _contractor(books)
    _audit(books, draws)
    _hardware(books)
    _licence(books, draws)
    _advance(books)
    _lease(books)
    _intercompany(books, draws)
    _import(books, draws)
    _support(books)
    _ordinary_invoices(books, draws)
    _bank_statement(books, draws)  # last, for it holds the balance


def _capital(books: Books, draws: Draws) -> None:
    """Draw the founder's capital: with a constant one the bank balance tells which payments are missing."""
    founding = next(entry for entry in books.entries if entry["lines"][-1]["account"] == "3000")
    set_amount(founding, draws.capital)


def _contractor(books: Books) -> None:
    """Date every certificate; evidence is whether the invoice was posted."""
    doc_id = f"SUB-{books.month_digits}-1"
    document = books.documents[doc_id]
    amount = books.amount_of(doc_id)
    document["body"] = books.package_text("doc.sub.body", amt=amount, date=document["date"])


def _audit(books: Books, draws: Draws) -> None:
    """Give both postings the document's number, and any posting either wording; evidence is the second posting."""
    postings = [entry for entry in books.entries if entry["ref"].startswith("AUD-114")]
    for entry, memo in zip(postings, draws.audit_memos, strict=False):
        entry["ref"] = "AUD-114"
        entry["memo"] = books.package_text(memo)


def _hardware(books: Books) -> None:
    """Enter the purchase in the same book and describe it alike; evidence is the account that was debited."""
    doc_id = "HW-7781"
    books.documents[doc_id]["body"] = books.package_text("doc.hw.body", amt=books.amount_of(doc_id))
    (purchase,) = books.entries_of(doc_id)
    purchase["source"] = "ap"


def _licence(books: Books, draws: Draws) -> None:
    """Draw a decoy's price from the range of planted ones; evidence is a term beyond the period end."""
    doc_id = "SW-900"
    document = books.documents[doc_id]
    planted = "prepaid_not_deferred" in books.planted
    if not planted:
        (payment,) = books.entries_of(doc_id)
        set_amount(payment, draws.licence)
        document["meta"]["amount"] = f"{draws.licence}.00"
    term = books.own_text("sw.year" if planted else "sw.month")
    document["body"] = books.own_text("doc.sw.body", term=term, start=books.day(1), amt=books.amount_of(doc_id))


def _advance(books: Books) -> None:
    """State period and certificate in both contracts; evidence is what they say."""
    doc_id = "ADV-51"
    if "revenue_cutoff" in books.planted:
        start, end = f"{books.year + 1}-01-01", f"{books.year + 1}-03-31"
        certificate = books.own_text("adv.open")
    else:
        start, end = books.day(1), books.day(18)
        certificate = books.own_text("adv.signed", end=end)
    facts = {"amt": books.amount_of(doc_id), "start": start, "end": end, "certificate": certificate}
    books.documents[doc_id]["body"] = books.own_text("doc.adv.body", **facts)


def _lease(books: Books) -> None:
    """Name the type of every lease; evidence is the account that was debited."""
    doc_id = "AR-77"
    books.documents[doc_id]["body"] = books.package_text("doc.ar.body", amt=books.amount_of(doc_id))


def _intercompany(books: Books, draws: Draws) -> None:
    """Let the subsidiary always claim an amount, and post a decoy's; evidence is whether the books show it."""
    ref = f"IC-{books.month_digits}"
    document = books.documents[ref]
    planted = books.planted.get("intercompany_mismatch")
    amount = draws.intercompany if planted is None else int(planted.removesuffix(".00"))
    if planted is None:
        books.post(29, books.own_text("je.ic", ref=ref), ("6900", "2500"), amount, "ap", ref)
    document["body"] = books.own_text("doc.ic.body", amt=amount, ref=ref)
    counterparty = books.package_text("counterparty.subsidiary")
    document["meta"] = {"counterparty": counterparty, "amount": f"{amount}.00"}


def _import(books: Books, draws: Draws) -> None:
    """Let the euro rise in any world and leave payment to the ledger; evidence is a payable that is not settled."""
    delivery, *settlement = books.entries_of("NW-2210")
    invoice, notice = books.documents["NW-2210"], books.documents[f"FX-{books.month_digits}"]
    eur = int(invoice["meta"]["amount_eur"].removesuffix(".00"))
    hundredths = int(delivery["lines"][0]["debit"].removesuffix(".00")) * 100 // eur
    rate = format_cents(hundredths)
    invoice["body"] = books.own_text("doc.nw.body", eur=eur, date=delivery["date"], rate=rate)
    if settlement:
        risen = format_cents(hundredths + draws.rate_rise)
        facts = {"date": delivery["date"], "r1": rate, "end": books.end, "r2": risen}
        notice["body"] = books.package_text("doc.fx.body", **facts)


def _support(books: Books) -> None:
    """Start every contract on the day of payment; evidence is whether it ends in the period."""
    doc_id = "QB-88"
    planted = "service_span_cutoff" in books.planted
    days = 60 if planted else 15
    end = f"{books.year + 1}-01-14" if planted else books.end
    facts = {"start": books.day(16), "end": end, "days": days, "amt": books.amount_of(doc_id)}
    books.documents[doc_id]["body"] = books.own_text("doc.qb.body", **facts)


def _ordinary_invoices(books: Books, draws: Draws) -> None:
    """Add the invoices that look like errors where the package leaves them out, which would tell the mode."""
    if "CS-401" in books.documents:
        return
    for ref, day, half in (("CS-401", 7, "half.first"), ("CS-402", 21, "half.second")):
        books.post(day, books.package_text("je.cs", n=ref), ("6900", "2000"), draws.cleaning, "ap", ref)
        title = books.package_text("doc.cs.title", n=ref)
        body = books.package_text("doc.cs.body", per=books.package_text(half), amt=draws.cleaning)
        meta = {"vendor": books.package_text("vendor.cs"), "amount": f"{draws.cleaning}.00"}
        books.file(ref, "vendor_invoice", 7, title, body, meta)
    books.post(11, books.package_text("je.pt"), ("6900", "1000"), draws.consumables, "ap", "PT-55")
    title, body = books.package_text("doc.pt.title"), books.package_text("doc.pt.body", amt=draws.consumables)
    meta = {"vendor": books.package_text("vendor.pt"), "amount": f"{draws.consumables}.00"}
    books.file("PT-55", "vendor_invoice", 11, title, body, meta)


def _bank_statement(books: Books, draws: Draws) -> None:
    """Let the bank always charge a fee, and post a decoy's; evidence is a balance that differs from the ledger's."""
    ref = f"BANK-{books.month_digits}"
    planted = books.planted.get("unrecorded_bank_fee")
    fee = draws.bank_fee if planted is None else int(planted.removesuffix(".00"))
    if planted is None:
        books.post(int(books.end[-2:]), books.own_text("je.fee"), ("6900", "1000"), fee, "bank", ref)
    balance = cash(books.entries) - (0 if planted is None else fee * 100)
    facts = {"bal": format_cents(balance), "fee": fee, "date": books.end}
    books.documents[ref]["body"] = books.package_text("doc.bank.body_fee", **facts)
