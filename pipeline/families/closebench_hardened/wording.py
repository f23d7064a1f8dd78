"""Texts of this edition where the package's own differ between a planted error and its decoy beyond the facts.

Each is used for both, so that only what is filled in differs.
"""

from __future__ import annotations

EN = {
    "doc.sw.body": "Term: {term} from {start}\nCost: {amt}.00\nPaid upfront for the full term",
    "sw.year": "12 months",
    "sw.month": "1 month",
    "doc.adv.body": "Payment: {amt}.00\nService period: {start} to {end}\nCertificate of completion: {certificate}",
    "adv.open": "none, no services were rendered in the reporting period",
    "adv.signed": "signed {end}, revenue recognised earlier",
    "doc.ic.body": "Colleagues, per our records we rendered services to you for {amt}.00 in {mon} {y} "
    "(certificate {ref}). Please make sure that your books show it on the intercompany account before close.",
    "je.ic": "Subsidiary, certificate {ref}",
    "je.fee": "Bank, account maintenance fee",
    "doc.nw.body": "Delivery of components\nAmount: EUR {eur}.00\nPayment terms: 60 days\n"
    "On the delivery date ({date}) the liability was translated at rate {rate}.",
    "doc.qb.body": "Service period: {start} to {end} ({days} calendar days)\n"
    "Cost: {amt}.00, paid upfront in a single instalment\n"
    "Services are rendered evenly over the contract term.",
}

RU = {
    "doc.sw.body": "Срок: {term} с {start}\nСтоимость: {amt}.00\nОплата единовременно за весь срок",
    "sw.year": "12 месяцев",
    "sw.month": "1 месяц",
    "doc.adv.body": "Оплата: {amt}.00\nПериод оказания услуг: с {start} по {end}\nАкт: {certificate}",
    "adv.open": "нет, услуги в отчётном периоде не оказывались",
    "adv.signed": "подписан {end}, выручка отражена ранее",
    "doc.ic.body": "Коллеги, по нашим данным за {m:02d}.{y} мы оказали вам услуги на {amt}.00 (акт {ref}). "
    "Просим убедиться до закрытия, что в вашем учёте эта сумма есть на счёте межкомпанийных расчётов.",
    "je.ic": "Дочерняя компания, акт {ref}",
    "je.fee": "Банк, комиссия за обслуживание",
    "doc.nw.body": "Поставка комплектующих\nСумма: EUR {eur}.00\nУсловия оплаты: 60 дней\n"
    "На дату поставки ({date}) обязательство пересчитано по курсу {rate}.",
    "doc.qb.body": "Период оказания услуг: с {start} по {end} ({days} календарных дней)\n"
    "Стоимость: {amt}.00, оплата единовременно авансом\n"
    "Услуги оказываются равномерно в течение срока договора.",
}

TEXTS = {"en": EN, "ru": RU}
