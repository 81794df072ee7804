"""The operations of `/api/account`, each declared once: the routes and the OpenAPI document come from this table."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from starlette.routing import Route

from padron.accounts.keys import MOST_NETWORKS
from padron.accounts.plans import Plans, read_plans
from padron.api import account, examples, parameters
from padron.api import account_model as wire
from padron.api.account import AccountContext, AccountEndpoint, AccountMethod, Handler
from padron.api.openapi import Guard, Interface, Operation
from padron.errors import Denied, Invalid, Limited, NotFound, PadronError, Unavailable
from padron.words import Language, bilingual, translate

_ACCOUNT = bilingual(
    "Accounts, keys and plans. They require the cookie of a session; an API key is never accepted. Sign-up, log-in and "
    "forgotten passwords give the same answer whether or not an address has an account."
)

ATTEMPTS: Final = Limited("too-many-attempts", retry_after=600)
NO_ACCOUNTS: Final = Unavailable("accounts-unavailable")
_CROSS_SITE = Denied("cross-site-request")

SESSION: Final = Guard(("session",), (Denied("no-session"), ATTEMPTS, NO_ACCOUNTS))
"""The cookie of a session."""
SESSION_WRITE: Final = SESSION._replace(errors=(*SESSION.errors, _CROSS_SITE))
"""The cookie of a session, in a request from the pages of accounts or from a program."""
NOBODY: Final = Guard((), (ATTEMPTS, NO_ACCOUNTS))
"""No account needed."""
NOBODY_WRITE: Final = NOBODY._replace(errors=(*NOBODY.errors, _CROSS_SITE))
"""No account needed, in a request from the pages of accounts or from a program."""


def checkout_errors(plans: Plans) -> tuple[PadronError, ...]:
    """Return what a checkout may refuse."""
    return (
        Invalid("unknown-plan", parameter="planId", known=tuple(plans.by_code)),
        Invalid("plan-already-active", parameter="planId", plan="Pro"),
        Invalid("plan-lower", parameter="planId", plan="Pro"),
        Invalid("idempotency-conflict"),
        Unavailable("billing-off"),
        Unavailable("billing-unavailable"),
        Unavailable("billing-refused"),
    )


def declared_operations(base_url: str, language: Language) -> dict[Handler, Operation]:
    """Return the operations of a service at `base_url` by their handlers; their examples are in `language`."""
    plans, base = read_plans(), account.BASE
    holder, key = examples.account(), examples.key()
    key_made = wire.KeyMade(key=key, api_key="pdr_live_…")
    accepted = wire.Accepted(message=translate(account.SENT, language))
    password, email, token = examples.PASSWORD, examples.EMAIL, "…"
    weak = Invalid("weak-password", parameter="password", minimum=10, maximum=256, reason="length")
    bad_login, bad_token = Denied("bad-login"), Denied("bad-token")
    bad_address = Invalid("bad-address", parameter="email")
    no_key, idle_key = NotFound("key-not-found"), Invalid("key-not-in-use", parameter="key")
    suspended = Denied("account-suspended")
    network = Invalid("bad-network", parameter="allowedAddresses", given="203.0.113.7/24", most=MOST_NETWORKS)
    origin = Invalid("bad-origin", parameter="allowedOrigins", given="app.example/", most=MOST_NETWORKS)
    no_quota = Invalid("test-key-quota", parameter="answersPerDay")
    alone = Invalid("link-key-alone", parameter="scopes")
    refused_key = (Invalid("key-name-taken", parameter="name"), Invalid("too-many-keys", most=5), suspended)
    past, running = Invalid("expiry-past", parameter="expiresAt"), Invalid("subscription-running")
    no_portal = (NotFound("no-subscription"), Unavailable("billing-off"))
    cookie = ("Set-Cookie",)
    not_yearly = Invalid("plan-not-yearly", parameter="period", plan="Pro")
    code_faults = (Denied("code-required"), Denied("bad-code"))
    second, own = f"{base}/second-factor", wire.OwnPassword(password=password)
    recovery = wire.RecoveryCodes(recovery_codes=["aaaa-bbbb-cccc-dddd"])
    return {
        account.sign_up: Operation(
            "post", base, "signUp", "Open an account", 202, accepted, NOBODY_WRITE, (weak, bad_address),
            body=wire.SignUp(email=email, password=password)),
        account.show: Operation(
            "get", base, "getAccount", "The account", 200, holder, SESSION),
        account.change: Operation(
            "patch", base, "changeAccount", "Change the language", 200, holder, SESSION_WRITE,
            body=wire.ChangeAccount(language="en")),
        account.leave: Operation(
            "delete", base, "deleteAccount", "Delete the account and all its data", 204, None, SESSION_WRITE,
            (bad_login, running, *code_faults), body=own),
        account.verify: Operation(
            "post", f"{base}/verify", "verify", "Confirm the address and log in", 200, holder, NOBODY_WRITE,
            (bad_login, bad_token, *code_faults), body=wire.Verify(token=token, password=password),
            headers=cookie),
        account.log_in: Operation(
            "post", f"{base}/session", "logIn", "Log in", 200, holder, NOBODY_WRITE,
            (bad_login, *code_faults), body=wire.LogIn(email=email, password=password), headers=cookie),
        account.log_out: Operation(
            "delete", f"{base}/session", "logOut", "Log out", 204, None, SESSION_WRITE, headers=cookie),
        account.log_out_everywhere: Operation(
            "delete", f"{base}/sessions", "logOutEverywhere", "End all sessions", 204, None, SESSION_WRITE,
            headers=cookie),
        account.list_sessions: Operation(
            "get", f"{base}/sessions", "listSessions", "The open sessions", 200,
            wire.SessionsShown(sessions=[examples.session()]), SESSION),
        account.end_session: Operation(
            "delete", f"{base}/sessions/{{session}}", "endSession", "End one session", 204, None, SESSION_WRITE,
            (NotFound("session-not-found"),), parameters.SESSION),
        account.change_address: Operation(
            "put", f"{base}/email", "changeAddress", "Ask for another address, which a mailed link confirms", 202,
            accepted, SESSION_WRITE, (bad_login, bad_address),
            body=wire.ChangeAddress(email="ana.paz@example.ec", password=password)),
        account.confirm_address: Operation(
            "post", f"{base}/email/confirm", "confirmAddress", "Confirm the new address; ends all sessions", 200,
            holder, NOBODY_WRITE, (bad_login, bad_token, Invalid("address-taken"), *code_faults),
            body=wire.Verify(token=token, password=password), headers=cookie),
        account.show_second_factor: Operation(
            "get", second, "getSecondFactor", "The state of the second factor", 200,
            wire.SecondFactorShown(state="off", confirmed_at=None, recovery_codes_left=0), SESSION),
        account.begin_second_factor: Operation(
            "post", second, "beginSecondFactor", "Enrol an app that makes codes; its secret is shown once", 200,
            examples.enrolled(), SESSION_WRITE, (bad_login, Invalid("second-factor-on")), body=own),
        account.remove_second_factor: Operation(
            "delete", second, "removeSecondFactor", "Turn the second factor off", 204, None, SESSION_WRITE,
            (bad_login, NotFound("no-second-factor"), *code_faults), body=own),
        account.confirm_second_factor: Operation(
            "post", f"{second}/confirm", "confirmSecondFactor", "Turn the second factor on by a first code", 200,
            recovery, SESSION_WRITE,
            (Denied("bad-code"), Invalid("second-factor-on"), Invalid("second-factor-not-begun")),
            body=wire.ConfirmCode(code="123456")),
        account.renew_recovery_codes: Operation(
            "post", f"{second}/recovery-codes", "renewRecoveryCodes", "Make new recovery codes; the old are void",
            200, recovery, SESSION_WRITE, (bad_login, NotFound("no-second-factor"), *code_faults), body=own),
        account.accept_terms: Operation(
            "put", f"{base}/terms", "acceptTerms", "Accept the terms in force", 200, holder, SESSION_WRITE,
            (Invalid("terms-changed", parameter="version", version=plans.terms_version),),
            body=wire.AcceptTerms(version=plans.terms_version)),
        account.change_password: Operation(
            "put", f"{base}/password", "changePassword", "Change the password; ends all other sessions", 200,
            holder, SESSION_WRITE, (bad_login, weak, *code_faults),
            body=wire.ChangePassword(old=password, new=f"{password} azul"), headers=cookie),
        account.forgotten: Operation(
            "post", f"{base}/password/forgotten", "forgottenPassword", "Request a link to set a new password", 202,
            accepted, NOBODY_WRITE, (bad_address,), body=wire.Forgotten(email=email)),
        account.reset: Operation(
            "post", f"{base}/password/reset", "resetPassword", "Set a new password by the mailed link", 200,
            holder, NOBODY_WRITE, (weak, bad_token, *code_faults),
            body=wire.Reset(token=token, password=password), headers=cookie),
        account.keys: Operation(
            "get", f"{base}/keys", "listKeys", "The keys", 200, wire.KeysShown(keys=[key]), SESSION),
        account.new_key: Operation(
            "post", f"{base}/keys", "createKey", "Create a key; it is shown once", 201, key_made, SESSION_WRITE,
            (*refused_key, past, network, origin, no_quota, alone), body=wire.NewKey(name="uno")),
        account.revoke: Operation(
            "delete", f"{base}/keys/{{key}}", "revokeKey", "Revoke a key; it stops working within a second", 204,
            None, SESSION_WRITE, (no_key,), parameters.KEY),
        account.rotate: Operation(
            "post", f"{base}/keys/{{key}}/rotate", "rotateKey", "Replace a key with a new one", 201, key_made,
            SESSION_WRITE, (no_key, idle_key, *refused_key), parameters.KEY,
            wire.Rotate(overlap_seconds=3600)),
        account.export: Operation(
            "get", f"{base}/export", "exportAccount", "Export the data of the account", 200, examples.export(),
            SESSION),
        account.usage: Operation(
            "get", f"{base}/usage", "getAccountUsage", "The usage and what remains", 200,
            examples.account_usage(plans), SESSION),
        account.usage_csv: Operation(
            "get", f"{base}/usage.csv", "downloadAccountUsage", "The usage by day, key and operation as CSV", 200,
            None, SESSION, csv=f"{','.join(account.USAGE_COLUMNS)}…"),
        account.plans: Operation(
            "get", f"{base}/plans", "listPlans", "The plans", 200, wire.plans_shown(plans, language),
            NOBODY),
        account.checkout: Operation(
            "post", f"{base}/checkout", "checkout", "Start the checkout of a plan", 201,
            examples.checkout(base_url), SESSION_WRITE, (*checkout_errors(plans), not_yearly, suspended),
            parameters.IDEMPOTENCY, wire.BuyPeriod(plan_id="pro", period="year")),
        account.portal: Operation(
            "post", f"{base}/portal", "openPortal", "The page where the subscription is managed", 200,
            wire.Place(url="https://padron.example/portal"), SESSION_WRITE, no_portal),
        account.resume: Operation(
            "post", f"{base}/resume", "resumeSubscription", "Renew the cancelled subscription again", 200, holder,
            SESSION_WRITE, (*no_portal, suspended, Unavailable("billing-unavailable"),
            Unavailable("billing-refused"))),
        account.invoices: Operation(
            "get", f"{base}/invoices", "listInvoices", "The latest invoices", 200,
            wire.InvoicesShown(invoices=[examples.invoice()]), SESSION,
            (Unavailable("billing-off"), Unavailable("billing-unavailable"), Unavailable("billing-refused"))),
    }  # fmt: skip


def account_interface(base_url: str, language: Language) -> Interface:
    """Return `/api/account` as it is described."""
    operations = list(declared_operations(base_url, language).values())
    return Interface("Padron account API", _ACCOUNT, "account", operations)


def routes(context: AccountContext) -> list[Route]:
    """Return the routes of accounts."""
    paths: defaultdict[str, dict[str, AccountMethod]] = defaultdict(dict)
    for handler, operation in declared_operations("", "en").items():
        closed = bool(operation.guard.schemes)
        body = type(operation.body) if operation.body else None
        paths[operation.path][operation.method.upper()] = AccountMethod(handler, body, closed, operation.status)
    return [Route(path, AccountEndpoint(context, methods), methods=list(methods)) for path, methods in paths.items()]
