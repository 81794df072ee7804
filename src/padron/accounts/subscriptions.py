"""Checkouts and subscriptions: the plan of an account changes here, and only as the payment provider says.

An event is only a trigger: whatever it says, the provider is asked for the present state, which is then written. So
events that arrive twice, late or out of order do no harm, and `reconcile` finds the changes of which no event arrived.

Several deployments may share one account at the provider (production and staging), and a database may be restored from
a backup that does not know the latest accounts. So a subscription is ended only if it carries the id of this deployment
and we hold a record that it has to end: the tombstone of its account, or the higher subscription that its account has
beside it. Any other stays as it is, and the audit log shows it to the operator.

One that the provider does not know ends here: it was sold in test mode, say, and live mode is on now. A provider that
lacks the prices of the plans, too, is not believed: its key is wrong, and nothing changes until that is mended. Such a
subscription is asked for again for some time all the same. A customer that the provider does not know is replaced by
the next checkout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from secrets import token_hex
from typing import Any, Final, Literal, NamedTuple

from sqlalchemy import Connection, Row, insert, or_, select, update

from padron.accounts.audit import note
from padron.accounts.billing import Buyer, Invoice, Provider, ProviderSubscription, ReturnedPayment, State
from padron.accounts.keys import DAY, lock, plan_of
from padron.accounts.plans import FREE, Period, Plan, Plans
from padron.accounts.secret import Secret
from padron.accounts.store import (
    GIVEN,
    SANDBOX,
    Store,
    accounts,
    audit,
    checkouts,
    count,
    events,
    increment_revision,
    inserting,
    queue_mail,
    subscriptions,
    tombstones,
)
from padron.errors import Denied, Invalid, NotFound, Unavailable
from padron.words import Language

Untouched = Literal["subscription-foreign", "subscription-orphaned"]
"""Events of subscriptions left as they are: of another deployment; of an account that is unknown, not deleted."""
_LASTS: Final = 24 * 3_600
"""Seconds after which a checkout that never reached the provider expires."""
_UNKNOWN: Final = "subscription-unknown"
"""Event of a subscription that ends because the provider does not know it."""
_DOUBTED: Final = 30 * DAY
"""Seconds for which the provider is asked for such a one again, should it know it after all."""


class Checkout(NamedTuple):
    """A checkout that was started: the address of the payment page, and when it expires (seconds since the epoch)."""

    id: str
    plan: str
    url: str
    expires_at: int


class Subscription(NamedTuple):
    """The subscription of an account. Times are seconds since the epoch."""

    plan: str
    state: State
    ending: bool
    period_end: int
    failed_at: int | None
    period: Period


class Subscriptions:
    """The plans of all accounts. `provider` is None where nothing is for sale: everybody is on Free."""

    def __init__(self, store: Store, secret: Secret, plans: Plans, provider: Provider | None) -> None:
        self._store = store
        self._secret = secret
        self._plans = plans
        self._provider = provider

    @property
    def provider(self) -> Provider:
        """The payment provider. Raises `Unavailable("billing-off")`."""
        if self._provider is None:
            raise Unavailable("billing-off")
        return self._provider

    @property
    def seller(self) -> str | None:
        """The name of the payment provider; None where nothing is for sale."""
        return self._provider.name if self._provider else None

    def of(self, account: str) -> Subscription | None:
        """Return the subscription of an account."""
        with self._store.reading() as connection:
            row = connection.execute(_OF.where(subscriptions.c.account == account)).one_or_none()
        return Subscription(*row) if row else None

    def checkout(
        self, account: str, plan: str, period: Period, language: Language, idempotency: str | None = None
    ) -> Checkout:
        """Start a checkout.

        Args:
            idempotency: A key of the caller; the same key gives the same checkout again, until that is over.

        Raises:
            Invalid: `unknown-plan`, also for one that is not sold; `plan-already-active`, `plan-lower`,
                `plan-not-yearly`, `idempotency-conflict`.
            NotFound: `account-not-found` if the account is deleted meanwhile.
            Unavailable: `billing-off`, `billing-unavailable`, `billing-refused`.
        """
        wanted, provider, now = self._plans.plan(plan), self.provider, self._store.now()
        if period == "year" and wanted.price and wanted.yearly_price is None:
            raise Invalid("plan-not-yearly", parameter="period", plan=wanted.name)
        self._refresh_bought(account)
        digest = self._secret.digest("idempotency", f"{account} {idempotency}") if idempotency else None
        with self._store.writing() as connection:
            lock(connection, account)
            row = None
            if digest:
                row = self._kept(connection, digest)
            if row is not None and (row.plan, row.period) != (plan, period):
                raise Invalid("idempotency-conflict")
            if row is None:
                self._compare(connection, account, wanted, period)
                values = {
                    "id": f"chk_{token_hex(12)}",
                    "account": account,
                    "plan": plan,
                    "period": period,
                    "state": "open",
                }
                times = {"created_at": now, "expires_at": now + _LASTS}
                made = insert(checkouts).values(values | times | {"provider": provider.name, "idempotency": digest})
                row = connection.execute(made.returning(*checkouts.c)).one()
            holder = connection.execute(accounts.select().where(accounts.c.id == account)).one()
        if row.url is None:
            buyer = self._with_customer(Buyer(account, holder.address, holder.customer))
            started = provider.start(row.id, buyer, wanted, period, language)
            with self._store.writing() as connection:
                connection.execute(update(checkouts).where(checkouts.c.id == row.id).values(started._asdict()))
            return Checkout(row.id, plan, started.url, started.expires_at)
        return Checkout(row.id, plan, row.url, row.expires_at)

    def _with_customer(self, buyer: Buyer) -> Buyer:
        """Return a buyer with its customer, kept before anything is sold to it: every checkout has the same.

        A payment that wrote another customer meanwhile keeps that, and this checkout is for it, too.

        Raises `NotFound("account-not-found")`: the account is deleted by now, and the customer is to be, too.
        """
        customer = self.provider.customer(buyer)
        if customer != buyer.customer:
            with self._store.writing() as connection:
                own = update(accounts).where(accounts.c.id == buyer.account)
                unchanged = own.where(accounts.c.customer.is_not_distinct_from(buyer.customer))
                connection.execute(unchanged.values(customer=customer))
                kept = connection.execute(select(accounts.c.customer).where(accounts.c.id == buyer.account)).first()
                if kept is None:
                    deleted = update(tombstones).where(tombstones.c.account == buyer.account)
                    connection.execute(deleted.values(customer=customer))
            if kept is None:
                raise NotFound("account-not-found")
            customer = kept.customer
        return buyer._replace(customer=customer)

    def _kept(self, connection: Connection, digest: str) -> Row[Any] | None:
        """Return the checkout of an idempotency key; one that is over gives its key up.

        It is over when it was cancelled or has expired, and when the plan that it bought has ended.
        """
        row = connection.execute(checkouts.select().where(checkouts.c.idempotency == digest)).one_or_none()
        if row is None:
            return None
        now = self._store.now()
        bought = row.state == "completed" and plan_of(connection, row.account, now) == row.plan
        if bought or (row.state == "open" and now < row.expires_at):
            return row
        connection.execute(update(checkouts).where(checkouts.c.id == row.id).values(idempotency=None))
        return None

    def _compare(self, connection: Connection, account: str, wanted: Plan, period: Period) -> None:
        """Raise `Invalid` unless a plan is sold and higher than the present one, or that by the year, not the month."""
        current = self._plans.held(plan_of(connection, account, self._store.now()))
        query = select(subscriptions.c.provider, subscriptions.c.period).where(subscriptions.c.account == account)
        paid = connection.execute(query).one_or_none()
        is_lower = wanted.rank < current.rank
        if wanted.code == current.code:
            if paid is None or not wanted.price or paid.provider == GIVEN or paid.period == period:
                raise Invalid("plan-already-active", parameter="planId", plan=current.name)
            is_lower = period == "month"
        if is_lower:
            raise Invalid("plan-lower", parameter="planId", plan=current.name)
        if not wanted.price:  # one that the operator gives
            sold = tuple(plan.code for plan in self._plans.by_code.values() if plan.price)
            raise Invalid("unknown-plan", parameter="planId", known=sold)

    def portal(self, account: str, language: Language) -> str:
        """Return the page with payment method and cancellation.

        Raises `NotFound("no-subscription")`, also for a customer whom the provider does not know, unless what the
        account bought has another one; if it does not know that either, it ends.
        """
        customer = self._customer(account)
        page = self.provider.portal(customer, language) if customer is not None else None
        if customer is not None and page is None:
            self._refresh_bought(account)
            payer = self._customer(account)
            page = self.provider.portal(payer, language) if payer is not None and payer != customer else None
        if page is None:
            raise NotFound("no-subscription")
        return page

    def resume(self, account: str) -> None:
        """Renew the cancelled subscription of an account again; one that is not cancelled stays as it is.

        Raises `NotFound("no-subscription")` if none is running, or another deployment sold it; `Unavailable`:
        `billing-off`, `billing-unavailable`, `billing-refused`.
        """
        provider = self.provider
        with self._store.reading() as connection:
            which = (subscriptions.c.account == account, subscriptions.c.provider == provider.name)
            reference = connection.execute(select(subscriptions.c.reference).where(*which)).scalar_one_or_none()
        current = provider.subscription(reference) if reference else None
        if current is None or current.state == "ended" or not self._is_ours(current):
            raise NotFound("no-subscription")
        if current.ending:
            provider.resume(current.reference)
            with self._store.writing() as connection:
                note(connection, self._store.now(), "account", "renewal-resumed", account=account, subject=reference)
        self._refresh(current.reference)

    def invoices(self, account: str) -> list[Invoice]:
        """Return the latest invoices of an account, the newest first.

        Raises `Unavailable`: `billing-off`, `billing-unavailable`, `billing-refused`, for an account that has paid.
        """
        customer = self._customer(account)
        return self.provider.invoices(customer) if customer is not None else []

    def _customer(self, account: str) -> str | None:
        """The id of an account with the provider, if it has one."""
        with self._store.reading() as connection:
            query = select(accounts.c.customer).where(accounts.c.id == account)
            customer: str | None = connection.execute(query).scalar_one_or_none()
        return customer

    def receive(self, body: bytes, signature: str) -> None:
        """Apply an event of the provider, once.

        Raises `Denied("bad-signature")`; `Invalid("bad-event")`; `Unavailable`: it is sent again.
        """
        provider = self.provider
        if not signature.isascii():
            raise Denied("bad-signature")
        event = provider.event(body, signature)
        with self._store.reading() as connection:
            known = select(events.c.id).where(events.c.provider == provider.name, events.c.id == event.id)
            if connection.execute(known).first() is not None:
                return
        if event.checkout is not None:
            self._settle(event.checkout)
        if event.subscription is not None:
            self._refresh(event.subscription)
        if event.returned is not None:
            self._note_returned(event.returned)
        with self._store.writing() as connection:
            values = {"provider": provider.name, "id": event.id, "kind": event.kind, "applied_at": self._store.now()}
            connection.execute(inserting(connection, events).values(values).on_conflict_do_nothing())

    def _note_returned(self, payment: ReturnedPayment) -> None:
        """Note in the audit log that a payment of one of our accounts was returned, for the operator to decide."""
        customer = self.provider.payer(payment.charge)
        with self._store.writing() as connection:
            of = select(accounts.c.id).where(accounts.c.customer == customer)
            account = connection.execute(of).scalar_one_or_none() if customer else None
            if account is not None:
                now = self._store.now()
                note(connection, now, "provider", payment.why, account=account, subject=payment.charge)

    def check_plans(self) -> None:
        """Raise the first of `plan_faults`, if there are any."""
        for fault in self.plan_faults():
            raise fault

    def plan_faults(self) -> Iterator[Invalid]:
        """Yield what in the table of plans does not fit what was sold and is for sale.

        `plan-missing`: accounts have plans that it lacks, and get Free; `plan-price`: the provider has another price.
        """
        if missing := missing_plans(self._store, self._plans):
            yield Invalid("plan-missing", plans=missing)
        if self._provider is not None and (wrong := self._provider.wrong_prices()):
            yield Invalid("plan-price", plans=wrong)

    def reconcile(self) -> int:
        """Ask the provider for all that may have changed without an event; return the number of objects checked.

        Raises `Unavailable`: `billing-unavailable`; `billing-refused` with the number of objects that the provider
        refused, once all others are done.
        """
        if self._provider is None:
            return 0
        now, name = self._store.now(), self._provider.name
        with self._store.writing() as connection:
            late = (checkouts.c.state == "open", checkouts.c.reference.is_(None), checkouts.c.expires_at <= now)
            connection.execute(update(checkouts).where(*late).values(state="expired"))
        with self._store.reading() as connection:
            waiting = select(checkouts.c.reference).where(
                checkouts.c.provider == name, checkouts.c.state == "open", checkouts.c.reference.is_not(None)
            )
            opened = [str(reference) for reference in connection.execute(waiting).scalars()]
            due = select(subscriptions.c.reference).where(
                subscriptions.c.provider == name,
                subscriptions.c.state != "ended",
                or_(
                    subscriptions.c.period_end <= now,
                    subscriptions.c.state == "past_due",
                    subscriptions.c.ending.is_(True),
                    subscriptions.c.replaces.is_not(None),
                ),
            )
            unknown = select(audit.c.subject).where(audit.c.event == _UNKNOWN, audit.c.at > now - _DOUBTED)
            doubted = select(subscriptions.c.reference).where(
                subscriptions.c.provider == name,
                subscriptions.c.state == "ended",
                subscriptions.c.reference.in_(unknown),
            )
            running = [*connection.execute(due).scalars(), *connection.execute(doubted).scalars()]
        self._end_sandboxed()
        gone = self._customers_to_delete()
        refused = _each(self._settle, opened) + _each(self._refresh, running) + _each(self._delete_customer, gone)
        _report(refused)
        return len(opened) + len(running) + len(gone)

    def delete_customers(self) -> None:
        """Delete the customers of deleted accounts at the provider.

        Those of another deployment are left, as the audit log notes (`customer-left`).

        Raises `Unavailable`: `billing-unavailable`, `billing-refused`; it is tried again with the next `reconcile`.
        """
        if self._provider is not None:
            _report(_each(self._delete_customer, self._customers_to_delete()))

    def _customers_to_delete(self) -> list[str]:
        with self._store.reading() as connection:
            waiting = select(tombstones.c.customer).where(tombstones.c.customer.is_not(None))
            return [str(customer) for customer in connection.execute(waiting).scalars()]

    def _delete_customer(self, customer: str) -> None:
        event = "customer-deleted" if self.provider.delete_customer(customer) else "customer-left"
        with self._store.writing() as connection:
            done = update(tombstones).where(tombstones.c.customer == customer).values(customer=None)
            for account in connection.execute(done.returning(tombstones.c.account)).scalars().all():
                note(connection, self._store.now(), "service", event, account=account, subject=customer)

    def _settle(self, reference: str) -> None:
        """Write the state of a checkout, and of the subscription it led to."""
        result = self.provider.result(reference)
        if result.subscription is not None:
            self._refresh(result.subscription)
        if result.state != "open":
            with self._store.writing() as connection:
                which = (checkouts.c.provider == self.provider.name, checkouts.c.reference == reference)
                connection.execute(
                    update(checkouts).where(*which, checkouts.c.state == "open").values(state=result.state)
                )

    def _refresh_bought(self, account: str) -> None:
        """Write the present state of the subscription that an account bought, if it bought any."""
        with self._store.reading() as connection:
            which = (subscriptions.c.account == account, subscriptions.c.provider == self.provider.name)
            reference = connection.execute(select(subscriptions.c.reference).where(*which)).scalar_one_or_none()
        if reference is not None:
            self._refresh(reference)

    def _refresh(self, reference: str) -> None:
        """Write the present state of a subscription; if its account has two then, end the lower one.

        While the provider is asked, another worker may write a newer answer about either of them: if the row of the
        account has changed meanwhile, ask again.
        """
        account = self._account_of(reference)
        while True:
            before = self._row(account)
            if before is not None and before.replaces is not None:
                self._end_lower(before.replaces)
                continue
            current = self.provider.subscription(reference)
            if current is None and before is not None:
                self._end_unknown(reference, before)
            if current is None or not self._is_ours(current):
                return
            if not self._exists(current.account):
                self._end_orphan(current)
                return
            with self._store.writing() as connection:
                lock(connection, current.account)
                row = _row_in(connection, current.account)
                is_fresh = account == current.account and _version(row) == _version(before)
                lower = self._write(connection, current, row) if is_fresh else None
            if lower is not None:
                self._end_lower(lower)
            if is_fresh:
                return
            account = current.account

    def _end_unknown(self, reference: str, row: Row[Any]) -> None:
        """End a subscription that the provider does not know, unless the row of its account has changed since.

        It was sold in another mode of the provider (test, live) or at another account there, or is no longer ours.
        """
        now, subject = self._store.now(), {"account": row.account, "subject": reference}
        with self._store.writing() as connection:
            before = plan_of(connection, row.account, now)
            same = (subscriptions.c.provider == row.provider, subscriptions.c.reference == reference)
            over = update(subscriptions).where(*same, subscriptions.c.version == row.version)
            over = over.where(subscriptions.c.state != "ended").values(state="ended", version=row.version + 1)
            if connection.execute(over).rowcount:
                increment_revision(connection)
                note(connection, now, "provider", _UNKNOWN, **subject)
                if before != FREE:
                    note(connection, now, "provider", f"plan-{FREE}", **subject)

    def _end_sandboxed(self) -> None:
        """End what the sandbox sold, once another provider sells: nobody pays for it, and nobody could cancel it."""
        if self.provider.name == SANDBOX:
            return
        with self._store.reading() as connection:
            sold = subscriptions.select().where(subscriptions.c.provider == SANDBOX, subscriptions.c.state != "ended")
            rows = connection.execute(sold).all()
        for row in rows:
            self._end_unknown(row.reference, row)

    def _end_lower(self, reference: str) -> None:
        """End a subscription that its account has beside a higher one, and note that it is done."""
        lower = self.provider.subscription(reference)
        if lower is not None and lower.state != "ended" and self._is_ours(lower):
            self.provider.end(reference)
        with self._store.writing() as connection:
            done = update(subscriptions).where(subscriptions.c.replaces == reference)
            connection.execute(done.values(replaces=None, version=subscriptions.c.version + 1))

    def _is_ours(self, current: ProviderSubscription) -> bool:
        """Return whether this deployment sold a subscription.

        Note any other, unless it lacks our labels and we have no record of it: it is of another business.
        """
        if current.deployment == self._secret.deployment:
            return True
        if current.account or self._has_record(current.reference):
            self._note_untouched(current, "subscription-foreign")
        return False

    def _has_record(self, reference: str) -> bool:
        named = or_(subscriptions.c.reference == reference, subscriptions.c.replaces == reference)
        with self._store.reading() as connection:
            return count(connection, subscriptions, subscriptions.c.provider == self.provider.name, named) > 0

    def _exists(self, account: str) -> bool:
        with self._store.reading() as connection:
            return connection.execute(select(accounts.c.id).where(accounts.c.id == account)).first() is not None

    def _end_orphan(self, current: ProviderSubscription) -> None:
        """End the subscription of a deleted account; note that of an account that this database never knew."""
        if current.state == "ended":
            return
        with self._store.reading() as connection:
            deleted = select(tombstones.c.account).where(tombstones.c.account == current.account)
            is_deleted = connection.execute(deleted).first() is not None
        if is_deleted:
            self.provider.end(current.reference)
            with self._store.writing() as connection:
                own = update(tombstones).where(tombstones.c.account == current.account)
                connection.execute(own.values(customer=current.customer))
            self.delete_customers()
        else:
            self._note_untouched(current, "subscription-orphaned")

    def _note_untouched(self, current: ProviderSubscription, event: Untouched) -> None:
        """Note once in the audit log that a subscription was left as it is."""
        with self._store.writing() as connection:
            if not count(connection, audit, audit.c.subject == current.reference, audit.c.event == event):
                note(connection, self._store.now(), "provider", event, subject=current.reference)

    def _account_of(self, reference: str) -> str | None:
        """Return the account that has a subscription, if its row names it."""
        which = (subscriptions.c.provider == self.provider.name, subscriptions.c.reference == reference)
        with self._store.reading() as connection:
            account: str | None = connection.execute(select(subscriptions.c.account).where(*which)).scalar_one_or_none()
        return account

    def _row(self, account: str | None) -> Row[Any] | None:
        with self._store.reading() as connection:
            return _row_in(connection, account)

    def _write(self, connection: Connection, current: ProviderSubscription, row: Row[Any] | None) -> str | None:
        """Write a subscription of an account with a row; return the reference of the one that has to end, if any.

        That is the lower one of two, whichever was bought last: checkouts of both may have been open at a time. So ends
        one that is lower than the plan that the operator gave.
        """
        now = self._store.now()
        before = plan_of(connection, current.account, now)
        replaces: str | None = None
        owner = update(accounts).where(accounts.c.id == current.account)
        if row is not None and row.reference != current.reference:
            if current.state == "ended":
                return None
            if not self._is_higher(current, row, before):
                surplus = update(subscriptions).where(subscriptions.c.account == current.account)
                connection.execute(surplus.values(replaces=current.reference, version=row.version + 1))
                connection.execute(owner.where(accounts.c.customer.is_(None)).values(customer=current.customer))
                event, subject = "subscription-surplus", current.reference
                note(connection, now, "provider", event, account=current.account, subject=subject)
                return current.reference
            if row.state != "ended" and row.provider == self.provider.name:
                replaces = row.reference
        values = {
            "provider": self.provider.name,
            "reference": current.reference,
            "plan": current.plan,
            "period": current.period,
            "state": current.state,
            "ending": current.ending,
            "period_end": current.period_end,
            "failed_at": _failed_at(current, row, now),
            "replaces": replaces,
            "version": row.version + 1 if row else 1,
        }
        if row is None:
            connection.execute(insert(subscriptions).values(values | {"account": current.account}))
        else:
            connection.execute(update(subscriptions).where(subscriptions.c.account == current.account).values(values))
        if current.customer is not None:
            connection.execute(owner.values(customer=current.customer))
        known = row if row is not None and row.reference == current.reference else None
        if values["failed_at"] is not None and (known is None or known.failed_at is None):
            queue_mail(connection, now, current.account, "payment-failed")
        if known is not None and known.ending and not current.ending and current.state != "ended":
            queue_mail(connection, now, current.account, "renewal-resumed")
        increment_revision(connection)
        after = plan_of(connection, current.account, now)
        if after != before:
            note(connection, now, "provider", f"plan-{after}", account=current.account, subject=current.reference)
        return replaces

    def _is_higher(self, current: ProviderSubscription, row: Row[Any], plan: str) -> bool:
        """Return whether a subscription is more than that of the row of its account, which gives `plan` now."""
        if row.provider != self.provider.name or row.plan != plan:  # given by the operator; lapsed
            return self._plans.held(current.plan).rank >= self._plans.held(plan).rank
        return self._height(current) > self._height(row)

    def _height(self, of: ProviderSubscription | Row[Any]) -> tuple[int, bool, bool]:
        return self._plans.held(of.plan).rank, of.period == "year", of.state == "active" and not of.ending


def _each(act: Callable[[str], None], references: Iterable[str]) -> int:
    """Call `act` with each reference; return how many the provider refused, which stop none of the others."""
    refused = 0
    for reference in references:
        try:
            act(reference)
        except Unavailable as error:
            if error.code != "billing-refused":
                raise
            refused += 1
    return refused


def _report(refused: int) -> None:
    """Raise `Unavailable("billing-refused")` if there are any; the operator sees at the provider which they are."""
    if refused:
        raise Unavailable("billing-refused", refused=refused)


def missing_plans(store: Store, plans: Plans) -> list[str]:
    """Return the codes of the plans that accounts have and the table of plans lacks."""
    running = select(subscriptions.c.plan).where(subscriptions.c.state != "ended").distinct()
    with store.reading() as connection:
        return sorted(set(connection.execute(running).scalars()) - set(plans.by_code))


_OF = select(
    subscriptions.c.plan,
    subscriptions.c.state,
    subscriptions.c.ending,
    subscriptions.c.period_end,
    subscriptions.c.failed_at,
    subscriptions.c.period,
)


def _failed_at(current: ProviderSubscription, row: Row[tuple[object, ...]] | None, now: int) -> int | None:
    """Time of the first failed payment since the last good one."""
    if current.state != "past_due":
        return None
    known: int | None = row.failed_at if row is not None and row.reference == current.reference else None
    return known if known is not None else now


def _row_in(connection: Connection, account: str | None) -> Row[Any] | None:
    return connection.execute(subscriptions.select().where(subscriptions.c.account == account)).one_or_none()


def _version(row: Row[Any] | None) -> int | None:
    return None if row is None else row.version
